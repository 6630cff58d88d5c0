/** Sends requests to one server, and to no other: redirections are not followed. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookupOf } from '../server/addresses.ts';
import type { UrlTls } from '../url/server-url.ts';
import { PartTooLarge } from './answer-faults.ts';

/** A connection that had been used before was closed without an answer: a server may close what idles. */
class StaleSocket extends Error {}

interface ClientInit {
  /** At most so many connections. */
  readonly sockets: number;
  readonly tls?: UrlTls | undefined;
  /** One of the host's, to connect to. */
  readonly address?: string | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export class HttpClient {
  /** Where everything is sent. */
  readonly origin: URL;
  readonly #agent: HttpAgent;

  /** Nothing is connected yet. */
  constructor(origin: URL, { sockets, tls, address }: ClientInit) {
    const options = {
      keepAlive: true,
      maxSockets: sockets,
      ...(address !== undefined && { lookup: lookupOf(address) }),
    };
    this.origin = origin;
    this.#agent = origin.protocol === 'http:' ? new HttpAgent(options) : new HttpsAgent({ ...options, ...tls });
  }

  /** The answer, whose body is to be read. Rejects with an error of the socket, or the signal's reason. */
  async send({ method, url, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
    signal.throwIfAborted();
    const answered = Promise.withResolvers<IncomingMessage>();
    const send = this.origin.protocol === 'http:' ? requestHttp : requestHttps;
    const request = send(url, { method, agent: this.#agent, headers, signal });
    request.on('response', answered.resolve).on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET';
      answered.reject(isStale ? new StaleSocket('socket hang up') : error);
    });
    request.end(body);
    return answered.promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly tls: UrlTls | undefined;
}

/** The root of a server, encrypted where `tls` is set. */
export const originOf = ({ host, port, tls }: Place): URL =>
  new URL(`${tls === undefined ? 'http' : 'https'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`);

/** The whole of a body, which is closed where it is not read to its end. Throws `PartTooLarge`, or the signal's reason. */
export async function textOf(body: Readable, signal: AbortSignal, limitBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > limitBytes) throw new PartTooLarge(limitBytes);
      parts.push(part);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return Buffer.concat(parts).toString('utf8');
}

interface Attempts {
  readonly most: number;
  /** Whether the next attempt may go better. */
  readonly isPassing: (error: unknown) => boolean;
  /** Before the attempt after this one, from 1. */
  readonly pauseMs: (attempt: number) => number;
  readonly signal: AbortSignal;
}

/** Tries again, after a pause or at once where the connection was closed while it idled. Rejects with the last failure. */
export async function attempted<T>(
  once: (attempt: number) => Promise<T>,
  { most, isPassing, pauseMs, signal }: Attempts,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(attempt);
    } catch (error) {
      if (error instanceof StaleSocket && attempt === 1) continue;
      if (!isPassing(error) || attempt === most) throw error;
    }
    await sleep(pauseMs(attempt), undefined, { signal });
  }
}
