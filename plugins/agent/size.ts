/** Estimates the memory of rows without serializing them. */
import { sizeOf } from '../model-kit/index.ts';

/** Overhead of one row in a list. */
const ROW_OVERHEAD_BYTES = 16;

type Row = Readonly<Record<string, unknown>>;

/** How many of the first rows fit into `roomBytes`, and their bytes. */
export function rowsThatFit(rows: readonly Row[], roomBytes: number): { count: number; bytes: number } {
  let bytes = 0;
  for (const [count, row] of rows.entries()) {
    const size = rowSize(row, roomBytes - bytes);
    if (bytes + size > roomBytes) return { count, bytes };
    bytes += size;
  }
  return { count: rows.length, bytes };
}

/** Column names are shared by all rows, so they are not counted. */
function rowSize(row: Row, enough: number): number {
  let bytes = ROW_OVERHEAD_BYTES;
  for (const name in row) {
    bytes += sizeOf(row[name], enough - bytes);
    if (bytes > enough) break;
  }
  return bytes;
}
