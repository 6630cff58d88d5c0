/** Estimates the memory of values without serializing them. */

/** Overhead of one value in an object or list. */
const VALUE_OVERHEAD_BYTES = 16;

type Row = Readonly<Record<string, unknown>>;

/**
 * Approximate bytes of a value. Stops counting once it exceeds `enough`; a value nested deeper than `deepest` counts as
 * infinite.
 */
export function sizeOf(value: unknown, enough: number, deepest = 100): number {
  if (typeof value === 'string') return value.length + VALUE_OVERHEAD_BYTES;
  if (typeof value !== 'object' || value === null) return VALUE_OVERHEAD_BYTES;
  if (ArrayBuffer.isView(value)) return value.byteLength + VALUE_OVERHEAD_BYTES;
  if (deepest === 0) return Number.POSITIVE_INFINITY;
  let bytes = VALUE_OVERHEAD_BYTES;
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += sizeOf(item, enough - bytes, deepest - 1);
      if (bytes > enough) break;
    }
    return bytes;
  }
  for (const name in value) {
    bytes += name.length + sizeOf((value as Row)[name], enough - bytes, deepest - 1);
    if (bytes > enough) break;
  }
  return bytes;
}

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
  let bytes = VALUE_OVERHEAD_BYTES;
  for (const name in row) {
    bytes += sizeOf(row[name], enough - bytes);
    if (bytes > enough) break;
  }
  return bytes;
}
