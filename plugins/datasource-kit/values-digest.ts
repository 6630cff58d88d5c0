/** Makes a digest of values: another one for any other values, and for the same value of another type. */
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';

export function valuesDigest(values: readonly unknown[]): string {
  return createHash('sha256')
    .update(serialize(plain(values)))
    .digest('hex');
}

/** V8 writes one text in two ways, by how it holds it in memory: that of a text which was just decoded is always the same. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value, 'utf16le').toString('utf16le');
  // A frozen list would be written in another way.
  return Array.isArray(value) ? value.map(plain) : value;
}
