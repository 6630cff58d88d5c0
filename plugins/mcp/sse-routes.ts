/** Serves MCP clients of the older protocol, whose messages come by POST and whose answers go into one event stream. */
import { createHash, randomUUID } from 'node:crypto';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { AtlasError, defineRoute, type Route, type Scope, Type } from '../../kernel/index.ts';
import { addressKey } from '../http/index.ts';
import { EVENTS, type HttpInit, Message } from './http-routes.ts';
import type { SharedStreams } from './shared-streams.ts';

const MAX_SESSIONS = 100;
/** Limit for one user, or for one address where requests carry no user. */
const MAX_SESSIONS_OF_CALLER = 20;
/** Limit for the messages that wait for a client to take them. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** Limit for those that wait for all clients: beyond it the client that has left most unread is cut off. */
const MAX_ALL_WAITING_BYTES = 32 * 1024 * 1024;
const PING_MS = 15_000;

/** One event stream. It lasts until its client leaves or the server stops. */
class SseSession implements Transport {
  readonly id = randomUUID();
  readonly scope: Scope;
  /** Whose share of the streams it takes. */
  readonly caller: string;
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #onWaiting: () => void;
  readonly #waiting: string[];
  #waitingBytes = 0;
  #wake: () => void = () => {};
  #isClosed = false;

  /** `onWaiting` is called when another message waits. */
  constructor(scope: Scope, caller: string, path: string, onWaiting: () => void) {
    this.scope = scope;
    this.caller = caller;
    this.#onWaiting = onWaiting;
    this.#waiting = [`event: endpoint\ndata: ${path}?sessionId=${this.id}\n\n`];
    scope.signal.addEventListener('abort', () => void this.close(), { once: true });
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    const event = `event: message\ndata: ${JSON.stringify(message)}\n\n`;
    this.#waiting.push(event);
    this.#waitingBytes += Buffer.byteLength(event);
    if (this.#waitingBytes > MAX_WAITING_BYTES) await this.close();
    this.#onWaiting();
    this.#wake();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#wake();
    this.onclose?.();
  }

  async *events(): AsyncGenerator<string> {
    while (!this.#isClosed) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#waitingBytes -= Buffer.byteLength(next);
        yield next;
      } else if (await this.#isQuiet()) yield ': ping\n\n';
    }
  }

  /** Resolves to true when nothing was sent for as long as proxies wait at most. */
  #isQuiet(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), PING_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }
}

const MESSAGES = '/sse/messages';

export interface SseRoutes {
  readonly routes: Route[];
  /** Ends all event streams. */
  close(): Promise<void>;
}

interface SseInit extends Pick<HttpInit, 'sdk' | 'makeServer'> {
  /** Brings messages that other servers get; without it they have to reach the server that has the stream. */
  readonly shared?: SharedStreams | undefined;
}

export function sseRoutes(init: SseInit): SseRoutes {
  const { makeServer, shared } = init;
  const sessions = new Map<string, SseSession>();
  const boundWaiting = () => {
    const all = [...sessions.values()];
    const bytes = all.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
    if (bytes <= MAX_ALL_WAITING_BYTES) return;
    void all.reduce((most, session) => (session.waitingBytes > most.waitingBytes ? session : most)).close();
  };
  const stream = defineRoute({
    method: 'GET',
    path: '/sse',
    operationId: 'mcpEventStream',
    summary: 'Opens the event stream of an older client of the Model Context Protocol.',
    tag: 'MCP',
    right: 'query',
    origins: 'own',
    responses: { 200: EVENTS },
    errors: ['forbidden', 'overloaded'],
    async handle({ ip }, scope) {
      if (sessions.size >= MAX_SESSIONS) {
        throw new AtlasError('Too many event streams of MCP clients are open.', {
          code: 'overloaded',
          retryAfterSeconds: 60,
          hint: 'Close some, or use the newer transport at /mcp, which needs none.',
        });
      }
      const caller = scope.actor.id === null ? `address ${addressKey(ip)}` : `user ${scope.actor.id}`;
      if ([...sessions.values()].filter((open) => open.caller === caller).length >= MAX_SESSIONS_OF_CALLER) {
        throw new AtlasError(`More than ${MAX_SESSIONS_OF_CALLER} event streams of yours are open.`, {
          code: 'rate_limited',
          retryAfterSeconds: 60,
          hint: 'Close some, or use the newer transport at /mcp, which needs none.',
        });
      }
      const session = new SseSession(scope, caller, MESSAGES, boundWaiting);
      // Before anything is awaited: streams that are opened at once count, too.
      sessions.set(session.id, session);
      try {
        await (await makeServer(scope)).connect(session);
        // Its first message may reach another server as soon as the client knows of the stream.
        await shared?.hold({
          id: session.id,
          owner: callerOf(scope),
          receive: (message) => session.onmessage?.(message),
        });
      } catch (error) {
        sessions.delete(session.id);
        throw error;
      }
      return {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
        stream: session.events(),
        done() {
          sessions.delete(session.id);
          shared?.letGo(session.id);
          void session.close();
        },
      };
    },
  });
  const messages = defineRoute({
    method: 'POST',
    path: MESSAGES,
    operationId: 'mcpEventStreamMessage',
    summary: 'Takes a message of an older client of the Model Context Protocol; the answer goes into its event stream.',
    tag: 'MCP',
    right: 'query',
    origins: 'own',
    query: Type.Object({ sessionId: Type.String({ format: 'uuid', description: 'Named by the event stream.' }) }),
    body: Message,
    responses: { 202: Type.Void({ description: 'Taken; no content.' }) },
    errors: ['forbidden', 'not_found', 'invalid_request', 'unavailable'],
    async handle({ query, body }, scope) {
      const session = sessions.get(query.sessionId);
      const owner = callerOf(scope);
      // A stream answers the user who opened it, with the rights of then, and nobody else.
      if (session !== undefined && callerOf(session.scope) === owner) session.onmessage?.(messageOf(init, body));
      else if (!(await shared?.pass(query.sessionId, owner, messageOf(init, body), scope.signal))) {
        throw new AtlasError('There is no such event stream.', { code: 'not_found', hint: 'Open one with GET /sse.' });
      }
      return { status: 202 };
    },
  });
  return {
    routes: [stream, messages],
    close: async () => void (await Promise.all([...sessions.values()].map((session) => session.close()))),
  };
}

const callerOf = ({ actor: { id, role, rights }, orgId }: Scope) =>
  createHash('sha256')
    .update(JSON.stringify([id, orgId, role, rights]))
    .digest('base64url');

function messageOf({ sdk }: Pick<SseInit, 'sdk'>, body: unknown): JSONRPCMessage {
  try {
    return sdk.parseJSONRPCMessage(body);
  } catch (cause) {
    throw new AtlasError('The body is not a JSON-RPC message.', { code: 'invalid_request', cause });
  }
}
