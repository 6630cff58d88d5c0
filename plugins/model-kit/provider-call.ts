/**
 * Posts a request and reads its reply, as one document or as it arrives: what `fetch` does, without its headers, response
 * and stream objects.
 */
import type { IncomingMessage } from 'node:http';
import { APICallError } from '@ai-sdk/provider';
import type { Connections, RequestHeaders } from './connections.ts';
import { type EventReader, eventsOf, isEventStream, pulledStream, textOf } from './response-body.ts';

export interface ProviderCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal | undefined;
}

interface FailureReader {
  /** What a failed call says, and its document as an object. */
  failure(text: string): { readonly message: string; readonly data: unknown } | undefined;
}

export interface DocumentReader<T> extends FailureReader {
  /** Reads the document of a call that succeeded. Throws for what is no reply. */
  read(text: string): T;
}

export interface StreamReader<T> extends FailureReader {
  /** For one stream. */
  events(): EventReader<readonly T[]>;
  /** Reads a document that was sent where a stream was asked for. */
  document(text: string): readonly T[];
}

/** Rejects with an `APICallError`, as provider packages do, or with what ended the call before its response. */
export async function callForDocument<T>(
  connections: Connections,
  call: ProviderCall,
  reader: DocumentReader<T>,
): Promise<T> {
  const incoming = await posted(connections, call, reader);
  return whileReading(incoming, call, async () => reader.read(await textOf(incoming, connections.held)));
}

/** The same for a reply that is read as it arrives; `partsOf` makes of it what the stream gives. */
export async function callForStream<T, P>(
  connections: Connections,
  call: ProviderCall,
  reader: StreamReader<T>,
  partsOf: (replies: AsyncIterable<readonly T[]>) => AsyncIterable<readonly P[]>,
): Promise<ReadableStream<P>> {
  const incoming = await posted(connections, call, reader);
  const { held } = connections;
  async function* document(): AsyncGenerator<readonly T[]> {
    yield reader.document(await textOf(incoming, held));
  }
  const replies = isEventStream(incoming) ? eventsOf(incoming, held, reader.events()) : document();
  const parts = partsOf(replies)[Symbol.asyncIterator]();
  return pulledStream(() => whileReading(incoming, call, async () => (await parts.next()).value), incoming, 0);
}

/** The response of a call that succeeded. */
async function posted(connections: Connections, call: ProviderCall, reader: FailureReader): Promise<IncomingMessage> {
  const { url, headers, body, signal } = call;
  const incoming = await connections.send('POST', url, definedOf(headers), body, signal);
  const { statusCode = 0, statusMessage = '' } = incoming;
  if (statusCode < 300) return incoming;
  const text = await whileReading(incoming, call, () => textOf(incoming, connections.held));
  const { message = statusMessage, data } = reader.failure(text) ?? {};
  throw failureOf(incoming, url, message, { responseBody: text, data });
}

/** What fails in reading is a failure of the call, with its status, unless the call was aborted. */
async function whileReading<T>(incoming: IncomingMessage, { url, signal }: ProviderCall, read: () => Promise<T>) {
  try {
    return await read();
  } catch (cause) {
    if (signal?.aborted || APICallError.isInstance(cause)) throw cause;
    throw failureOf(incoming, url, 'The response could not be read.', { cause });
  }
}

function failureOf(
  incoming: IncomingMessage,
  url: URL,
  message: string,
  more: { readonly cause: unknown } | { readonly responseBody: string; readonly data: unknown },
): APICallError {
  return new APICallError({
    message,
    url: url.href,
    requestBodyValues: undefined,
    statusCode: incoming.statusCode ?? 0,
    responseHeaders: headersOf(incoming),
    ...more,
  });
}

function definedOf(headers: ProviderCall['headers']): RequestHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
