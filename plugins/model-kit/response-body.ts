/** Reads response bodies within limits, as streams whose errors cannot end the process. */
import type { IncomingMessage } from 'node:http';

/** Far more than a model ever streams; an endless body must not keep the connection for ever. */
const LONGEST_STREAM_BYTES = 32 * 1024 * 1024;
/** Whatever is read in one go: a document, or one event of a stream. */
export const LONGEST_DOCUMENT_BYTES = 1024 * 1024;
/** Readers take a piece in at once: a longer one would keep everybody else waiting. */
const PIECE_BYTES = 8 * 1024;

/** How long a server may take to end a response whose answer is complete, before its connection is closed. */
const LAST_BYTES_MS = 1_000;

export const isEventStream = (incoming: IncomingMessage) =>
  incoming.headers['content-type']?.includes('text/event-stream') === true;

const longestOf = ({ headers }: IncomingMessage) =>
  /event-?stream/.test(headers['content-type'] ?? '') ? LONGEST_STREAM_BYTES : LONGEST_DOCUMENT_BYTES;

const tooLong = (bytes: number) => new Error(`The response is longer than ${bytes} bytes.`);

/** The bytes in small pieces. Rejects when they break off or are too many; leaving it closes the connection. */
export async function* limitedBytes(incoming: IncomingMessage): AsyncGenerator<Buffer, undefined> {
  const longestBytes = longestOf(incoming);
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > longestBytes) throw tooLong(longestBytes);
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
  }
}

/** The text in small pieces, with the same limits. */
export async function* piecesOf(incoming: IncomingMessage): AsyncGenerator<string, void> {
  // Puts characters together that the network cut in two.
  const decoder = new TextDecoder();
  for await (const piece of limitedBytes(incoming)) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** The whole text. Rejects when it breaks off or is too long, which closes the connection. */
export function textOf(incoming: IncomingMessage): Promise<string> {
  const longestBytes = longestOf(incoming);
  return new Promise((resolve, reject) => {
    const brokenOff = () => reject(incoming.errored ?? new Error('The response broke off.'));
    if (incoming.destroyed) return brokenOff();
    const pieces: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > longestBytes) incoming.destroy(tooLong(longestBytes));
    });
    incoming.once('end', () => resolve(new TextDecoder().decode(Buffer.concat(pieces))));
    incoming.once('error', reject);
    incoming.once('close', brokenOff);
  });
}

/**
 * A stream of what `next` resolves to, never an empty list, until `undefined`. Nothing is read before its reader asks,
 * and its controller is touched in `pull` alone: what goes wrong there, such as closing a stream that was cancelled,
 * the stream itself takes.
 */
export function pulledStream<T>(
  next: () => Promise<readonly T[] | undefined>,
  incoming: IncomingMessage,
  highWaterMark: number,
): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const parts = await next();
        if (parts === undefined) controller.close();
        else for (const part of parts) controller.enqueue(part);
      },
      cancel() {
        incoming.destroy();
      },
    },
    { highWaterMark },
  );
}

/** Reads on after a complete answer, so that a connection whose response ends by itself can be used again. */
export async function drain(pieces: AsyncIterable<string>, incoming: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => incoming.destroy(), LAST_BYTES_MS);
  try {
    for await (const _ of pieces);
  } catch {
    // The answer is complete: how its connection ends makes no difference any more.
  } finally {
    clearTimeout(timer);
  }
}
