/**
 * Sends requests over Node's own HTTP client with connections kept alive: half the time and half the memory of the global
 * `fetch` for the small requests of a tool loop.
 */
import type { ClientRequestArgs, IncomingMessage, Agent as PlainAgent } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { HeldBytes } from './response-body.ts';

// Not imported: the names that an import takes include those for which Node loads its WebSocket client, 50 ms at a start.
const { Agent: HttpAgent, request: requestHttp } = process.getBuiltinModule('node:http');

export type RequestHeaders = Readonly<Record<string, string>>;

export interface Connections {
  /** Bytes of the responses that are being read. */
  readonly held: HeldBytes;
  /** Resolves when the headers of the response are there, whatever its status. */
  send(
    method: string,
    url: URL,
    headers: RequestHeaders,
    body: string | Uint8Array,
    signal: AbortSignal | null | undefined,
  ): Promise<IncomingMessage>;
  /** Closes idle connections; one in use ends with its response. */
  close(): void;
}

export interface ConnectionsInit {
  /** Says how to resolve the name of a URL, or throws where it may not be called. No proxy is used then. */
  readonly guard?: ((url: URL) => LookupFunction) | undefined;
}

const IDLE_CONNECTION_MS = 30_000;
/** Responses such as 100 and 103 that may come before the one that answers; each costs time, and they need never end. */
const MAX_INFORMATIONAL = 16;

/**
 * Keeps errors of the agent's sockets from becoming uncaught: between two requests, and while one that was aborted gives
 * its socket back, Node itself does not listen on it. Requests learn of such errors all the same.
 */
function withQuietSockets<A extends PlainAgent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    socket?.on('error', () => {});
    return socket;
  };
  return agent;
}

export function keptConnections({ guard }: ConnectionsInit = {}): Connections {
  const settings = {
    keepAlive: true,
    scheduling: 'lifo',
    timeout: IDLE_CONNECTION_MS,
    // Node's own switch: its global client goes through the proxy of the environment, and so does this one.
    ...(guard === undefined && process.env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: process.env }),
  } as const;
  const agents = {
    'http:': withQuietSockets(new HttpAgent(settings)),
    'https:': withQuietSockets(new HttpsAgent(settings)),
  };
  const targets = new WeakMap<URL, ClientRequestArgs>();
  const targetOf = (url: URL): ClientRequestArgs => {
    let target = targets.get(url);
    if (target === undefined) {
      const agent = url.protocol === 'https:' ? agents['https:'] : agents['http:'];
      target = { ...urlToHttpOptions(url), agent, ...(guard !== undefined && { lookup: guard(url) }) };
      targets.set(url, target);
    }
    return target;
  };
  return {
    held: new HeldBytes(),
    send: (method, url, headers, body, signal) =>
      new Promise((resolve, reject) => {
        const request = (url.protocol === 'https:' ? requestHttps : requestHttp)({
          ...targetOf(url),
          method,
          headers: { ...headers, 'accept-encoding': 'identity', 'content-length': Buffer.byteLength(body) },
        });
        request.on('error', reject);
        // Node's own option `signal` watches the request with a dozen listeners, a quarter of what it costs.
        const abort = () => request.destroy(new DOMException('The request was aborted.', 'AbortError'));
        if (signal?.aborted) abort();
        signal?.addEventListener('abort', abort);
        request.on('close', () => {
          signal?.removeEventListener('abort', abort);
          // Nothing else tells of a server that switches protocols.
          if (!isAnswered) reject(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' }));
        });
        let informational = 0;
        request.on('information', () => {
          informational += 1;
          // Responses that were read with it are still reported after the request is destroyed.
          if (informational === MAX_INFORMATIONAL + 1)
            request.destroy(new Error('There are too many informational responses.'));
        });
        let isAnswered = false;
        request.on('response', (incoming) => {
          isAnswered = true;
          // A connection that breaks before or after it is read must not become an uncaught error.
          incoming.on('error', () => {});
          resolve(incoming);
        });
        request.end(body);
      }),
    close() {
      for (const agent of Object.values(agents)) {
        agent.maxFreeSockets = 0;
        for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
        for (const used of Object.values(agent.sockets).flat()) used?.unref();
      }
    },
  };
}
