/** Sends requests to one account, as the documentation of the API asks. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  attempted,
  HttpClient,
  HttpFault,
  type HttpRequest,
  objectIn,
  originOf,
  textOf,
} from '../../datasource-kit/index.ts';
import type { SnowflakeTarget } from '../url.ts';
import { Credentials } from './credentials.ts';

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

interface Sent extends Pick<HttpRequest, 'method' | 'body' | 'signal'> {
  /** With its query. */
  readonly path: string;
}

export interface Answer {
  readonly status: number;
  /** Unpacked; ends with an error where the connection does. */
  readonly body: Readable;
}

export class SnowflakeClient {
  readonly #http: HttpClient;
  readonly #credentials: Credentials;

  /** `address`: one of the host's, to connect to. Nothing is connected yet. */
  constructor(target: SnowflakeTarget, address?: string) {
    this.#http = new HttpClient(originOf(target), { sockets: SOCKETS, tls: target.tls, address });
    this.#credentials = new Credentials(target);
  }

  /**
   * An answer that tells of a statement, asked for again as the documentation says: once more under the same `requestId` a
   * statement is not run twice. Throws `HttpFault`, `UnusableKey`, or an error of the socket.
   */
  send(sent: Sent): Promise<Answer> {
    return attempted(
      (attempt) => {
        const isAgain = attempt > 1 && sent.path.includes('requestId=');
        return this.#sendOnce(isAgain ? { ...sent, path: `${sent.path}&retry=true` } : sent);
      },
      {
        most: MAX_ATTEMPTS,
        isPassing: (error) => error instanceof HttpFault && AGAIN.has(error.status),
        pauseMs: (attempt) => Math.min(PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random()),
        signal: sent.signal,
      },
    );
  }

  /** The object of an answer. Throws `PartTooLarge`, besides what `send` throws. */
  async ask(
    sent: Sent,
  ): Promise<{ readonly status: number; readonly answer: Readonly<Record<string, unknown>> | undefined }> {
    const { status, body } = await this.send(sent);
    return { status, answer: objectIn(await textOf(body, sent.signal, PART_LIMIT_BYTES)) };
  }

  close(): void {
    this.#http.close();
  }

  async #sendOnce({ method, path, body, signal }: Sent): Promise<Answer> {
    const headers = {
      ...(await this.#credentials.headers()),
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'content-type': 'application/json',
      'user-agent': 'atlas/1.0',
    };
    const url = new URL(path, this.#http.origin);
    const response = await this.#http.send({ method, url, headers, body, signal });
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
