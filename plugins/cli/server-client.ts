/** Calls to a server: one that runs, or the composition of the folder. */
import { AtlasError, type CliRun, messageOf } from '../../kernel/index.ts';

/** How an answer ended; a reply of an older server has none of it. */
export interface AnswerEnd {
  readonly outcome?: 'answered' | 'clarify' | 'declined' | 'failed';
  readonly notes?: readonly { readonly code: string; readonly message: string }[];
  readonly choices?: readonly { readonly label: string; readonly description?: string }[];
  readonly pendingActions?: readonly {
    readonly id: string;
    readonly type: string;
    readonly target: string;
    readonly summary: string;
    readonly approveUrl: string;
  }[];
}

export interface QueryReply extends AnswerEnd {
  readonly answer: string;
  readonly sql: readonly string[];
  readonly data: readonly {
    readonly columns: readonly string[];
    readonly rows: readonly Readonly<Record<string, unknown>>[];
    readonly truncated?: boolean;
  }[];
  readonly steps: number;
  readonly usage: { readonly totalTokens: number };
  readonly conversationId?: string;
}

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

/** POSTs JSON; resolves to an answer that is no failure. Fails as `post` does. */
export async function postForStream(server: Server, path: string, body: unknown): Promise<Response> {
  const url = new URL(path, server.url.endsWith('/') ? server.url : `${server.url}/`);
  const send = server.send ?? fetch;
  let response: Response;
  try {
    response = await send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` }),
      },
      body: JSON.stringify(body),
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
  const reply = await jsonOf(server, response);
  const { error, message, requestId, details } = reply as {
    error?: string;
    message?: string;
    requestId?: string;
    details?: readonly unknown[];
  };
  throw new AtlasError(
    `${message ?? messageOf(reply)} (${error ?? response.status}${requestId === undefined ? '' : `, request ${requestId}`})`,
    error === undefined ? {} : { code: error, details },
  );
}

async function jsonOf({ url }: Server, response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AtlasError(`${url} answered ${response.status} with something that is not JSON.`, {
      hint: 'Check that SVC_API_URL names an Atlas server.',
      cause: error,
    });
  }
}

/** POSTs JSON and reads JSON. Every failure is an `AtlasError` with the server's own words where it gave any. */
export async function post<T>(server: Server, path: string, body: unknown): Promise<T> {
  return (await jsonOf(server, await postForStream(server, path, body))) as T;
}
