/**
 * Packs the package from a copy of the repository, in another folder and with other times of change than here:
 * `node scripts/pack-clone.ts FOLDER` prints the path of the file. A package of the repository itself has the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const CHANGED_AT = new Date('2031-10-11T12:13:14Z');

/** Copies the files as they are here, those that are not committed as well. */
function cloneTo(path: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(ROOT, file), join(path, file));
    utimesSync(join(path, file), CHANGED_AT, CHANGED_AT);
  }
  // Those of the documentation site are installed anew: a link would have other paths, which its styles are named by.
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'));
}

/** The packed file, in a clone further down in `folder`. */
export function packClone(folder: string): string {
  const clone = resolve(folder, 'further/down/clone');
  cloneTo(clone);
  const packed = execFileSync('npm', ['pack', '--json'], {
    cwd: clone,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return join(clone, JSON.parse(packed)[0].filename);
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Give the folder to pack in.');
  console.log(packClone(folder));
}
