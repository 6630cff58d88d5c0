/** Posts a request and reads its reply as one document: what `fetch` does, without its headers, response and stream objects. */
import type { IncomingMessage } from 'node:http';
import { APICallError } from '@ai-sdk/provider';
import type { Connections, RequestHeaders } from './connections.ts';
import { textOf } from './response-body.ts';

export interface DocumentCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal | undefined;
}

export interface DocumentReader<T> {
  /** Reads the document of a call that succeeded. Throws for what is no reply. */
  read(text: string): T;
  /** What a failed call says, and its document as an object. */
  failure(text: string): { readonly message: string; readonly data: unknown } | undefined;
}

/** Rejects with an `APICallError`, as provider packages do, or with what ended the call before its response. */
export async function callForDocument<T>(
  connections: Connections,
  { url, headers, body, signal }: DocumentCall,
  reader: DocumentReader<T>,
): Promise<T> {
  const incoming = await connections.send('POST', url, definedOf(headers), body, signal);
  const { statusCode = 0, statusMessage = '' } = incoming;
  const error = (message: string, more: { cause: unknown } | { responseBody: string; data: unknown }) =>
    new APICallError({
      message,
      url: url.href,
      requestBodyValues: undefined,
      statusCode,
      responseHeaders: headersOf(incoming),
      ...more,
    });
  let text: string;
  try {
    text = await textOf(incoming, connections.held);
    if (statusCode < 300) return reader.read(text);
  } catch (cause) {
    if (signal?.aborted || APICallError.isInstance(cause)) throw cause;
    throw error('The response could not be read.', { cause });
  }
  const { message = statusMessage, data } = reader.failure(text) ?? {};
  throw error(message, { responseBody: text, data });
}

function definedOf(headers: DocumentCall['headers']): RequestHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
