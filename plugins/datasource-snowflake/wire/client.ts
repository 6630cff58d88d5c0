/** Sends requests to one account, and to no other server: redirections are not followed. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { lookupOf } from '../../datasource-kit/index.ts';
import type { SnowflakeTarget } from '../url.ts';
import { Credentials } from './credentials.ts';
import { HttpFault, PartTooLarge } from './fault.ts';
import { objectIn } from './json.ts';

/** What is held whole of an answer. */
export const PART_LIMIT_BYTES = 32 * 1024 * 1024;
const ERROR_LIMIT_BYTES = 64 * 1024;
/** Rate limits and servers that are busy: the documentation asks clients to try again, later each time. */
const AGAIN = new Set([429, 502, 503, 504]);
const MAX_ATTEMPTS = 7;
const PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** Answers that tell of a statement: it has rows, still runs, took too long, or failed. */
const OF_STATEMENT = new Set([200, 202, 408, 422]);
/** A statement, and what ends it. */
const SOCKETS = 3;

/** A connection was closed without an answer: whether the request has been worked on is not known. */
class NoAnswer extends Error {}

export interface Sent {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** Unpacked; ends with an error where the connection does. */
  readonly body: Readable;
}

export class SnowflakeClient {
  readonly #origin: URL;
  readonly #agent: HttpAgent;
  readonly #isSecure: boolean;
  readonly #credentials: Credentials;

  /** `address`: one of the host's, to connect to. Nothing is connected yet. */
  constructor(target: SnowflakeTarget, address?: string) {
    const { host, port, tls } = target;
    const options = {
      keepAlive: true,
      maxSockets: SOCKETS,
      ...(address !== undefined && { lookup: lookupOf(address) }),
    };
    this.#isSecure = tls !== undefined;
    this.#origin = new URL(
      `${tls === undefined ? 'http' : 'https'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`,
    );
    this.#agent = tls === undefined ? new HttpAgent(options) : new HttpsAgent({ ...options, ...tls });
    this.#credentials = new Credentials(target);
  }

  /**
   * An answer that tells of a statement, asked for again as the documentation says: once more under the same `requestId` a
   * statement is not run twice. Throws `HttpFault`, `UnusableKey`, or an error of the socket.
   */
  async send(sent: Sent): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isAgain = attempt > 1 && sent.path.includes('requestId=');
        return await this.#sendOnce(isAgain ? { ...sent, path: `${sent.path}&retry=true` } : sent);
      } catch (error) {
        const isWorthIt =
          error instanceof NoAnswer ? attempt === 1 : error instanceof HttpFault && AGAIN.has(error.status);
        if (!isWorthIt || attempt === MAX_ATTEMPTS) throw error;
      }
      const pauseMs = Math.min(PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random());
      await sleep(pauseMs, undefined, { signal: sent.signal });
    }
  }

  /** The object of an answer. Throws `PartTooLarge`, besides what `send` throws. */
  async ask(
    sent: Sent,
  ): Promise<{ readonly status: number; readonly answer: Readonly<Record<string, unknown>> | undefined }> {
    const { status, body } = await this.send(sent);
    return { status, answer: objectIn(await textOf(body, sent.signal)) };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #sendOnce({ method, path, body, signal }: Sent): Promise<Answer> {
    const headers = {
      ...(await this.#credentials.headers()),
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'content-type': 'application/json',
      'user-agent': 'atlas/1.0',
    };
    signal.throwIfAborted();
    const answered = Promise.withResolvers<IncomingMessage>();
    const send = this.#isSecure ? requestHttps : requestHttp;
    const request = send(new URL(path, this.#origin), { method, agent: this.#agent, headers, signal });
    request.on('response', answered.resolve).on('error', (error: NodeJS.ErrnoException) => {
      const isUnanswered = request.reusedSocket && error.code === 'ECONNRESET';
      answered.reject(isUnanswered ? new NoAnswer('socket hang up') : error);
    });
    request.end(body);
    const response = await answered.promise;
    const status = response.statusCode ?? 0;
    const unpacked = /^(?:x-)?gzip$/i.test(response.headers['content-encoding'] ?? '') ? unzipped(response) : response;
    if (OF_STATEMENT.has(status)) return { status, body: unpacked };
    const text = await textOf(unpacked, signal, ERROR_LIMIT_BYTES).catch(() => '');
    throw new HttpFault(status, /"code"\s*:\s*"(\d{6})"/.exec(text)?.[1]);
  }
}

function unzipped(response: IncomingMessage): Readable {
  const unpacked = createGunzip();
  response.on('error', (error) => unpacked.destroy(error));
  unpacked.on('close', () => response.destroy()).on('end', () => response.resume());
  return response.pipe(unpacked);
}

/** The whole of an answer. Throws `PartTooLarge`. */
export async function textOf(body: Readable, signal: AbortSignal, limitBytes = PART_LIMIT_BYTES): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > limitBytes) throw new PartTooLarge();
      parts.push(part);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return Buffer.concat(parts).toString('utf8');
}
