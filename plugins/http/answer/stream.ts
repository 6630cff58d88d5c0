/** Sends an answer piece by piece, at the speed at which the client takes it. */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { type Logger, messagesOf, type RouteReply } from '../../../kernel/index.ts';
import type { Connections } from '../connections/connections.ts';
import { isSmall, jsonBytes, jsonTexts, PIECE_BYTES, pieceTurns } from './json.ts';

/** Of small pieces, one after another. */
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

type JsonPiece = Exclude<Piece, string>;
type Piece = NonNullable<RouteReply['stream']> extends AsyncIterable<infer P> ? P : never;

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
    await this.#writeHeld(text);
  }

  /** The JSON, of so many bytes, is made as the client takes it. */
  async writeJson(value: unknown, bytes: number): Promise<void> {
    this.#hold(bytes);
    let left = bytes;
    for (const text of jsonTexts(value)) {
      await this.#writeHeld(text);
      if (this.#response.destroyed) return;
      left -= Buffer.byteLength(text);
      // After the last piece the client has its answer, and may send its next request.
      if (left > 0) await pieceTurns.next();
    }
  }

  /** An event around a value. */
  async writePiece({ before, json, after }: JsonPiece): Promise<void> {
    if (isSmall(json)) return this.write(`${before}${JSON.stringify(json) ?? 'null'}${after}`);
    await this.write(before);
    await this.writeJson(json, await jsonBytes(json, this.#response));
    await this.write(after);
  }

  async writeBytes(bytes: Buffer): Promise<void> {
    this.#hold(bytes.length);
    await this.#writeHeld(bytes);
  }

  /** In parts, each of which is no longer held once there is room for the next. */
  async #writeHeld(whole: string | Buffer): Promise<void> {
    for (let at = 0; at < whole.length; ) {
      const isText = typeof whole === 'string';
      const end = isText ? endOfCharacter(whole, at + PIECE_BYTES) : at + PIECE_BYTES;
      const part = isText ? whole.slice(at, end) : whole.subarray(at, end);
      await this.#write(part);
      // A closed connection has been forgotten with all that it held.
      if (this.#response.destroyed) return;
      this.#hold(-Buffer.byteLength(part));
      at = end;
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

/** Sends a value as JSON, or bytes, with their length. */
export async function sendLarge(
  reply: FastifyReply,
  body: { readonly json: unknown; readonly size: number } | { readonly bytes: Buffer },
  connections: Connections,
): Promise<FastifyReply> {
  const { raw: response, statusCode } = reply;
  const size = 'bytes' in body ? body.bytes.length : body.size;
  // Throws for a header that HTTP does not take, while an error can still be answered.
  response.writeHead(statusCode, { ...(reply.getHeaders() as Record<string, string>), 'content-length': size });
  reply.hijack();
  const sending = new Sending(response, connections);
  if (reply.request.method !== 'HEAD') {
    await ('bytes' in body ? sending.writeBytes(body.bytes) : sending.writeJson(body.json, size));
  }
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
      if (typeof piece === 'string') await sending.write(piece);
      else await sending.writePiece(piece);
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
