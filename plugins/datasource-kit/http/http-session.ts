/** Sessions of the engines that are asked over HTTP: it keeps nothing between statements, so a session is what still runs. */
import type { AtlasError, DescribeRequest, SqlLimits, SqlStatement, TableDescription } from '../../../kernel/index.ts';
import { cancelled, connectionLost } from '../errors.ts';
import type { SinkType } from '../row-sink.ts';
import type { Session } from '../server/session.ts';
import { assertReads } from '../statement-check.ts';
import { type ArrivedResult, RowCollector, type RowLimits, uniqueNames, type Value } from '../values.ts';
import type { ViewDefinition } from '../view-definition.ts';
import { OtherServer } from './answer-faults.ts';
import { isSocketError } from './socket-errors.ts';

/** What the driver asks for itself, besides statements. */
const OWN_TIMEOUT_MS = 10_000;

/** A request whose answer comes in pages. */
interface PagedRequest<P> {
  pages(signal: AbortSignal): AsyncIterable<P>;
  /** Ends what still runs of it. Never rejects. */
  end(): Promise<void>;
}

/** What one use of a session has asked: it ends when the session is reset. */
export class HttpUse {
  /** When its time is over, by `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Requests whose answers may not have been read to their ends. */
  readonly #running: Set<PagedRequest<unknown>>;

  constructor(timeoutMs: number, signal: AbortSignal, running = new Set<PagedRequest<unknown>>()) {
    this.until = performance.now() + timeoutMs;
    this.signal = signal;
    this.#running = running;
  }

  /** Sends a request, and gives its answer page by page. */
  async *pages<P>(send: () => PagedRequest<P>): AsyncGenerator<P> {
    this.signal.throwIfAborted();
    const request = send();
    this.#running.add(request);
    yield* request.pages(this.signal);
    this.#running.delete(request);
  }

  /** Ends what still runs. Never rejects. */
  end(): Promise<void> {
    return endAll(this.#running);
  }
}

async function endAll(running: Set<PagedRequest<unknown>>): Promise<void> {
  const requests = [...running];
  running.clear();
  await Promise.all(requests.map((request) => request.end()));
}

/** What one engine does, each within one use of a session. `user`: who asks. */
export interface HttpEngine {
  run(statement: SqlStatement, limits: SqlLimits & RowLimits, use: HttpUse, user?: string): Promise<ArrivedResult>;
  estimate(statement: SqlStatement, use: HttpUse, user?: string): Promise<number | undefined>;
  views(use: HttpUse): Promise<readonly ViewDefinition[]>;
  describe(request: DescribeRequest, use: HttpUse): Promise<readonly TableDescription[]>;
  ping(use: HttpUse): Promise<unknown>;
  /** The error as what the person who asked can do about it; `timeoutMs`: what the statement had. */
  failure(error: unknown, timeoutMs: number): AtlasError;
  close(): void;
}

export class HttpSession implements Session {
  readonly #engine: HttpEngine;
  readonly #running = new Set<PagedRequest<unknown>>();
  #usable = true;
  #use = new AbortController();

  constructor(engine: HttpEngine) {
    this.#engine = engine;
  }

  get usable(): boolean {
    return this.#usable;
  }

  run(statement: SqlStatement, limits: SqlLimits & RowLimits, user?: string): Promise<ArrivedResult> {
    assertReads(statement.sql);
    return this.#using(limits.timeoutMs, (use) => this.#engine.run(statement, limits, use, user));
  }

  estimate(statement: SqlStatement, timeoutMs: number, user?: string): Promise<number | undefined> {
    assertReads(statement.sql);
    return this.#using(timeoutMs, (use) => this.#engine.estimate(statement, use, user));
  }

  views(timeoutMs: number): Promise<readonly ViewDefinition[]> {
    return this.#using(timeoutMs, (use) => this.#engine.views(use));
  }

  describe(timeoutMs: number, request: DescribeRequest): Promise<readonly TableDescription[]> {
    return this.#using(timeoutMs, (use) => this.#engine.describe(request, use));
  }

  /** None of these engines tells in one answer what a login may do; see their READMEs. */
  async warnings(): Promise<readonly string[]> {
    return [];
  }

  async ping(): Promise<void> {
    await this.#using(OWN_TIMEOUT_MS, (use) => this.#engine.ping(use));
  }

  /** A connection that failed is not used again; what it had begun is ended all the same. */
  async reset(): Promise<boolean> {
    this.#use.abort(cancelled());
    this.#use = new AbortController();
    await endAll(this.#running);
    return this.#usable;
  }

  destroy(): void {
    this.#usable = false;
    this.#use.abort(connectionLost());
    this.#engine.close();
  }

  async #using<T>(timeoutMs: number, work: (use: HttpUse) => Promise<T>): Promise<T> {
    const { signal } = this.#use;
    try {
      return await work(new HttpUse(timeoutMs, signal, this.#running));
    } catch (error) {
      if (isSocketError(error) && !signal.aborted) this.#usable = false;
      throw this.#engine.failure(error, timeoutMs);
    }
  }
}

interface RowPage<C, R> {
  /** From the first page on that knows them. */
  readonly columns: readonly C[] | undefined;
  readonly rows: readonly R[];
}

interface RowReader<C, R> {
  /** Reads a row; throws `OtherServer` for what is no row of these columns. */
  readonly decoder: (columns: readonly C[]) => (row: R) => readonly Value[];
  readonly sinkType: (column: C) => SinkType;
}

/** The rows of the pages, as many as the limits allow: what is left is not asked for. Throws `OtherServer`. */
export async function collectRows<C extends { readonly name: string }, R>(
  pages: AsyncIterable<RowPage<C, R>>,
  limits: RowLimits,
  { decoder, sinkType }: RowReader<C, R>,
): Promise<ArrivedResult> {
  let collector: RowCollector | undefined;
  let decode: ((row: R) => readonly Value[]) | undefined;
  for await (const { columns, rows } of pages) {
    if (columns !== undefined && collector === undefined) {
      collector = new RowCollector(uniqueNames(columns.map(({ name }) => name)), limits);
      collector.describe(() => columns.map(sinkType));
      decode = decoder(columns);
    }
    for (const row of rows) {
      if (collector === undefined || decode === undefined) throw new OtherServer();
      if (!collector.add(decode(row))) return collector.result();
      if (collector.isSending) await collector.sent();
    }
  }
  if (collector === undefined) throw new OtherServer();
  return collector.result();
}
