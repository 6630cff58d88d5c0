/** Sends requests to one coordinator, and to no other server: redirections are not followed. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookupOf } from '../../datasource-kit/index.ts';
import type { TrinoTarget } from '../url.ts';
import { HttpFault, PageTooLarge } from './fault.ts';

/** A page is held whole; coordinators make them of about one megabyte, and of one row at least. */
export const PAGE_LIMIT_BYTES = 8 * 1024 * 1024;
/** What gateways and busy coordinators answer: the protocol asks clients to try again after 50 to 100 milliseconds. */
const AGAIN = new Set([429, 502, 503, 504]);
const MAX_ATTEMPTS = 8;
const PAUSE_MS = 50;
/** A statement, and what ends it. */
const SOCKETS = 3;

/** A connection that had been used before was closed without an answer. */
class StaleSocket extends Error {}

export interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export class TrinoClient {
  /** Where everything is sent. */
  readonly origin: URL;
  readonly #agent: HttpAgent;
  readonly #tls: TrinoTarget['tls'];
  readonly #headers: Readonly<Record<string, string>>;

  /** `address`: one of the host's, to connect to. Nothing is connected yet. */
  constructor({ user, password, host, port, tls }: TrinoTarget, address?: string) {
    const options = {
      keepAlive: true,
      maxSockets: SOCKETS,
      ...(address !== undefined && { lookup: lookupOf(address) }),
    };
    this.#tls = tls;
    this.origin = new URL(
      `${tls === undefined ? 'http' : 'https'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`,
    );
    this.#agent = tls === undefined ? new HttpAgent(options) : new HttpsAgent({ ...options, ...tls });
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    this.#headers = {
      accept: 'application/json',
      'user-agent': 'atlas',
      'x-trino-user': user,
      'x-trino-source': 'atlas',
      // A password goes over an encrypted connection only.
      ...(tls !== undefined && password !== '' && { authorization: `Basic ${credentials}` }),
    };
  }

  /** The body of the answer with status 200 or 204, asked for again as the protocol says. Throws `HttpFault`. */
  async send(sent: Sent): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#sendOnce(sent);
      } catch (error) {
        // A server may close what idles in the moment in which it is used again.
        if (error instanceof StaleSocket && attempt === 1) continue;
        if (!(error instanceof HttpFault) || !AGAIN.has(error.status) || attempt === MAX_ATTEMPTS) throw error;
      }
      await sleep(PAUSE_MS * Math.min(attempt, 4) * (1 + Math.random()), undefined, { signal: sent.signal });
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #sendOnce({ method, url, headers, body, signal }: Sent): Promise<string> {
    signal.throwIfAborted();
    const answered = Promise.withResolvers<IncomingMessage>();
    const send = this.#tls === undefined ? requestHttp : requestHttps;
    const request = send(url, { method, agent: this.#agent, headers: { ...this.#headers, ...headers }, signal });
    request.on('response', answered.resolve).on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET';
      answered.reject(isStale ? new StaleSocket('socket hang up') : error);
    });
    request.end(body);
    const response = await answered.promise;
    try {
      const text = await textOf(response);
      if (response.statusCode !== 200 && response.statusCode !== 204) throw new HttpFault(response.statusCode ?? 0);
      return text;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      // One that has not been read to its end is not needed any more.
      if (!response.complete) response.destroy();
    }
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > PAGE_LIMIT_BYTES) throw new PageTooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
