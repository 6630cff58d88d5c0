/** Sends requests to one coordinator, as the client protocol asks. */
import { attempted, HttpClient, HttpFault, type HttpRequest, originOf, textOf } from '../../datasource-kit/index.ts';
import type { TrinoTarget } from '../url.ts';

/** A page is held whole; coordinators make them of about one megabyte, and of one row at least. */
export const PAGE_LIMIT_BYTES = 8 * 1024 * 1024;
/** What gateways and busy coordinators answer: the protocol asks clients to try again after 50 to 100 milliseconds. */
const AGAIN = new Set([429, 502, 503, 504]);
const MAX_ATTEMPTS = 8;
const PAUSE_MS = 50;
/** A statement, and what ends it. */
const SOCKETS = 3;

type Sent = Omit<HttpRequest, 'headers'> & Partial<Pick<HttpRequest, 'headers'>>;

export class TrinoClient {
  readonly #http: HttpClient;
  readonly #headers: Readonly<Record<string, string>>;

  /** `address`: one of the host's, to connect to. Nothing is connected yet. */
  constructor(target: TrinoTarget, address?: string) {
    const { user, password, tls } = target;
    this.#http = new HttpClient(originOf(target), { sockets: SOCKETS, tls, address });
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

  /** Where everything is sent. */
  get origin(): URL {
    return this.#http.origin;
  }

  /** The body of the answer with status 200 or 204, asked for again as the protocol says. Throws `HttpFault`. */
  send(sent: Sent): Promise<string> {
    return attempted(() => this.#sendOnce(sent), {
      most: MAX_ATTEMPTS,
      isPassing: (error) => error instanceof HttpFault && AGAIN.has(error.status),
      pauseMs: (attempt) => PAUSE_MS * Math.min(attempt, 4) * (1 + Math.random()),
      signal: sent.signal,
    });
  }

  close(): void {
    this.#http.close();
  }

  async #sendOnce(sent: Sent): Promise<string> {
    const response = await this.#http.send({ ...sent, headers: { ...this.#headers, ...sent.headers } });
    const text = await textOf(response, sent.signal, PAGE_LIMIT_BYTES);
    const { statusCode: status = 0 } = response;
    if (status !== 200 && status !== 204) throw new HttpFault(status);
    return text;
  }
}
