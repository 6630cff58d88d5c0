/** Reads response bodies within limits, as streams whose errors cannot end the process. */
import type { IncomingMessage } from 'node:http';

/** Far more than a model ever streams; an endless body must not keep the connection for ever. */
const LONGEST_STREAM_BYTES = 32 * 1024 * 1024;
/** Whatever is read in one go: a document, or one event of a stream. */
export const LONGEST_DOCUMENT_BYTES = 1024 * 1024;
/** A stream of events that was sent where a document was asked for: each word is an event. */
const LONGEST_STREAMED_DOCUMENT_BYTES = 4 * 1024 * 1024;
/** What is read of the document of a failed call: enough for a whole answer that its server could not read. */
const READ_OF_FAILURE_CHARS = 256 * 1024;
/** What the replies over one set of connections hold together. */
const MOST_HELD_BYTES = 32 * 1024 * 1024;
/** What a reply may hold even then: others of the same provider must not make ordinary ones fail. */
const ORDINARY_BYTES = 64 * 1024;
const NEWLINE = 10;
/** Parts of a reply as small as no provider sends them: reading them costs a thousand times what they say. */
const MOST_SMALL_PARTS = 2_000;
const SMALL_PART_BYTES = 4;

/** How long a server may take to end a response whose answer is complete, before its connection is closed. */
const LAST_BYTES_MS = 1_000;

export const isEventStream = (incoming: IncomingMessage) =>
  incoming.headers['content-type']?.includes('text/event-stream') === true;

const longestOf = ({ headers }: IncomingMessage, longestStream: number) =>
  /event-?stream/.test(headers['content-type'] ?? '') ? longestStream : LONGEST_DOCUMENT_BYTES;

/** Counts the bytes that wait for the end of their document or event, of all replies together. */
export class HeldBytes {
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
}

/** Returns the bytes so far. Throws when they are too many, or come in thousands of nearly empty parts. */
function partCounter(longestBytes: number): (part: Buffer) => number {
  let bytes = 0;
  let parts = 0;
  return ({ length }) => {
    bytes += length;
    parts += 1;
    if (bytes > longestBytes) throw new Error(`The response is longer than ${longestBytes} bytes.`);
    if (parts > MOST_SMALL_PARTS && bytes < parts * SMALL_PART_BYTES)
      throw new Error('The response comes in tiny parts.');
    return bytes;
  };
}

/** The bytes as they arrive. Rejects when they break off or are too many; leaving it closes the connection. */
export async function* limitedBytes(incoming: IncomingMessage, held: HeldBytes): AsyncGenerator<Buffer, undefined> {
  const count = partCounter(longestOf(incoming, LONGEST_STREAM_BYTES));
  const hold = held.of(incoming);
  let lineStart = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    const bytes = count(part);
    const end = part.lastIndexOf(NEWLINE);
    if (end >= 0) lineStart = bytes - part.length + end + 1;
    hold(bytes - lineStart);
    yield part;
  }
}

/** The text as it arrives, with the same limits. */
async function* piecesOf(incoming: IncomingMessage, held: HeldBytes): AsyncGenerator<string, void> {
  // Puts characters together that the network cut in two.
  const decoder = new TextDecoder();
  for await (const part of limitedBytes(incoming, held)) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

/**
 * The whole text, or the beginning of a failed call's. Rejects when it breaks off or is too long, which closes the
 * connection.
 */
export function textOf(incoming: IncomingMessage, held: HeldBytes): Promise<string> {
  const count = partCounter(longestOf(incoming, LONGEST_STREAMED_DOCUMENT_BYTES));
  const hold = held.of(incoming);
  const isFailure = (incoming.statusCode ?? 0) >= 300;
  const decoder = new TextDecoder();
  return new Promise((resolve, reject) => {
    const brokenOff = () => reject(incoming.errored ?? new Error('The response broke off.'));
    if (incoming.destroyed) return brokenOff();
    let text = '';
    incoming.on('data', (part: Buffer) => {
      try {
        hold(count(part));
      } catch (error) {
        incoming.destroy(error as Error);
        return;
      }
      if (!isFailure || text.length < READ_OF_FAILURE_CHARS) text += decoder.decode(part, { stream: true });
    });
    incoming.once('end', () => {
      incoming.off('close', brokenOff);
      const whole = text + decoder.decode();
      resolve(isFailure ? whole.slice(0, READ_OF_FAILURE_CHARS) : whole);
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

/** Reads the events of one stream. Throws for what makes no sense. */
export interface EventReader<T> {
  /** Gets the stream in pieces. */
  read(piece: string): T;
  end(): T;
  /** Nothing more is read. */
  readonly isComplete?: boolean;
}

/** What the events say, where they say anything. */
export async function* eventsOf<T extends { readonly length: number }>(
  incoming: IncomingMessage,
  held: HeldBytes,
  events: EventReader<T>,
): AsyncGenerator<T, void> {
  const pieces = piecesOf(incoming, held);
  for (let isOver = false; !isOver; ) {
    const { done, value } = await pieces.next();
    const said = done ? events.end() : events.read(value);
    isOver = done === true || events.isComplete === true;
    if (isOver && !done) void drain(pieces, incoming);
    if (said.length > 0) yield said;
  }
}

/** Reads on after a complete answer, so that a connection whose response ends by itself can be used again. */
async function drain(pieces: AsyncIterable<string>, incoming: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => incoming.destroy(), LAST_BYTES_MS);
  try {
    for await (const _ of pieces);
  } catch {
    // The answer is complete: how its connection ends makes no difference any more.
  } finally {
    clearTimeout(timer);
  }
}
