/** One place for statements in one account, each a request of its own; a session keeps nothing between them. */
import type { DescribeRequest, SqlLimits, SqlStatement, TableDescription } from '../../kernel/index.ts';
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
import { snowflake } from '../sql-kit/index.ts';
import { type Ask, describeSchemas } from './catalog/describe.ts';
import { viewsOf } from './catalog/views.ts';
import { estimatedRows } from './check/estimate.ts';
import { planOf, type Verifier } from './check/verify.ts';
import { statementError } from './errors.ts';
import type { SnowflakeConnectionOptions } from './options.ts';
import type { SnowflakeTarget } from './url.ts';
import { type Decoder, decoderOf, sinkType } from './values/values.ts';
import type { SnowflakeClient } from './wire/client.ts';
import { NotSnowflake, PartTooLarge } from './wire/fault.ts';
import { Statement, type StatementBody } from './wire/statement.ts';

/** What the driver asks for itself, besides statements. */
const OWN_TIMEOUT_MS = 10_000;
const OWN_LIMIT_ROWS = 200_000;

export interface SessionInit {
  readonly target: SnowflakeTarget;
  readonly options: SnowflakeConnectionOptions;
  readonly verifier: Verifier;
}

/** What one use of a session has asked: it ends when the session is reset. */
interface Use {
  readonly until: number;
  readonly signal: AbortSignal;
  readonly id?: string;
}

export class SnowflakeSession implements Session {
  readonly #init: SessionInit;
  readonly #client: SnowflakeClient;
  #usable = true;
  #use = new AbortController();
  /** Statements whose answers may not have been read to their ends. */
  readonly #running = new Set<Statement>();

  constructor(init: SessionInit, client: SnowflakeClient) {
    this.#init = init;
    this.#client = client;
  }

  get usable(): boolean {
    return this.#usable;
  }

  /** Resolves once the account has answered, and has let the login in. */
  async greet(signal: AbortSignal): Promise<void> {
    try {
      await this.#own({ until: performance.now() + OWN_TIMEOUT_MS, signal })('SELECT 1');
    } finally {
      await this.reset();
    }
  }

  run(statement: SqlStatement, limits: SqlLimits & RowLimits): Promise<ArrivedResult> {
    assertReads(statement.sql);
    return this.#using(limits.timeoutMs, statement, async (use) => {
      const sql = withLiterals(statement.sql, statement.params, snowflake);
      await this.#init.verifier.check(statement, sql, this.#own(use));
      return this.#read(sql, limits, use);
    });
  }

  estimate(statement: SqlStatement, timeoutMs: number): Promise<number | undefined> {
    assertReads(statement.sql);
    return this.#using(timeoutMs, statement, async (use) => {
      const sql = withLiterals(statement.sql, statement.params, snowflake);
      const ask = this.#own(use);
      // What may not run is not estimated either.
      await this.#init.verifier.check(statement, sql, ask);
      return estimatedRows(await planOf(sql, ask), ask);
    });
  }

  views(timeoutMs: number): Promise<readonly ViewDefinition[]> {
    return this.#using(timeoutMs, {}, (use) => viewsOf(this.#own(use), this.#init.target.database));
  }

  describe(timeoutMs: number, { schemas }: DescribeRequest): Promise<readonly TableDescription[]> {
    return this.#using(timeoutMs, {}, (use) => describeSchemas(this.#own(use), this.#init.target, schemas));
  }

  /** A role does not tell in one answer what it may do; see the README. */
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
    await Promise.all(running.map((statement) => statement.end()));
    return this.#usable;
  }

  destroy(): void {
    this.#usable = false;
    this.#use.abort(connectionLost());
    this.#client.close();
  }

  async #read(sql: string, limits: RowLimits, use: Use): Promise<ArrivedResult> {
    let decoders: readonly Decoder[] = [];
    let collector: RowCollector | undefined;
    // One more than is given says that there are more.
    const most = limits.sink === undefined ? { ROWS_PER_RESULTSET: String(limits.maxRows + 1) } : {};
    reading: for await (const { columns, rows } of this.#send(sql, use, most)) {
      if (collector === undefined) {
        collector = new RowCollector(uniqueNames(columns.map(({ name }) => name)), limits);
        decoders = columns.map(decoderOf);
        collector.describe(() => columns.map(sinkType));
      }
      for (const row of rows) {
        if (!Array.isArray(row) || row.length !== decoders.length) throw new NotSnowflake();
        // What is left is not asked for.
        if (!collector.add(row.map((cell, at) => decoders[at]?.(cell, limits.maxCellBytes) ?? null))) break reading;
        if (collector.isSending) await collector.sent();
      }
    }
    if (collector === undefined) throw new NotSnowflake();
    return collector.result();
  }

  /** All rows of an answer that is known to be short. */
  #own(use: Use): Ask {
    return async (sql) => {
      const all: Record<string, string | null>[] = [];
      for await (const { columns, rows } of this.#send(sql, use)) {
        if (all.length + rows.length > OWN_LIMIT_ROWS) throw new PartTooLarge();
        for (const row of rows) {
          all.push(Object.fromEntries(columns.map(({ name }, at) => [name, (row[at] ?? null) as string | null])));
        }
      }
      return all;
    };
  }

  async *#send(sql: string, use: Use, parameters: Readonly<Record<string, string>> = {}) {
    use.signal.throwIfAborted();
    const statement = new Statement(this.#client, this.#body(sql, use, parameters));
    this.#running.add(statement);
    yield* statement.pages(use.signal);
    this.#running.delete(statement);
  }

  /** See "Body of the POST request" in the documentation of the API. */
  #body(sql: string, { until, id }: Use, parameters: Readonly<Record<string, string>>): StatementBody {
    const { database, schema, warehouse, role } = this.#init.target;
    const { timeZone } = this.#init.options;
    return {
      statement: sql,
      timeout: Math.max(1, Math.ceil((until - performance.now()) / 1000)),
      database,
      schema,
      ...(warehouse !== undefined && { warehouse }),
      ...(role !== undefined && { role }),
      parameters: {
        MULTI_STATEMENT_COUNT: '1',
        BINARY_OUTPUT_FORMAT: 'HEX',
        // All of them, whatever the user has set.
        ROWS_PER_RESULTSET: '0',
        QUERY_TAG: id === undefined ? 'atlas' : `atlas:${id.replaceAll(/[^\w.-]/g, '')}`,
        ...(timeZone !== undefined && { TIMEZONE: timeZone }),
        ...parameters,
      },
    };
  }

  /** Runs one use of the session. After an error of the network it is not used again. */
  async #using<T>(timeoutMs: number, { id }: Pick<SqlStatement, 'id'>, work: (use: Use) => Promise<T>): Promise<T> {
    const { signal } = this.#use;
    try {
      return await work({ until: performance.now() + timeoutMs, signal, ...(id !== undefined && { id }) });
    } catch (error) {
      if (isSocketError(error) && !signal.aborted) this.#usable = false;
      throw statementError(error, timeoutMs);
    }
  }
}
