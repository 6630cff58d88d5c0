/** Calls to a server: one that runs, or the composition of the folder. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { AtlasError, type CliRun, Type } from '../../kernel/index.ts';
import type { Provenance, ValueFormats } from '../result-kit/index.ts';
import { printableLine } from './render.ts';

/** How an answer ended; a reply of an older server has none of it. */
export interface AnswerEnd {
  readonly outcome?: 'answered' | 'clarify' | 'declined' | 'failed';
  readonly notes?: readonly { readonly code: string; readonly message: string }[];
  readonly choices?: readonly { readonly label: string; readonly description?: string }[];
  readonly verified?: { readonly name: string; readonly by: string; readonly at: string };
  readonly pendingActions?: readonly {
    readonly id: string;
    readonly type: string;
    readonly target: string;
    readonly summary: string;
    readonly approveUrl: string;
  }[];
}

/** Who vouches for the statement that answered, for a terminal. */
export const verifiedLine = ({ name, by, at }: NonNullable<AnswerEnd['verified']>): string =>
  printableLine(`Verified by ${by} on ${at.slice(0, 10)}: ${name}`);

/** What is read of the reply to a question. */
export const QUERY_REPLY = Type.Object({
  answer: Type.String(),
  sql: Type.Array(Type.String()),
  data: Type.Array(
    Type.Object({
      columns: Type.Array(Type.String()),
      rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
      truncated: Type.Optional(Type.Boolean()),
      explanation: Type.Optional(Type.Object({ text: Type.String() })),
      readings: Type.Optional(Type.Object({ text: Type.String() })),
      provenance: Type.Optional(Type.Unsafe<Provenance>(Type.Object({ tables: Type.Array(Type.Unknown()) }))),
      formats: Type.Optional(Type.Unsafe<ValueFormats>(Type.Object({}))),
    }),
  ),
  steps: Type.Number(),
  usage: Type.Object({ totalTokens: Type.Number() }),
});

export type QueryReply = Static<typeof QUERY_REPLY> & AnswerEnd;

const FAILURE = Type.Object({
  error: Type.String({ pattern: '^[a-z_]+$' }),
  message: Type.String(),
  requestId: Type.Optional(Type.String()),
  details: Type.Optional(Type.Array(Type.Unknown())),
});

export interface Server {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
  /** How requests get there; default: over the network. */
  readonly send?: (url: URL, init: RequestInit) => Promise<Response>;
}

/** The address to ask. Throws without showing it, as it may hold a password; `name` is where it was given. */
export function serverUrl(text: string, name = 'SVC_API_URL'): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AtlasError(`${name} is invalid: expected an http or https URL, such as http://localhost:3001.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new AtlasError(`${name} holds a user name or a password, which is not sent.`, {
      hint: 'Leave them out, and give the key of the server in SVC_API_KEY.',
    });
  }
  return text;
}

/** The server that the environment names: SVC_API_URL, or the one that this machine runs on PORT. */
export function serverOf({ env, signal }: Pick<CliRun, 'env' | 'signal'>): Server {
  return {
    url: serverUrl(env.SVC_API_URL || `http://localhost:${/^[1-9]\d*$/.exec(env.PORT ?? '') ?? 3001}`),
    apiKey: env.SVC_API_KEY || undefined,
    signal,
  };
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** POSTs JSON; resolves to an answer that is no failure. Fails as `post` does. */
export const postForStream = (server: Server, path: string, body: unknown): Promise<Response> =>
  responseTo(server, { method: 'POST', path, body });

/** GETs; resolves to an answer that is no failure. Fails as `post` does. */
export const getForStream = (server: Server, path: string): Promise<Response> =>
  responseTo(server, { method: 'GET', path });

async function responseTo(server: Server, { method, path, body }: Call): Promise<Response> {
  const url = new URL(path, server.url.endsWith('/') ? server.url : `${server.url}/`);
  const send = server.send ?? fetch;
  let response: Response;
  try {
    response = await send(url, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: server.signal,
    });
  } catch (error) {
    if (server.signal.aborted) throw new AtlasError('Cancelled.', { cause: error });
    throw new AtlasError(`No server answers at ${server.url}.`, {
      hint: 'Start one with "atlas serve", or name another in SVC_API_URL.',
      cause: error,
    });
  }
  if (response.ok) return response;
  const { error, message, requestId, details } = await readJson(server, response, FAILURE);
  throw new AtlasError(`${message} (${error}${requestId === undefined ? '' : `, request ${requestId}`})`, {
    code: error,
    details,
  });
}

/** For a reply that no Atlas server gives: HTML, a list, another object. */
export function notAtlas({ url }: Server, { status }: Response, cause?: unknown): AtlasError {
  return new AtlasError(`${url} does not answer as an Atlas server does (status ${status}).`, {
    hint: 'Check that SVC_API_URL, or PORT without it, names an Atlas server, and that no proxy answers in its place.',
    cause,
  });
}

async function readJson<T extends TSchema>(server: Server, response: Response, schema: T): Promise<Static<T>> {
  const text = await response.text().catch((error: unknown) => {
    const message = server.signal.aborted ? 'Cancelled.' : `The answer of ${server.url} broke off.`;
    throw new AtlasError(message, { cause: error });
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notAtlas(server, response, error);
  }
  if (!Value.Check(schema, value)) throw notAtlas(server, response);
  return value;
}

/**
 * POSTs JSON and reads JSON. Every failure is an `AtlasError`, with the server's own words where it gave any. `schema`
 * has what is read of the reply: what does not fit it is not of Atlas.
 */
export async function post<T extends TSchema>(
  server: Server,
  path: string,
  body: unknown,
  schema: T,
): Promise<Static<T>> {
  return readJson(server, await postForStream(server, path, body), schema);
}

/** The same by another method. */
export async function request<T extends TSchema>(server: Server, call: Call, schema: T): Promise<Static<T>> {
  return readJson(server, await responseTo(server, call), schema);
}
