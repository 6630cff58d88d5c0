/** Serves MCP over HTTP: the streamable transport, each request with a server of its own. */
import { createHash, randomUUID } from 'node:crypto';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { defineRoute, type Route, type RouteReply, type RouteRequest, type Scope, Type } from '../../kernel/index.ts';
import type { Changes } from '../changes/index.ts';
import type { RequestWindow } from '../shared-limits/index.ts';
import type { Sdk } from './sdk.ts';
import type { MakeServer } from './server.ts';

export interface HttpInit {
  readonly sdk: Sdk;
  readonly makeServer: MakeServer;
  /** Counts a call against the limit of requests. Rejects with `rate_limited`. */
  admit(route: Route, ip: string, scope: Scope): Promise<void>;
  /** Brings cancellations to the server that makes the call. */
  readonly changes: Changes | undefined;
  /** Limits those of a user that other servers are told of: each is a row, which all of them read. */
  readonly told: RequestWindow;
}

export const Message = Type.Unknown({ title: 'McpMessage', description: 'A JSON-RPC message of the protocol.' });

/** Event stream of the protocol. */
export const EVENTS = Type.String({
  contentMediaType: 'text/event-stream',
  description: 'Events of the protocol.',
});

const SESSION_HEADER = 'mcp-session-id';
const CANCELLED = 'mcp.cancelled';

interface Rpc {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/** Names a call among those of all clients; `undefined` for what no cancellation can name. */
function callKey(headers: RouteRequest['headers'], { actor, orgId }: Scope, id: unknown): string | undefined {
  const session = headers[SESSION_HEADER];
  if (session === undefined || id === undefined) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([actor.id, orgId, session, id]))
    .digest('base64url');
}

const userOf = ({ actor, orgId }: Scope) => JSON.stringify([actor.id, orgId]);

/** The scope goes with the request through the library, which hands on what it calls authentication. */
const authInfoOf = (scope: Scope) => ({ token: '', clientId: scope.actor.id ?? '', scopes: [], extra: { scope } });

export function streamableRoute({ sdk, makeServer, admit, changes, told }: HttpInit): Route {
  const handler = sdk.createMcpHandler(({ authInfo }) => {
    return makeServer(authInfo?.extra?.scope as Scope);
  });
  /** A cancellation is a request of its own. It knows its call by the session, which is nothing but a name. */
  const running = new Map<string, Scope>();
  changes?.subscribe(CANCELLED, (key = '') => running.get(key)?.abort(cancelledByClient()));
  const route = defineRoute({
    method: 'POST',
    path: '/mcp',
    operationId: 'mcp',
    summary: 'Serves clients of the Model Context Protocol.',
    tag: 'MCP',
    right: 'query',
    origins: 'own',
    body: Message,
    responses: {
      200: Type.Union([Message, EVENTS]),
      202: Type.Void({ description: 'Taken; no content.' }),
      400: Message,
    },
    errors: ['forbidden'],
    async handle(request, scope) {
      // The first call of a batch was counted as the request.
      const further = Array.isArray(request.body) ? request.body.slice(1) : [];
      for (const _ of further) await admit(route, request.ip, scope);
      const { id, method, params } = (request.body ?? {}) as Rpc;
      if (method === 'notifications/cancelled') {
        const cancelled = callKey(request.headers, scope, params?.requestId);
        const stopHere = running.get(cancelled ?? '');
        stopHere?.abort(cancelledByClient());
        const isElsewhere = cancelled !== undefined && stopHere === undefined;
        // Beyond the limit the call goes on to its end, as the protocol allows.
        if (isElsewhere && told.take(userOf(scope)) === 0) changes?.publish(CANCELLED, cancelled);
      }
      const call = scope.part();
      const key = callKey(request.headers, scope, id);
      if (key !== undefined) running.set(key, call);
      const done = () => {
        if (key !== undefined && running.get(key) === call) running.delete(key);
      };
      try {
        const reply = await replyOf(
          await handler.fetch(webRequest(request.headers, call), {
            parsedBody: request.body,
            authInfo: authInfoOf(call),
          }),
        );
        const session = method === 'initialize' && { [SESSION_HEADER]: randomUUID() };
        return { ...reply, headers: { ...reply.headers, ...session }, done };
      } catch (error) {
        done();
        throw error;
      }
    },
  });
  return route;
}

const cancelledByClient = () => new DOMException('The client has cancelled the call.', 'AbortError');

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
