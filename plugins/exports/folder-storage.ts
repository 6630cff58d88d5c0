/** Keeps files in a folder, which only the server's user may read. */
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { notThere } from './missing-file.ts';
import type { Storage } from './storage.ts';

export function folderStorage(dir: string): Storage {
  return {
    workDir: dir,
    async keep(path, name) {
      await rename(path, join(dir, name));
      const folder = await open(dir);
      await folder.sync().finally(() => folder.close());
    },
    async read(name) {
      const file = await open(join(dir, name)).catch(() => Promise.reject(notThere()));
      return file.createReadStream();
    },
    remove: (name) => rm(join(dir, name), { force: true }),
    removeOlderThan: (time) => removeOldFiles(dir, time),
  };
}

/** What exports are written as, and their parts. */
export const OWN_NAME = /^[0-9a-f]{8}[0-9a-f-]{24,}\.(?:parquet|csv|partial(?:\.raw)?)$/;

export async function removeOldFiles(dir: string, time: number): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    if (!OWN_NAME.test(name)) continue;
    const path = join(dir, name);
    const info = await stat(path).catch(() => undefined);
    if (info !== undefined && info.mtimeMs < time) await rm(path, { force: true });
  }
}
