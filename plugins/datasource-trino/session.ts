/** One place for statements on one coordinator, each a query of its own; a session keeps nothing between them. */
import {
  AtlasError,
  type DescribeRequest,
  type SqlLimits,
  type SqlStatement,
  type TableDescription,
} from '../../kernel/index.ts';
import {
  type ArrivedResult,
  assertReads,
  cancelled,
  connectionLost,
  isSocketError,
  RowCollector,
  type RowLimits,
  type Session,
  uniqueNames,
  type ViewDefinition,
  withLiterals,
} from '../datasource-kit/index.ts';
import { trino } from '../sql-kit/index.ts';
import { describeSchemas, type Query as OwnQuery } from './catalog/describe.ts';
import { viewsOf } from './catalog/views.ts';
import { estimatedRows } from './check/estimate.ts';
import type { Explain, Verifier } from './check/verify.ts';
import { statementError } from './errors.ts';
import type { TrinoConnectionOptions } from './options.ts';
import { headerUser, type TrinoTarget } from './url.ts';
import { sinkType } from './values/sink-types.ts';
import { type Decoder, Decoders } from './values/values.ts';
import type { TrinoClient } from './wire/client.ts';
import { NotTrino, PageTooLarge } from './wire/fault.ts';
import { Query } from './wire/query.ts';

/** What the driver asks for itself, besides statements. */
const OWN_TIMEOUT_MS = 10_000;
const OWN_LIMIT_BYTES = 64 * 1024 * 1024;

export interface SessionInit {
  readonly target: TrinoTarget;
  readonly options: TrinoConnectionOptions;
  readonly verifier: Verifier;
}

/** What one use of a session has asked: it ends when the session is reset. */
interface Use {
  readonly until: number;
  readonly signal: AbortSignal;
  /** The principal where none is named. */
  readonly user?: string;
  readonly id?: string;
}

export class TrinoSession implements Session {
  readonly #init: SessionInit;
  readonly #client: TrinoClient;
  #usable = true;
  #use = new AbortController();
  /** Queries whose answers may not have been read to their ends. */
  readonly #running = new Set<Query>();

  constructor(init: SessionInit, client: TrinoClient) {
    this.#init = init;
    this.#client = client;
  }

  get usable(): boolean {
    return this.#usable;
  }

