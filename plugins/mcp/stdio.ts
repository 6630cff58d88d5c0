/** Serves one MCP client over standard input and output. */
import type { Readable, Writable } from 'node:stream';
import { AtlasError, authAuthorize, authResolve, type PluginContext, type Scope } from '../../kernel/index.ts';
import type { MakeServer } from './server.ts';

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
  const transport = new StdioServerTransport(stdin, stdout);
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serve(() => makeServer(connection), {
    transport,
    onerror: (error) => ctx.log.warn({ error: error.message }, 'A message of the MCP client was not understood.'),
  });
  await ended;
  await handle.close();
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
