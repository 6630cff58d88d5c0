/** Reads response bodies within limits, as streams whose errors cannot end the process. */
import type { IncomingMessage } from 'node:http';
import { ReadingTurns } from './reading-turns.ts';

/** Far more than a model ever streams; an endless body must not keep the connection for ever. */
const LONGEST_STREAM_BYTES = 32 * 1024 * 1024;
/** Whatever is read in one go: a document, or one event of a stream. */
export const LONGEST_DOCUMENT_BYTES = 1024 * 1024;
/** A stream of events that was sent where a document was asked for: each word is an event. */
const LONGEST_STREAMED_DOCUMENT_BYTES = 4 * 1024 * 1024;
/** What is read of the document of a failed call: enough for a whole answer that its server could not read. */
const READ_OF_FAILURE_BYTES = 256 * 1024;
/** What the replies over one set of connections hold together. */
const MOST_HELD_BYTES = 32 * 1024 * 1024;
/** What a reply may hold even then: others of the same provider must not make ordinary ones fail. */
const ORDINARY_BYTES = 64 * 1024;
const NEWLINE = 10;
/** Parts of a document that are put together: each takes hundreds of bytes, and may hold a single one of the document. */
const JOINED_PARTS = 256;
/** Readers take a piece in at once: a longer one would keep everybody else waiting. */
const PIECE_BYTES = 8 * 1024;

/** How long a server may take to end a response whose answer is complete, before its connection is closed. */
const LAST_BYTES_MS = 1_000;

export const isEventStream = (incoming: IncomingMessage) =>
  incoming.headers['content-type']?.includes('text/event-stream') === true;

const longestOf = ({ headers }: IncomingMessage, longestStream: number) =>
  /event-?stream/.test(headers['content-type'] ?? '') ? longestStream : LONGEST_DOCUMENT_BYTES;

/** Counts the bytes that wait for the end of their document or event, of all replies together. */
export class HeldBytes {
  readonly turns = new ReadingTurns();
  #bytes = 0;

  /** Takes how many one reply holds, until it is over. Throws for a long one when all together hold too many. */
  of(incoming: IncomingMessage): (bytes: number) => void {
    let own = 0;
    const hold = (bytes: number) => {
      this.#bytes += bytes - own;
      own = bytes;
    };
    incoming.once('close', () => hold(0));
    return (bytes) => {
      if (!incoming.closed) hold(bytes);
      if (this.#bytes > MOST_HELD_BYTES && bytes > ORDINARY_BYTES)
        throw new Error(`All replies together are longer than ${MOST_HELD_BYTES} bytes.`);
    };
  }

  /** Counts bytes of a reply that is over until this has settled. */
  async during(bytes: number, work: Promise<void> | undefined): Promise<void> {
    this.#bytes += bytes;
    await work;
    this.#bytes -= bytes;
  }
}

/** Parts of a reply as small as no provider sends them: reading them costs a thousand times what they say. */
const MOST_SMALL_PARTS = 2_000;
const SMALL_PART_BYTES = 4;

/** Breaks a reply off that comes in thousands of nearly empty parts, as they come in: they fill memory before they are read. */
export function refuseTinyParts(incoming: IncomingMessage): void {
  const push = incoming.push.bind(incoming);
  let parts = 0;
  let bytes = 0;
  incoming.push = (part: Buffer | null, encoding) => {
    if (incoming.destroyed) return false;
    parts += 1;
    bytes += part?.length ?? 0;
    if (parts > MOST_SMALL_PARTS && bytes < parts * SMALL_PART_BYTES) {
      incoming.destroy(new Error('The response comes in tiny parts.'));
      return false;
    }
    return push(part, encoding);
  };
}

const tooLong = (bytes: number) => new Error(`The response is longer than ${bytes} bytes.`);

/** The bytes in small pieces. Rejects when they break off or are too many; leaving it closes the connection. */
export async function* limitedBytes(incoming: IncomingMessage, held: HeldBytes): AsyncGenerator<Buffer, undefined> {
  const longestBytes = longestOf(incoming, LONGEST_STREAM_BYTES);
  const hold = held.of(incoming);
  let bytes = 0;
  let lineStart = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= 0) lineStart = bytes + end + 1;
    bytes += chunk.length;
    if (bytes > longestBytes) throw tooLong(longestBytes);
    hold(bytes - lineStart);
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const turn = held.turns.enter();
      if (turn !== undefined) await turn;
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

/** The text in small pieces, with the same limits. */
export async function* piecesOf(incoming: IncomingMessage, held: HeldBytes): AsyncGenerator<string, void> {
  // Puts characters together that the network cut in two.
  const decoder = new TextDecoder();
  for await (const piece of limitedBytes(incoming, held)) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/**
 * The whole text, or the beginning of a failed call's. Rejects when it breaks off or is too long, which closes the
 * connection.
 */
export async function textOf(incoming: IncomingMessage, held: HeldBytes): Promise<string> {
  const bytes = await wholeBody(incoming, held);
  await held.during(bytes.length, held.turns.enter());
  const isFailure = (incoming.statusCode ?? 0) >= 300;
  return new TextDecoder().decode(isFailure ? bytes.subarray(0, READ_OF_FAILURE_BYTES) : bytes);
}

function wholeBody(incoming: IncomingMessage, held: HeldBytes): Promise<Buffer> {
  const longestBytes = longestOf(incoming, LONGEST_STREAMED_DOCUMENT_BYTES);
  const hold = held.of(incoming);
  return new Promise((resolve, reject) => {
    const brokenOff = () => reject(incoming.errored ?? new Error('The response broke off.'));
    if (incoming.destroyed) return brokenOff();
    const pieces: Buffer[] = [];
    let parts: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (part: Buffer) => {
      parts.push(part);
      if (parts.length === JOINED_PARTS) {
        pieces.push(Buffer.concat(parts));
        parts = [];
      }
      bytes += part.length;
      try {
        if (bytes > longestBytes) throw tooLong(longestBytes);
        hold(bytes);
      } catch (error) {
        incoming.destroy(error as Error);
      }
    });
    incoming.once('end', () => {
      incoming.off('close', brokenOff);
      resolve(Buffer.concat([...pieces, ...parts]));
    });
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
        const parts = await next().catch((error) => {
          incoming.destroy();
          throw error;
        });
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