  run(statement: SqlStatement, limits: SqlLimits & RowLimits, user?: string): Promise<ArrivedResult> {
    assertReads(statement.sql);
    return this.#using(limits.timeoutMs, this.#of(statement, user), async (use) => {
      const sql = withLiterals(statement.sql, statement.params, trino);
      await this.#init.verifier.check(statement, sql, this.#explain(use), use.user);
      return this.#read(sql, limits, use);
    });
  }

  estimate(statement: SqlStatement, timeoutMs: number, user?: string): Promise<number | undefined> {
    assertReads(statement.sql);
    return this.#using(timeoutMs, this.#of(statement, user), async (use) => {
      const sql = withLiterals(statement.sql, statement.params, trino);
      const explain = this.#explain(use);
      // What may not run is not estimated either.
      await this.#init.verifier.check(statement, sql, explain, use.user);
      return estimatedRows(await explain(`EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) ${sql}`));
    });
  }

  views(timeoutMs: number): Promise<readonly ViewDefinition[]> {
    return this.#using(timeoutMs, {}, (use) => viewsOf(this.#own(use), this.#init.target.catalog));
  }

  describe(timeoutMs: number, { schemas }: DescribeRequest): Promise<readonly TableDescription[]> {
    return this.#using(timeoutMs, {}, (use) => describeSchemas(this.#own(use), this.#init.target, schemas));
  }

  /** Trino does not tell what a login may do; see the README. */
  async warnings(): Promise<readonly string[]> {
    return [];
  }

  async ping(): Promise<void> {
    await this.#using(OWN_TIMEOUT_MS, {}, (use) => this.#own(use)('SELECT 1'));
  }

  /** A connection that failed is not used again; what it had begun is ended all the same. */
  async reset(): Promise<boolean> {
    this.#use.abort(cancelled());
    this.#use = new AbortController();
    const running = [...this.#running];
    this.#running.clear();
    await Promise.all(running.map((query) => query.end()));
    return this.#usable;
  }

  destroy(): void {
    this.#usable = false;
    this.#use.abort(connectionLost());
    this.#client.close();
  }

  /** Who a statement runs as. Throws `sql_refused` where it should run as somebody whom no header can name. */
  #of({ id }: SqlStatement, label: string | undefined): Pick<Use, 'user' | 'id'> {
    const trace = id === undefined ? {} : { id };
    if (!this.#init.options.impersonate) return trace;
    const user = label === undefined ? undefined : headerUser(label);
    if (user !== undefined) return { ...trace, user };
    throw new AtlasError('The statement cannot run as the user who asks: there is no name that Trino can be told.', {
      code: 'sql_refused',
      reason: 'E_TRINO_USER',
      hint: 'Sign in with an account whose e-mail address or name is of plain letters; scheduled questions have none.',
    });
  }

  #explain(use: Use): Explain {
    return async (sql) => (await this.#own(use)(sql))[0]?.[0];
  }

  async #read(sql: string, limits: RowLimits, use: Use): Promise<ArrivedResult> {
    let names: readonly string[] | undefined;
    let decoders: readonly Decoder[] = [];
    let collector = new RowCollector([], limits);
    reading: for await (const { columns, rows } of this.#ask(sql, use)) {
      if (columns !== undefined && names === undefined) {
        names = uniqueNames(columns.map(({ name }) => name));
        const byType = new Decoders();
        decoders = columns.map(({ type }) => byType.of(type));
        collector = new RowCollector(names, limits);
        collector.describe(() => columns.map(({ type }) => sinkType(type)));
      }
      for (const row of rows) {
        if (row.length !== decoders.length) throw new NotTrino();
        // What is left on the cluster is ended when the session is reset.
        if (!collector.add(row.map((cell, at) => decoders[at]?.(cell, limits.maxCellBytes) ?? null))) break reading;
        if (collector.isSending) await collector.sent();
      }
    }
    if (names === undefined) throw new NotTrino();
    return collector.result();
  }

  /** All rows of an answer that is known to be short. */
  #own(use: Use): OwnQuery {
    return async (sql) => {
      const all: (readonly unknown[])[] = [];
      let left = OWN_LIMIT_BYTES;
      for await (const { rows, bytes } of this.#ask(sql, use)) {
        left -= bytes;
        if (left < 0) throw new PageTooLarge();
        all.push(...rows);
      }
      return all;
    };
  }

  async *#ask(sql: string, use: Use) {
    use.signal.throwIfAborted();
    const query = new Query(this.#client, sql, this.#headers(use));
    this.#running.add(query);
    yield* query.pages(use.signal);
    this.#running.delete(query);
  }

  /** See "Client request headers" in the documentation of the protocol. */
  #headers({ until, user, id }: Use): Record<string, string> {
    const { target, options } = this.#init;
    const left = `${Math.max(1, Math.ceil(until - performance.now()))}ms`;
    return {
      'content-type': 'text/plain; charset=utf-8',
      'x-trino-catalog': target.catalog,
      'x-trino-schema': target.schema,
      'x-trino-session': `query_max_run_time=${left},query_max_execution_time=${left}`,
      // Times with all of their digits.
      'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
      ...(user !== undefined && { 'x-trino-user': user }),
      ...(id !== undefined && { 'x-trino-trace-token': id.replaceAll(/[^\w.-]/g, '') }),
      ...(options.timeZone !== undefined && { 'x-trino-time-zone': options.timeZone }),
      ...(options.clientTags?.length && { 'x-trino-client-tags': options.clientTags.join(',') }),
    };
  }

  /** Runs one use of the session. After an error of the network it is not used again. */
  async #using<T>(timeoutMs: number, of: Pick<Use, 'user' | 'id'>, work: (use: Use) => Promise<T>): Promise<T> {
    const { signal } = this.#use;
    try {
      return await work({ until: performance.now() + timeoutMs, signal, ...of });
    } catch (error) {
      if (isSocketError(error) && !signal.aborted) this.#usable = false;
      throw statementError(error, timeoutMs);
    }
  }
}
