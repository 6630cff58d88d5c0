/**
 * Requests over Node's own HTTP client with connections kept alive: half the time and half the memory of the global
 * `fetch` for the small requests of a tool loop.
 */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

export type RequestHeaders = Readonly<Record<string, string>>;

export interface Connections {
  /** Sends a body in pieces; resolves when the headers of the response are there, whatever its status. */
  send(
    method: string,
    url: URL,
    headers: RequestHeaders,
    body: readonly Buffer[],
    signal: AbortSignal | null | undefined,
  ): Promise<IncomingMessage>;
  close(): void;
}

/** Far more than a model ever answers; an endless body must not fill the memory. */
export const LONGEST_BODY_BYTES = 32 * 1024 * 1024;
const IDLE_CONNECTION_MS = 30_000;

export function keptConnections(): Connections {
  const settings = {
    keepAlive: true,
    scheduling: 'lifo',
    timeout: IDLE_CONNECTION_MS,
    // Node's own switch: its global client goes through the proxy of the environment, and so does this one.
    ...(process.env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: process.env }),
  } as const;
  const agents = { 'http:': new HttpAgent(settings), 'https:': new HttpsAgent(settings) };
  return {
    send: (method, url, headers, body, signal) =>
      new Promise((resolve, reject) => {
        const bytes = body.reduce((sum, piece) => sum + piece.length, 0);
        const secure = url.protocol === 'https:';
        const request = (secure ? requestHttps : requestHttp)(url, {
          method,
          headers: { ...headers, 'accept-encoding': 'identity', 'content-length': bytes },
          agent: secure ? agents['https:'] : agents['http:'],
          ...(signal && { signal }),
        });
        request.on('error', reject);
        request.on('response', resolve);
        // All pieces leave together, with the headers, once there is a connection.
        for (const piece of body) request.write(piece);
        request.end();
      }),
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

/** The whole body. Rejects when it breaks off or is longer than any answer. */
export function textOf(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    // A character that the network cut in two is put together again.
    incoming.setEncoding('utf8');
    incoming.on('data', (piece: string) => {
      text += piece;
      if (text.length > LONGEST_BODY_BYTES) incoming.destroy(new Error('The response is too long.'));
    });
    incoming.on('end', () => resolve(text));
    incoming.on('error', reject);
  });
}
