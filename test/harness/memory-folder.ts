import { existsSync, readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';

/** The folder of the system that is in memory, where it has this much room and programs may be started from it. */
export function memoryFolder(bytes: number): string | undefined {
  if (!existsSync(FOLDER) || / \/dev\/shm \S+ \S*\bnoexec\b/.test(readFileSync('/proc/mounts', 'utf8')))
    return undefined;
  const { bavail, bsize } = statfsSync(FOLDER);
  return bavail * bsize > bytes ? FOLDER : undefined;
}
