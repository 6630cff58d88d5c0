/** Serves one MCP client over standard input and output. */
import { Readable, type Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { AtlasError, authAuthorize, authResolve, type PluginContext, type Scope } from '../../kernel/index.ts';
import type { MakeServer } from './server.ts';

/** How long calls may go on once the client has closed its end, so that piped calls are answered. */
const LAST_ANSWERS_MS = 5000;
const POLL_MS = 20;

export interface StdioRequest {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Key or token of the user, where the composition authenticates. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

/** Resolves when the client has closed its end, or at the signal. */
export async function serveStdio(ctx: PluginContext, makeServer: MakeServer, request: StdioRequest): Promise<void> {
  const { stdin, stdout, token, signal } = request;
  const { StdioServerTransport, serveStdio: serve } = await import('@modelcontextprotocol/server/stdio');
  const connection = await authenticated(ctx, token, signal);
  const unanswered = new Set<unknown>();
  const transport = new StdioServerTransport(Readable.from(untilAnswered(stdin, unanswered)), stdout);
  const handle = serve(() => makeServer(connection), {
    transport,
    onerror: (error) => ctx.log.warn({ error: error.message }, 'A message of the MCP client was not understood.'),
  });
  const { onmessage, onclose } = transport;
  const send = transport.send.bind(transport);
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message) unanswered.add(message.id);
    // A cancelled call has no answer.
    else if ('method' in message && message.method === 'notifications/cancelled') {
      unanswered.delete(message.params?.requestId);
    }
    onmessage?.(message);
  };
  transport.send = async (message) => {
    await send(message);
    if (!('method' in message)) unanswered.delete(message.id);
  };
  // Closes at the end of input, at a line that is too long, and when the client no longer reads.
  await new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await handle.close();
}

/** The input, which ends once its calls have been answered, or have had their time. */
async function* untilAnswered(stdin: Readable, unanswered: ReadonlySet<unknown>): AsyncGenerator<Buffer> {
  yield* stdin;
  // The last lines have not been taken yet.
  await setImmediate();
  const until = performance.now() + LAST_ANSWERS_MS;
  while (unanswered.size > 0 && performance.now() < until) await setTimeout(POLL_MS);
}

/** The user is who the API would take the token for. */
async function authenticated(ctx: PluginContext, token: string | undefined, signal: AbortSignal): Promise<Scope> {
  const scope = ctx.scope({ signal });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const credentials = { method: 'POST', route: '/mcp', headers, ip: '127.0.0.1' };
  const identity = await ctx.call(authResolve, credentials, scope);
  if (identity === undefined) {
    throw new AtlasError(token === undefined ? 'This server needs a key or token.' : 'The key or token is not valid.', {
      code: 'configuration_error',
      reason: 'E_MCP_TOKEN',
      hint: 'Set SVC_API_KEY to your key or token.',
    });
  }
  scope.identify(identity.actor, identity.orgId);
  await ctx.call(authAuthorize, { right: 'query', operation: 'atlas mcp' }, scope);
  return scope;
}
