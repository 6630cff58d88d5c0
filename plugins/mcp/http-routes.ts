/** Serves MCP over HTTP: the streamable transport, each request with a server of its own and no session. */
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { defineRoute, type Route, type RouteReply, type RouteRequest, type Scope, Type } from '../../kernel/index.ts';
import { checkHost } from './host-check.ts';
import type { MakeServer, Sdk } from './server.ts';

export interface HttpInit {
  readonly sdk: Sdk;
  readonly makeServer: MakeServer;
  readonly allowedHosts: readonly string[];
}

export const Message = Type.Unknown({ title: 'McpMessage', description: 'A JSON-RPC message of the protocol.' });

/** The scope goes with the request through the library, which hands on what it calls authentication. */
const authInfoOf = (scope: Scope) => ({ token: '', clientId: scope.actor.id ?? '', scopes: [], extra: { scope } });

export function streamableRoute({ sdk, makeServer, allowedHosts }: HttpInit): Route {
  const handler = sdk.createMcpHandler(({ authInfo }) => {
    const scope = authInfo?.extra?.scope as Scope;
    return makeServer(() => scope);
  });
  return defineRoute({
    method: 'POST',
    path: '/mcp',
    operationId: 'mcp',
    summary: 'Serves clients of the Model Context Protocol.',
    tag: 'MCP',
    right: 'query',
    body: Message,
    responses: { 200: Message, 202: Message },
    errors: ['forbidden'],
    async handle(request, scope) {
      checkHost(request.headers, allowedHosts);
      return replyOf(
        await handler.fetch(webRequest(request.headers, scope), {
          parsedBody: request.body,
          authInfo: authInfoOf(scope),
        }),
      );
    },
  });
}

function webRequest(headers: RouteRequest['headers'], { signal }: Scope): Request {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === 'content-length' ? [] : [[name, String(value)]],
  );
  return new Request('http://localhost/mcp', { method: 'POST', headers: sent, signal });
}

async function replyOf(response: Awaited<ReturnType<McpHttpHandler['fetch']>>): Promise<RouteReply> {
  const { status, body } = response;
  const type = response.headers.get('content-type');
  const headers = type === null ? {} : { 'content-type': type };
  if (body === null) return { status };
  if (type?.startsWith('text/event-stream')) {
    return { status, headers, stream: body.pipeThrough(new TextDecoderStream()) };
  }
  return { status, headers, body: await response.text() };
}
