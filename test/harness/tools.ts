/** Finds programs that tests use and the packages do not bring. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const FOLDERS = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/usr/libexec', '/usr/local/sbin'];

/** Path of the first program of these names that is installed. */
export function findTool(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...FOLDERS];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
