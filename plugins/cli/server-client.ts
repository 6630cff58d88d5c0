/** Calls to a running server. */
import { AtlasError, type CliRun, messageOf } from '../../kernel/index.ts';

export interface QueryReply {
  readonly answer: string;
  /** Missing in the reply of an older server. */
  readonly outcome?: 'answered' | 'clarify' | 'declined' | 'failed';
  readonly notes?: readonly { readonly code: string; readonly message: string }[];
  readonly choices?: readonly { readonly label: string; readonly description?: string }[];
  readonly sql: readonly string[];
  readonly data: readonly {
    readonly columns: readonly string[];
    readonly rows: readonly Readonly<Record<string, unknown>>[];
    readonly truncated?: boolean;
  }[];
  readonly steps: number;
  readonly usage: { readonly totalTokens: number };
  readonly conversationId?: string;
  readonly pendingActions?: readonly {
    readonly id: string;
    readonly type: string;
    readonly target: string;
    readonly summary: string;
    readonly approveUrl: string;
  }[];
}

export interface Server {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

/** The address to ask. Throws without showing it, as it may hold a password. */
function serverUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AtlasError('SVC_API_URL is invalid: expected an http or https URL, such as http://localhost:3001.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new AtlasError('SVC_API_URL holds a user name or a password, which is not sent.', {
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

/** POSTs JSON and reads JSON. Every failure is an `AtlasError` with the server's own words where it gave any. */
export async function post<T>(server: Server, path: string, body: unknown): Promise<T> {
  const url = new URL(path, server.url.endsWith('/') ? server.url : `${server.url}/`);
  let response: Response;
  try {
    response = await fetch(url, {
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
  const text = await response.text();
  let reply: unknown;
  try {
    reply = JSON.parse(text);
  } catch (error) {
    throw new AtlasError(`${server.url} answered ${response.status} with something that is not JSON.`, {
      hint: 'Check that SVC_API_URL names an Atlas server.',
      cause: error,
    });
  }
  if (response.ok) return reply as T;
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
