/** Sending an answer piece by piece, at the speed at which the client takes it. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type Logger, messagesOf, type RouteReply } from '../../kernel/index.ts';

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

/**
 * Writes the stream straight to the socket: the first piece leaves together with the headers, in one packet. Ends
 * the stream when the client has left. A stream that throws cuts the connection, so that nobody takes what came for
 * the whole.
 */
export async function sendStream(reply: FastifyReply, answer: RouteReply, log: Logger): Promise<void> {
  const response = reply.raw;
  reply.hijack();
  try {
    // Throws for a header that HTTP does not take.
    response.writeHead(answer.status ?? 200, {
      ...(reply.getHeaders() as Record<string, string>),
      ...answer.headers,
    });
    for await (const piece of answer.stream ?? []) {
      if (response.destroyed) break;
      if (!response.write(piece)) await drained(response);
    }
    response.end();
  } catch (error) {
    if (!response.destroyed) {
      log.error({ error: messagesOf(error) }, 'A streamed answer broke off.');
    }
    response.destroy();
  }
}
