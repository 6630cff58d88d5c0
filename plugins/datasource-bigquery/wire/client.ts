/** Sends requests to BigQuery's REST API, as its documentation asks. */
import {
  attempted,
  HttpClient,
  HttpFault,
  type HttpRequest,
  OtherServer,
  objectIn,
  textOf,
  whileNotAborted,
} from '../../datasource-kit/index.ts';
import { BigqueryFault, faultOf } from './fault.ts';
import type { Tokens } from './tokens.ts';

/** A page is held whole; the API makes them of about ten megabytes, and of one row at least. */
const PAGE_LIMIT_BYTES = 32 * 1024 * 1024;
/** What the documentation of the API asks clients to try again after. */
const AGAIN = new Set([429, 500, 502, 503, 504]);
const AGAIN_REASONS = new Set(['backendError', 'internalError', 'jobRateLimitExceeded', 'rateLimitExceeded']);
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 50;
/** A statement, and what ends it. */
const SOCKETS = 4;

export type Json = Readonly<Record<string, unknown>>;

interface Sent extends Pick<HttpRequest, 'method' | 'signal'> {
  /** Below `/bigquery/v2/`, its parts encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

export class BigqueryClient {
  readonly #http: HttpClient;
  readonly #tokens: Tokens;

  /** `address`: one of the host's, to connect to. Nothing is connected yet. */
  constructor(api: URL, tokens: Tokens, address?: string) {
    this.#http = new HttpClient(api, { sockets: SOCKETS, address });
    this.#tokens = tokens;
  }

  /** The object that is answered. Throws `BigqueryFault`, `HttpFault`, `OtherServer`, `NoToken`, or an error of the socket. */
  send(sent: Sent): Promise<Json> {
    return attempted(() => this.#sendOnce(sent), {
      most: MAX_ATTEMPTS,
      isPassing,
      pauseMs: (attempt) => PAUSE_MS * 2 ** attempt * (0.5 + Math.random()),
      signal: sent.signal,
    });
  }

  close(): void {
    this.#http.close();
  }

  async #sendOnce({ method, path, query = {}, body, signal }: Sent): Promise<Json> {
    signal.throwIfAborted();
    const token = await whileNotAborted(this.#tokens.token(), signal);
    const url = new URL(`/bigquery/v2/${path}`, this.#http.origin);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'user-agent': 'atlas',
      ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await this.#http.send({ method, url, headers, body: text, signal });
    return read(await textOf(response, signal, PAGE_LIMIT_BYTES), response.statusCode ?? 0);
  }
}

const isPassing = (error: unknown) =>
  (error instanceof HttpFault && AGAIN.has(error.status)) ||
  (error instanceof BigqueryFault && (AGAIN.has(error.status) || AGAIN_REASONS.has(error.reason)));

function read(text: string, status: number): Json {
  const answer = objectIn(text);
  if (status === 200 && answer !== undefined) return answer;
  if (answer?.error === undefined) throw status === 200 ? new OtherServer() : new HttpFault(status);
  throw faultOf(answer.error, status);
}
