/** Writes rows as CSV, in which no spreadsheet takes a cell for a formula. */
import { type FileHandle, open } from 'node:fs/promises';
import { csvLines } from '../csv-kit/index.ts';
import type { RowFile } from './file.ts';

/** Written at a time. */
const PART_LENGTH = 64 * 1024;

/** The file must not exist. */
export function csvFile(path: string): RowFile {
  let handle: FileHandle | undefined;
  let text = '';
  let flushing: Promise<void> = Promise.resolve();
  /** Resolves when what was written before is on its way, so that the next part is made meanwhile. */
  const flush = (): Promise<void> => {
    const part = text;
    text = '';
    const before = flushing;
    flushing = before.then(() => handle?.appendFile(part));
    // Told to whoever writes next, or ends.
    flushing.catch(() => {});
    return before;
  };
  return {
    async begin(columns) {
      handle = await open(path, 'wx', 0o600);
      text = csvLines([columns]);
    },
    write(rows) {
      text += csvLines(rows);
      return text.length < PART_LENGTH ? undefined : flush();
    },
    async end() {
      flush();
      await flushing;
      await handle?.sync();
      await handle?.close();
      handle = undefined;
    },
    async abort() {
      await flushing.catch(() => {});
      await handle?.close().catch(() => {});
      handle = undefined;
    },
  };
}
