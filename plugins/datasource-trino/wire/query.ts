/**
 * One query of Trino's client protocol: a POST begins it, each answer names the URI of the next one, a DELETE of that URI
 * ends it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { notReading, OtherServer, whileNotAborted } from '../../datasource-kit/index.ts';
import type { TrinoClient } from './client.ts';
import { ForeignPage, faultOf } from './fault.ts';
import { objectIn } from './json.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
}

export interface Page {
  /** From the first page on that knows them. */
  readonly columns: readonly Column[] | undefined;
  readonly rows: readonly (readonly unknown[])[];
  /** Length of its text. */
  readonly bytes: number;
}

/** How long a query may take to begin or to end once nobody wants it. */
const END_TIMEOUT_MS = 3_000;
/** A coordinator answers late where nothing is ready; of one that does not, little is asked. */
const EMPTY_PAGES = 20;
const EMPTY_PAUSE_MS = 50;

export class Query {
  readonly #client: TrinoClient;
  readonly #giveUp = new AbortController();
  readonly #begun: Promise<string>;
  #next: URL | undefined;
  #isOver = false;

  /** Sends the statement. */
  constructor(client: TrinoClient, sql: string, headers: Readonly<Record<string, string>>) {
    this.#client = client;
    const url = new URL('v1/statement', client.origin);
    // An abort does not end this request: its answer names what has to be ended.
    this.#begun = client.send({ method: 'POST', url, headers, body: sql, signal: this.#giveUp.signal });
    this.#begun.catch(() => {});
  }

  /**
   * The parts of the answer, each asked for when the one before has been taken. Throws `TrinoFault`, `HttpFault`,
   * `OtherServer`, `ForeignPage`, or an error of the socket.
   */
  async *pages(signal: AbortSignal): AsyncGenerator<Page> {
    const first = await whileNotAborted(this.#begun, signal);
    let page = this.#read(first);
    for (let empty = 0; ; empty = page.rows.length === 0 ? empty + 1 : 0) {
      yield page;
      if (this.#next === undefined) return;
      if (empty >= EMPTY_PAGES) await sleep(EMPTY_PAUSE_MS, undefined, { signal });
      page = this.#read(await this.#client.send({ method: 'GET', url: this.#next, signal }));
    }
  }

  /** Ends what still runs on the cluster. Never rejects. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    const late = setTimeout(() => this.#giveUp.abort(), END_TIMEOUT_MS);
    try {
      const first = await this.#begun;
      if (this.#next === undefined) this.#read(first);
      const signal = AbortSignal.timeout(END_TIMEOUT_MS);
      if (this.#next !== undefined) await this.#client.send({ method: 'DELETE', url: this.#next, signal });
    } catch {
      // It is gone, or is forgotten by the cluster when nobody asks for its rows.
    } finally {
      clearTimeout(late);
      this.#isOver = true;
    }
  }

  #read(text: string): Page {
    const answer = objectIn(text);
    if (answer === undefined) throw new OtherServer();
    const { nextUri, error, columns, data, updateType } = answer;
    this.#next = nextUri === undefined || nextUri === null ? undefined : this.#ownUri(String(nextUri));
    this.#isOver = this.#next === undefined;
    if (error !== undefined && error !== null) {
      this.#isOver = true;
      throw faultOf(error);
    }
    if (typeof answer.id !== 'string') throw new OtherServer();
    if (typeof updateType === 'string') throw notReading();
    return { columns: columnsOf(columns), rows: rowsOf(data), bytes: text.length };
  }

  /** The rest of the answer is at the server that was asked: it may not send this one elsewhere. */
  #ownUri(uri: string): URL {
    const url = URL.parse(uri);
    const isOwn = url?.origin === this.#client.origin.origin && url.username === '' && url.password === '';
    if (!isOwn || !url.pathname.startsWith('/v1/statement/')) throw new ForeignPage();
    return url;
  }
}

function columnsOf(columns: unknown): readonly Column[] | undefined {
  if (columns === undefined || columns === null) return undefined;
  const isColumn = (one: unknown): one is Column =>
    typeof one === 'object' &&
    one !== null &&
    typeof (one as Column).name === 'string' &&
    typeof (one as Column).type === 'string';
  if (!Array.isArray(columns) || !columns.every(isColumn)) throw new OtherServer();
  return columns;
}

function rowsOf(data: unknown): Page['rows'] {
  if (data === undefined || data === null) return [];
  if (!Array.isArray(data) || !data.every((row) => Array.isArray(row))) throw new OtherServer();
  return data;
}
