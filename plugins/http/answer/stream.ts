/** Sends an answer piece by piece, at the speed at which the client takes it. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import { type Logger, messagesOf, type RouteReply } from '../../../kernel/index.ts';
import { isSmall, jsonPieces } from './json.ts';

/** More than a response has beside this pipeline. */
const MAX_LISTENERS = 20;

type Pieces = NonNullable<RouteReply['stream']>;
type Texts = AsyncIterable<string | Uint8Array>;

/** Throws for a header that HTTP does not take, while an error can still be answered. */
function begin(reply: FastifyReply, status: number, headers?: RouteReply['headers']): void {
  const { raw: response } = reply;
  try {
    response.writeHead(status, { ...(reply.getHeaders() as Record<string, string>), ...headers });
  } catch (error) {
    // The error has a status of its own.
    response.statusMessage = '';
    throw error;
  }
  reply.hijack();
}

/** Writes the texts as the client takes them. What breaks off is cut off, so that no client takes it for the whole. */
async function write({ raw: response }: FastifyReply, texts: Texts | Iterable<string>, log: Logger) {
  const giveUp = (error: unknown) => {
    // Its client has left.
    if (response.destroyed) return;
    log.error({ error: messagesOf(error) }, 'An answer broke off.');
    response.destroy();
  };
  async function* whole() {
    try {
      yield* texts;
    } catch (error) {
      giveUp(error);
    }
  }
  // An injected response emits `drain` with a number, which a generator in a pipeline takes for an error. A pipeline from
  // a stream listens for the end in more ways.
  response.setMaxListeners(MAX_LISTENERS);
  await pipeline(Readable.from(whole(), { highWaterMark: 1 }), response).catch(giveUp);
}

/** Sends a value as JSON; its client may leave meanwhile. */
export async function sendLarge(reply: FastifyReply, body: unknown, log: Logger): Promise<FastifyReply> {
  begin(reply, reply.statusCode);
  if (reply.request.method === 'HEAD') reply.raw.end();
  else await write(reply, jsonPieces(body), log);
  return reply;
}

/** The texts of a stream, in which values are written as JSON. */
async function* textsOf(pieces: Pieces): AsyncGenerator<string | Uint8Array> {
  for await (const piece of pieces) {
    if (typeof piece === 'string' || piece instanceof Uint8Array) yield piece;
    else if (isSmall(piece.json)) yield `${piece.before}${JSON.stringify(piece.json) ?? 'null'}${piece.after}`;
    else {
      yield piece.before;
      yield* jsonPieces(piece.json);
      yield piece.after;
    }
  }
}

/** Sends a stream: what is there at once leaves together with the headers, in one packet. */
export async function sendStream(
  reply: FastifyReply,
  { stream, status = 200, headers }: RouteReply & { readonly stream: Pieces },
  log: Logger,
): Promise<FastifyReply> {
  begin(reply, status, headers);
  const flushing = setImmediate(() => reply.raw.flushHeaders());
  async function* texts() {
    for await (const text of textsOf(stream)) {
      clearImmediate(flushing);
      yield text;
    }
  }
  await write(reply, texts(), log).finally(() => clearImmediate(flushing));
  return reply;
}
