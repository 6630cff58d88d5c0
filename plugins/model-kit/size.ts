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
