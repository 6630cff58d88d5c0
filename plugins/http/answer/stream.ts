/** Sends an answer piece by piece, at the speed at which the client takes it. */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { type Logger, messagesOf, type RouteReply } from '../../../kernel/index.ts';
import type { Connections } from '../connections/connections.ts';
import { PIECE_BYTES } from './json.ts';

/** A client that takes everything at once must not keep the event loop to itself. */
const MAX_TURN_MS = 8;

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** `end`, or one more where it would cut a character that UTF-16 writes as a pair. */
function endOfCharacter(text: string, end: number): number {
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

/** One answer on its way. What of it is in memory and not yet sent is counted for its connection. */
class Sending {
  readonly #response: ServerResponse;
  readonly #connections: Connections;
  #since = performance.now();

  constructor(response: ServerResponse, connections: Connections) {
    this.#response = response;
    this.#connections = connections;
  }

  /** Resolves when there is room for more, or the client has left. */
  async write(text: string): Promise<void> {
    // Most events are so small that counting them is not worth it.
    if (text.length <= PIECE_BYTES) return this.#write(text);
    this.#hold(Buffer.byteLength(text));
    for (let at = 0; at < text.length; ) {
      const part = text.slice(at, endOfCharacter(text, at + PIECE_BYTES));
      await this.#write(part);
      if (this.#response.destroyed) return;
      this.#hold(-Buffer.byteLength(part));
      at += part.length;
    }
  }

  async writeAll(pieces: Buffer[]): Promise<void> {
    this.#hold(pieces.reduce((sum, { length }) => sum + length, 0));
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        const part = piece.subarray(at, at + PIECE_BYTES);
        await this.#write(part);
        if (this.#response.destroyed) return;
        this.#hold(-part.length);
      }
    }
  }

  #hold(bytes: number): void {
    this.#connections.hold(this.#response.req.socket, bytes);
  }

  async #write(part: string | Buffer): Promise<void> {
    if (this.#response.destroyed) return;
    if (!this.#response.write(part)) await drained(this.#response);
    if (performance.now() - this.#since < MAX_TURN_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}

/** Sends bytes that are all there, with their length. Empties the list as they go. */
export async function sendPieces(
  reply: FastifyReply,
  pieces: Buffer[],
  connections: Connections,
): Promise<FastifyReply> {
  const { raw: response, statusCode } = reply;
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  // Throws for a header that HTTP does not take, while an error can still be answered.
  response.writeHead(statusCode, { ...(reply.getHeaders() as Record<string, string>), 'content-length': size });
  reply.hijack();
  if (reply.request.method !== 'HEAD') await new Sending(response, connections).writeAll(pieces);
  response.end();
  return reply;
}

/**
 * Writes the stream straight to the socket: what is there at once leaves together with the headers, in one packet.
 * Ends the stream when the client has left. A stream that throws cuts the connection, so that no client takes what came
 * for the whole.
 */
export async function sendStream(
  reply: FastifyReply,
  answer: RouteReply,
  connections: Connections,
  log: Logger,
): Promise<FastifyReply> {
  const response = reply.raw;
  const sending = new Sending(response, connections);
  reply.hijack();
  const flushing = setImmediate(() => response.flushHeaders());
  try {
    // Throws for a header that HTTP does not take.
    response.writeHead(answer.status ?? 200, {
      ...(reply.getHeaders() as Record<string, string>),
      ...answer.headers,
    });
    for await (const piece of answer.stream ?? []) {
      clearImmediate(flushing);
      if (response.destroyed) break;
      await sending.write(piece);
    }
    response.end();
  } catch (error) {
    if (!response.destroyed) {
      log.error({ error: messagesOf(error) }, 'A streamed answer broke off.');
    }
    response.destroy();
  } finally {
    clearImmediate(flushing);
  }
  return reply;
}
