/** `fetch` for the provider package, over the kept connections. */
import type { IncomingMessage } from 'node:http';
import { type Connections, LONGEST_BODY_BYTES } from './connections.ts';

export function fetchOver(connections: Connections): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const incoming = await connections.send(
      init.method ?? 'GET',
      new URL(input instanceof Request ? input.url : input),
      init.headers as Record<string, string>,
      [Buffer.from(String(init.body ?? ''))],
      init.signal,
    );
    try {
      return responseFrom(incoming);
    } catch (error) {
      // A status that HTTP does not know.
      incoming.destroy();
      throw error;
    }
  };
}

function responseFrom(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const empty = status === 204 || status === 205 || status === 304;
  if (empty) incoming.resume();
  return new Response(empty ? null : bodyOf(incoming), { status, headers });
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > LONGEST_BODY_BYTES) return void incoming.destroy(new Error('The response is too long.'));
        controller.enqueue(piece);
        if ((controller.desiredSize ?? 1) <= 0) incoming.pause();
      });
      incoming.on('end', () => controller.close());
      incoming.on('error', (error) => controller.error(error));
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      incoming.destroy();
    },
  });
}
