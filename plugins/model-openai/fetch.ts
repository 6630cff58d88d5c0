/** Implements `fetch` for the provider package over the kept connections. */
import type { IncomingMessage } from 'node:http';
import type { Connections } from './connections.ts';
import { isEventStream, piecesOf, pulledStream, textOf } from './response-body.ts';
import { filteredDocument, ResponsesFilter } from './responses-filter.ts';

/** Of the Responses API: replies come without what the package has no use for. */
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
  const next = isEventStream(incoming) ? eventsOf(incoming) : documentOf(incoming, status);
  const bytes = async () => {
    const text = await next();
    return text === undefined ? undefined : [Buffer.from(text)];
  };
  return new Response(empty ? null : pulledStream(bytes, incoming, 0), { status, headers });
}

/** Resolves to text that is not empty, as long as there is any. */
function eventsOf(incoming: IncomingMessage): () => Promise<string | undefined> {
  const pieces = piecesOf(incoming);
  const filter = new ResponsesFilter();
  let over = false;
  return async () => {
    while (!over) {
      const { done, value } = await pieces.next();
      over = done === true;
      const text = done ? filter.end() : filter.read(value);
      if (text !== '') return text;
    }
    return undefined;
  };
}

function documentOf(incoming: IncomingMessage, status: number): () => Promise<string | undefined> {
  let read = false;
  return async () => {
    if (read) return undefined;
    read = true;
    const text = await textOf(incoming);
    return status < 300 ? filteredDocument(text) : text;
  };
}
