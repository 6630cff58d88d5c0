/** Estimates how much memory values take, without writing them down as JSON. */

/** A value's place in its object or list, with the object around a number or text. */
const PLACE_BYTES = 16;

type Row = Readonly<Record<string, unknown>>;

/**
 * Bytes that a value takes, about: its texts and numbers with the places they stand in. Goes no further once it has
 * found `enough`, nor deeper than `deepest`: what is nested deeper counts as infinite.
 */
export function sizeOf(value: unknown, enough: number, deepest = 100): number {
  if (typeof value === 'string') return value.length + PLACE_BYTES;
  if (typeof value !== 'object' || value === null) return PLACE_BYTES;
  if (ArrayBuffer.isView(value)) return value.byteLength + PLACE_BYTES;
  if (deepest === 0) return Number.POSITIVE_INFINITY;
  let bytes = PLACE_BYTES;
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

/** How many of the rows, from the first, fit into `roomBytes`, and what they take. */
export function rowsThatFit(rows: readonly Row[], roomBytes: number): { count: number; bytes: number } {
  let bytes = 0;
  for (const [count, row] of rows.entries()) {
    const size = rowSize(row, roomBytes - bytes);
    if (bytes + size > roomBytes) return { count, bytes };
    bytes += size;
  }
  return { count: rows.length, bytes };
}

/** The names of its columns are those of all other rows and take no memory again. */
function rowSize(row: Row, enough: number): number {
  let bytes = PLACE_BYTES;
  for (const name in row) {
    bytes += sizeOf(row[name], enough - bytes);
    if (bytes > enough) break;
  }
  return bytes;
}
