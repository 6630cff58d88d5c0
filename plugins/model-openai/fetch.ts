/**
 * `fetch` for the provider package over Node's own HTTP client with connections kept alive: half the time and half the
 * memory of the global `fetch` for the small requests of a tool loop.
 */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** Rewrites a body while it arrives: given each piece of it, and in the end once more without one. */
export type Rewrite = (piece: string | undefined) => string;

export interface KeepAliveOptions {
  /** Send no `authorization` header, although the provider package insists on a key. */
  readonly anonymous: boolean;
  /** Makes a rewriter for the body of a successful response, or leaves it as it is. */
  readonly rewriterFor?: (contentType: string, requestBody: string) => Rewrite;
}

export interface KeepAlive {
  readonly fetch: typeof globalThis.fetch;
  close(): void;
}

/** Far more than a model ever answers; an endless body must not fill the memory. */
const LONGEST_BODY_BYTES = 32 * 1024 * 1024;
const IDLE_CONNECTION_MS = 30_000;

export function keepAlive(options: KeepAliveOptions): KeepAlive {
  const settings = {
    keepAlive: true,
    scheduling: 'lifo',
    timeout: IDLE_CONNECTION_MS,
    // Node's own switch: its global client goes through the proxy of the environment, and so does this one.
    ...(process.env.NODE_USE_ENV_PROXY === '1' && { proxyEnv: process.env }),
  } as const;
  const agents = { 'http:': new HttpAgent(settings), 'https:': new HttpsAgent(settings) };

  const send = (url: URL, init: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const body = String(init.body ?? '');
      // As bytes: Node writes them a good deal faster than it encodes text on the way out.
      const bytes = Buffer.from(body);
      const headers: Record<string, string | number> = {
        ...(init.headers as Record<string, string>),
        'accept-encoding': 'identity',
        'content-length': bytes.length,
      };
      if (options.anonymous) delete headers.authorization;
      const secure = url.protocol === 'https:';
      const request = (secure ? requestHttps : requestHttp)(url, {
        method: init.method ?? 'GET',
        headers,
        agent: secure ? agents['https:'] : agents['http:'],
        ...(init.signal && { signal: init.signal }),
      });
      request.on('error', reject);
      request.on('response', (incoming) => {
        try {
          resolve(responseFrom(incoming, body, options));
        } catch (error) {
          // A status that HTTP does not know.
          incoming.destroy();
          reject(error);
        }
      });
      request.end(bytes);
    });

  return {
    fetch: (input, init = {}) => send(new URL(input instanceof Request ? input.url : input), init),
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

function responseFrom(incoming: IncomingMessage, requestBody: string, { rewriterFor }: KeepAliveOptions): Response {
  const status = incoming.statusCode ?? 0;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const type = incoming.headers['content-type'] ?? '';
  const rewrite = status >= 200 && status < 300 ? rewriterFor?.(type, requestBody) : undefined;
  const empty = status === 204 || status === 205 || status === 304;
  if (empty) incoming.resume();
  return new Response(empty ? null : bodyOf(incoming, rewrite), { status, headers });
}

function bodyOf(incoming: IncomingMessage, rewrite: Rewrite | undefined): ReadableStream<Uint8Array> {
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Text is decoded here, where a character cut in two by the network is put together again.
      if (rewrite !== undefined) incoming.setEncoding('utf8');
      const fail = (error: unknown) => {
        controller.error(error);
        incoming.destroy();
      };
      const enqueue = (piece: Buffer | string) => {
        if (piece.length === 0) return;
        controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece);
        if ((controller.desiredSize ?? 1) <= 0) incoming.pause();
      };
      incoming.on('data', (piece: Buffer | string) => {
        bytes += piece.length;
        if (bytes > LONGEST_BODY_BYTES) return fail(new Error('The response is too long.'));
        try {
          enqueue(rewrite === undefined ? piece : rewrite(piece as string));
        } catch (error) {
          // A listener must not throw: a body that nobody expected would end the process.
          fail(error);
        }
      });
      incoming.on('end', () => {
        try {
          if (rewrite !== undefined) enqueue(rewrite(undefined));
          controller.close();
        } catch (error) {
          fail(error);
        }
      });
      incoming.on('error', fail);
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      incoming.destroy();
    },
  });
}
