/** Sends an answer piece by piece, at the speed at which the client takes it. */
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { type Logger, messagesOf, type RouteReply } from '../../../kernel/index.ts';
import { isSmall, jsonPieces } from './json.ts';

type Pieces = NonNullable<RouteReply['stream']>;

const headersOf = (reply: FastifyReply) => reply.getHeaders() as Record<string, string>;

/** Sends a value as JSON; its client may leave meanwhile. */
export async function sendLarge(reply: FastifyReply, body: unknown): Promise<FastifyReply> {
  const response = reply.raw;
  // Throws for a header that HTTP does not take, while an error can still be answered.
  response.writeHead(reply.statusCode, headersOf(reply));
  reply.hijack();
  if (reply.request.method === 'HEAD') response.end();
  else await pipeline(jsonPieces(body), response).catch(() => response.destroy());
  return reply;
}

/** The texts of a stream, in which values are written as JSON. */
async function* textsOf(pieces: Pieces): AsyncGenerator<string> {
  for await (const piece of pieces) {
    if (typeof piece === 'string') yield piece;
    else if (isSmall(piece.json)) yield `${piece.before}${JSON.stringify(piece.json) ?? 'null'}${piece.after}`;
    else {
      yield piece.before;
      yield* jsonPieces(piece.json);
      yield piece.after;
    }
  }
}

/**
 * Writes the stream straight to the socket: what is there at once leaves together with the headers, in one packet.
 * Ends the stream when the client has left. A stream that throws cuts the connection, so that no client takes what came
 * for the whole.
 */
export async function sendStream(
  reply: FastifyReply,
  { stream, status = 200, headers }: RouteReply & { readonly stream: Pieces },
  log: Logger,
): Promise<FastifyReply> {
  const response = reply.raw;
  reply.hijack();
  const flushing = setImmediate(() => response.flushHeaders());
  const giveUp = (error: unknown) => {
    if (response.destroyed) return;
    log.error({ error: messagesOf(error) }, 'A streamed answer broke off.');
    response.destroy();
  };
  async function* texts() {
    try {
      for await (const text of textsOf(stream)) {
        clearImmediate(flushing);
        yield text;
      }
    } catch (error) {
      giveUp(error);
    }
  }
  try {
    response.writeHead(status, { ...headersOf(reply), ...headers });
    await pipeline(texts, response);
  } catch (error) {
    // A header that HTTP does not take, or a client that has left.
    giveUp(error);
  } finally {
    clearImmediate(flushing);
  }
  return reply;
}
