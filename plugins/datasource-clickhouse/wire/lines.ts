/** Cuts a stream of bytes into lines, and holds no more than one of them. */

/** A row is held whole before it can be cut. */
export const LINE_LIMIT_BYTES = 32 * 1024 * 1024;

export class LineTooLong extends Error {}

const LINE_FEED = 10;

/**
 * The lines without their ends; empty ones are left out. Nothing is read ahead of its reader, so a slow one holds the server
 * back. Throws `LineTooLong`.
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number = LINE_LIMIT_BYTES,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const last = chunk.subarray(from, end);
      if (bytes + last.length > limitBytes) throw new LineTooLong();
      if (bytes + last.length > 0) yield parts.length === 0 ? last : Buffer.concat([...parts, last]);
      parts = [];
      bytes = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(from === 0 ? chunk : chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > limitBytes) throw new LineTooLong();
  }
  if (bytes > 0) yield Buffer.concat(parts);
}
