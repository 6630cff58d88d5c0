/** Implements `fetch` for provider packages over connections that are kept alive. */
import type { IncomingMessage } from 'node:http';
import type { Connections } from './connections.ts';
import type { RefusedFields } from './refused-fields.ts';
import {
  type EventReader,
  eventsOf,
  type HeldBytes,
  isEventStream,
  limitedBytes,
  pulledStream,
  textOf,
} from './response-body.ts';
import { wellFormedJson } from './well-formed-json.ts';

/** Rewrites replies before the package reads them. Throws for what is no reply. */
export interface ReplyFilter {
  /** For a stream of events; without it, it is read as a document. */
  events?(): EventReader<string>;
  /** For a whole document of a call that succeeded. */
  document(text: string): string;
  /** For the document of a call that failed. */
  failure?(text: string): string;
}

export interface FetchSettings {
  readonly filter?: ReplyFilter;
  /** Further fields of every JSON body. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Fields that the server has refused. */
  readonly refused?: RefusedFields;
}

export function fetchOver(connections: Connections, settings: FetchSettings = {}): typeof globalThis.fetch {
  const { filter, body: fields, refused } = settings;
  return async (input, init = {}) => {
    const given = (init.body ?? '') as string | Uint8Array;
    const sent = typeof given === 'string' ? wellFormedJson(given) : given;
    const isChanged = sent.length > 0 && (fields !== undefined || refused?.isEmpty === false);
    const body = isChanged ? changed(`${Buffer.from(sent)}`, fields, refused) : sent;
    const incoming = await connections.send(
      init.method ?? 'GET',
      new URL(input instanceof Request ? input.url : input),
      Object.fromEntries(new Headers(init.headers)),
      body,
      init.signal,
    );
    try {
      return responseFrom(incoming, connections.held, filter);
    } catch (error) {
      // A status that HTTP does not know.
      incoming.destroy();
      throw error;
    }
  };
}

function changed(sent: string, fields: FetchSettings['body'], refused: RefusedFields | undefined): string {
  const body = { ...JSON.parse(sent), ...fields };
  return JSON.stringify(refused === undefined ? body : refused.without(body));
}

function responseFrom(incoming: IncomingMessage, held: HeldBytes, filter: ReplyFilter | undefined): Response {
  const status = incoming.statusCode ?? 0;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const next = filter === undefined ? bytesOf(incoming, held) : filteredBytes(incoming, held, filter, status);
  // An empty document, which its reader refuses: without any the packages have words of their own.
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(pulledStream(next, incoming, 0), { status: isEmpty ? 200 : status, headers });
}

type Next = () => Promise<readonly Buffer[] | undefined>;

function bytesOf(incoming: IncomingMessage, held: HeldBytes): Next {
  const pieces = limitedBytes(incoming, held);
  return async () => {
    const { done, value } = await pieces.next();
    return done ? undefined : [value];
  };
}

function filteredBytes(incoming: IncomingMessage, held: HeldBytes, filter: ReplyFilter, status: number): Next {
  const events = status < 300 && isEventStream(incoming) ? filter.events?.() : undefined;
  const texts = events === undefined ? documentOf(incoming, held, filter, status) : eventsOf(incoming, held, events);
  return async () => {
    const { done, value } = await texts.next();
    return done ? undefined : [Buffer.from(value)];
  };
}

async function* documentOf(
  incoming: IncomingMessage,
  held: HeldBytes,
  filter: ReplyFilter,
  status: number,
): AsyncGenerator<string, void> {
  const text = await textOf(incoming, held);
  yield status < 300 ? filter.document(text) : (filter.failure?.(text) ?? text);
}
