/** Sends requests to BigQuery's REST API, and to no other server: redirections are not followed. */

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookupOf, whileNotAborted } from '../../datasource-kit/index.ts';
import { BigqueryFault, faultOf, HttpFault, NotBigquery, PageTooLarge } from './fault.ts';
import type { Tokens } from './tokens.ts';

/** A page is held whole; the API makes them of about ten megabytes, and of one row at least. */
export const PAGE_LIMIT_BYTES = 32 * 1024 * 1024;
/** What the documentation of the API asks clients to try again after. */
const AGAIN = new Set([429, 500, 502, 503, 504]);
const AGAIN_REASONS = new Set(['backendError', 'internalError', 'jobRateLimitExceeded', 'rateLimitExceeded']);
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 50;
/** A statement, and what ends it. */
const SOCKETS = 4;

/** A connection that had been used before was closed without an answer. */
class StaleSocket extends Error {}

export type Json = Readonly<Record<string, unknown>>;

export interface Sent {
  readonly method: 'GET' | 'POST';
  /** Below `/bigquery/v2/`, its parts encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  readonly signal: AbortSignal;
}

export class BigqueryClient {
  readonly #api: URL;
  readonly #tokens: Tokens;
  readonly #agent: HttpAgent;

  /** `address`: one of the host's, to connect to. Nothing is connected yet. */
  constructor(api: URL, tokens: Tokens, address?: string) {
    this.#api = api;
    this.#tokens = tokens;
    const lookup = address === undefined ? {} : { lookup: lookupOf(address) };
    const options = { keepAlive: true, maxSockets: SOCKETS, ...lookup };
    this.#agent = api.protocol === 'http:' ? new HttpAgent(options) : new HttpsAgent(options);
  }

  /** The object that is answered. Throws `BigqueryFault`, `HttpFault`, `NotBigquery`, `NoToken`, or an error of the socket. */
  async send(sent: Sent): Promise<Json> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#sendOnce(sent);
      } catch (error) {
        // A server may close what idles in the moment in which it is used again.
        if (error instanceof StaleSocket && attempt === 1) continue;
        if (!isPassing(error) || attempt === MAX_ATTEMPTS) throw error;
      }
      await sleep(PAUSE_MS * 2 ** attempt * (0.5 + Math.random()), undefined, { signal: sent.signal });
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #sendOnce({ method, path, query = {}, body, signal }: Sent): Promise<Json> {
    signal.throwIfAborted();
    const token = await whileNotAborted(this.#tokens.token(), signal);
    const url = new URL(`/bigquery/v2/${path}`, this.#api);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'user-agent': 'atlas',
      ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    };
    const answered = Promise.withResolvers<IncomingMessage>();
    const send = url.protocol === 'http:' ? requestHttp : requestHttps;
    const request = send(url, { method, agent: this.#agent, headers, signal });
    request.on('response', answered.resolve).on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET';
      answered.reject(isStale ? new StaleSocket('socket hang up') : error);
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const response = await answered.promise;
    try {
      return read(await textOf(response), response.statusCode ?? 0);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      // One that has not been read to its end is not needed any more.
      if (!response.complete) response.destroy();
    }
  }
}

const isPassing = (error: unknown) =>
  (error instanceof HttpFault && AGAIN.has(error.status)) ||
  (error instanceof BigqueryFault && (AGAIN.has(error.status) || AGAIN_REASONS.has(error.reason)));

function read(text: string, status: number): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw status === 200 ? new NotBigquery() : new HttpFault(status);
  }
  const answer = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  if (status === 200 && answer !== undefined) return answer;
  if (answer?.error === undefined) throw status === 200 ? new NotBigquery() : new HttpFault(status);
  throw faultOf(answer.error, status);
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
