/** One place for statements on one replica. HTTP keeps nothing between them, so a session is its client and what runs. */
import { randomUUID } from 'node:crypto';
import type { DescribeRequest, SqlLimits, SqlStatement, TableDescription } from '../../kernel/index.ts';
import {
  type ArrivedResult,
  assertReads,
  type Cell,
  cancelled,
  connectionLost,
  RowCollector,
  type RowLimits,
  type Session,
  uniqueNames,
  type ViewDefinition,
  type WallClock,
  wallClockOf,
} from '../datasource-kit/index.ts';
import { describeDatabases } from './catalog/describe.ts';
import { loginWarnings } from './catalog/privileges.ts';
import type { Params, Query } from './catalog/query.ts';
import { viewsOf } from './catalog/views.ts';
import { estimatedRows } from './check/estimate.ts';
import { assertPlainNames, withNullable } from './check/statement-text.ts';
import type { Verifier } from './check/verify.ts';
import { isOfSocket, statementError } from './errors.ts';
import { queryParams } from './parameters.ts';
import { COMMAND_SETTINGS, type Settings, statementSettings } from './settings.ts';
import type { ClickhouseTarget } from './url.ts';
import { sinkType } from './values/sink-types.ts';
import { type Decoder, Decoders } from './values/values.ts';
import type { AnswerLine } from './wire/answer.ts';
import { type ReplicaClient, rowsOf } from './wire/client.ts';
import { OtherFormat, ServerFault } from './wire/fault.ts';

const KILL_TIMEOUT_MS = 3_000;
/** A statement that has just been sent may not be known to the server yet. */
const KILL_ATTEMPTS = 5;
const KILL_AGAIN_MS = 100;
/** What the driver asks for itself, besides statements. */
const OWN_TIMEOUT_MS = 10_000;

/** A replica that has answered, and the time zone in which it shows what has none. */
export interface Connected {
  readonly client: ReplicaClient;
  readonly zone: string;
}

export interface SessionInit {
  readonly target: ClickhouseTarget;
  /** What every statement is sent with. */
  readonly settings: Settings;
  readonly verifier: Verifier;
  /** Finds a replica that answers. Rejects with an `AtlasError`. */
  connect(signal: AbortSignal): Promise<Connected>;
  onEnd(): void;
}

/** A statement as it is sent. */
interface Prepared {
  readonly id: string;
  readonly sql: string;
  readonly params: Params;
}

/** What one use of a session has asked: it ends when the session is reset. */
interface Use {
  readonly until: number;
  readonly signal: AbortSignal;
}

export class ClickhouseSession implements Session {
  readonly #init: SessionInit;
  #client: ReplicaClient;
  #wallClock: WallClock;
  #usable = true;
  #use = new AbortController();
  /** Statements whose answers have not been read to their ends, by their ids; whether the server is known to know them. */
  readonly #running = new Map<string, boolean>();

  constructor(init: SessionInit, { client, zone }: Connected) {
    this.#init = init;
    this.#client = client;
    this.#wallClock = wallClockOf(zone);
  }

  get usable(): boolean {
    return this.#usable;
  }

  run(statement: SqlStatement, limits: SqlLimits & RowLimits): Promise<ArrivedResult> {
    assertReads(statement.sql);
    return this.#using(limits.timeoutMs, async (use) => {
      const prepared = prepare(statement);
      await this.#verify(statement, prepared, use);
      return this.#read(prepared, limits, use);
    });
  }

  estimate(statement: SqlStatement, timeoutMs: number): Promise<number | undefined> {
    assertReads(statement.sql);
    return this.#using(timeoutMs, async (use) => {
      const prepared = prepare(statement, '-estimate');
      // What may not run is not estimated either.
      await this.#verify(statement, prepared, use);
      const { id, sql } = prepared;
      return estimatedRows({
        estimated: await this.#rows({ ...prepared, sql: `EXPLAIN ESTIMATE ${sql}` }, use),
        tree: await this.#tree({ ...prepared, id: `${id}-tables` }, 'run_passes = 1, passes = 1', use),
        query: this.#queryOf(use),
      });
    });
  }

  views(timeoutMs: number): Promise<readonly ViewDefinition[]> {
    return this.#using(timeoutMs, (use) => viewsOf(this.#queryOf(use)));
  }

  describe(timeoutMs: number, { schemas, withUnreadable }: DescribeRequest): Promise<readonly TableDescription[]> {
    const { database } = this.#init.target;
    return this.#using(timeoutMs, (use) => describeDatabases(this.#queryOf(use), database, schemas, withUnreadable));
  }

  warnings(timeoutMs: number): Promise<readonly string[]> {
    return this.#using(timeoutMs, (use) => loginWarnings(this.#queryOf(use)));
  }

  async ping(): Promise<void> {
    await this.#using(OWN_TIMEOUT_MS, (use) => this.#queryOf(use)('SELECT 1'));
  }

  async reset(): Promise<boolean> {
    const running = [...this.#running];
    this.#running.clear();
    this.#use.abort(cancelled());
    this.#use = new AbortController();
    if (!this.#usable) return false;
    for (const [id, isKnown] of running) await this.#kill(id, isKnown ? 1 : KILL_ATTEMPTS);
    return true;
  }

  destroy(): void {
    this.#usable = false;
    this.#use.abort(connectionLost());
    this.#client.close();
  }

  /** The second check, by the engine. */
  #verify(statement: SqlStatement, { id, sql, params }: Prepared, use: Use): Promise<void> {
    let count = 0;
    return this.#init.verifier.check(statement, (options) => {
      count += 1;
      return this.#tree({ id: `${id}-check${count}`, sql, params }, options, use);
    });
  }

  async #tree(prepared: Prepared, options: string, use: Use): Promise<string[]> {
    const lines = await this.#rows({ ...prepared, sql: `EXPLAIN QUERY TREE ${options} ${prepared.sql}` }, use);
    return lines.map(([line]) => String(line));
  }

  async #read(prepared: Prepared, limits: RowLimits, use: Use): Promise<ArrivedResult> {
    let columns: readonly string[] | undefined;
    let decoders: readonly Decoder[] = [];
    let collector = new RowCollector([], limits);
    for await (const { meta, row } of this.#ask(prepared, use, limits.maxRows)) {
      if (meta !== undefined && columns === undefined) {
        columns = uniqueNames(meta.map(({ name }) => name));
        // Decoders are kept for this result alone: a statement may make up types without end.
        const byType = new Decoders(this.#wallClock);
        decoders = meta.map(({ type }) => byType.of(type));
        collector = new RowCollector(columns, limits);
        collector.describe(() => meta.map(({ type }) => sinkType(type)));
      }
      // What still comes is not read: the connection closes, and the server is told when the session is reset.
      if (row && !collector.add(row.map((cell, at) => decoders[at]?.(cell, limits.maxCellBytes) ?? null))) break;
      if (collector.isSending) await collector.sent();
    }
    if (columns === undefined) throw new OtherFormat();
    return collector.result();
  }

  #rows(prepared: Prepared, use: Use): Promise<(readonly Cell[])[]> {
    return rowsOf(this.#ask(prepared, use));
  }

  #queryOf(use: Use): Query {
    return (sql, params = {}) => this.#rows({ id: `atlas-${randomUUID()}`, sql, params }, use);
  }

  /** Where the replica is gone before it says anything, another one is asked, or the same one over a new connection. */
  async *#ask(prepared: Prepared, use: Use, maxRows?: number): AsyncGenerator<AnswerLine> {
    let isAnswered = false;
    try {
      for await (const line of this.#send(prepared, use, maxRows)) {
        isAnswered = true;
        yield line;
      }
      return;
    } catch (error) {
      if (isAnswered || !isOfSocket(error) || use.signal.aborted || !this.#usable) throw error;
    }
    this.#running.delete(prepared.id);
    await this.#reconnect(use.signal);
    yield* this.#send({ ...prepared, id: `${prepared.id}-again` }, use, maxRows);
  }

  async *#send({ id, sql, params }: Prepared, { until, signal }: Use, maxRows?: number): AsyncGenerator<AnswerLine> {
    const timeoutMs = Math.max(1, Math.ceil(until - performance.now()));
    const settings = statementSettings(this.#init.settings, { timeoutMs, ...(maxRows !== undefined && { maxRows }) });
    this.#running.set(id, false);
    for await (const line of this.#client.ask({ sql, queryId: id, settings, params, signal })) {
      if (this.#running.has(id)) this.#running.set(id, true);
      yield line;
    }
    this.#running.delete(id);
  }

  async #reconnect(signal: AbortSignal): Promise<void> {
    const { client, zone } = await this.#init.connect(signal);
    if (!this.#usable) {
      client.close();
      throw connectionLost();
    }
    this.#client.close();
    this.#client = client;
    this.#wallClock = wallClockOf(zone);
  }

  /** Runs one use of the session. An error of the network ends the session. */
  async #using<T>(timeoutMs: number, work: (use: Use) => Promise<T>): Promise<T> {
    const { signal } = this.#use;
    try {
      return await work({ until: performance.now() + timeoutMs, signal });
    } catch (error) {
      if (error instanceof ServerFault) this.#running.clear();
      else if (isOfSocket(error) && !signal.aborted) this.#end();
      throw statementError(error, timeoutMs);
    }
  }

  #end(): void {
    if (!this.#usable) return;
    this.#usable = false;
    this.#init.onEnd();
  }

  /** Ends a statement on the server. The connection to it is closed already, which alone ends it on newer servers. */
  async #kill(id: string, attempts: number): Promise<void> {
    const { cluster } = this.#init.target;
    const signal = AbortSignal.timeout(KILL_TIMEOUT_MS);
    const kill = (where: string) =>
      this.#client.rows({
        sql: `KILL QUERY ${where}WHERE query_id = '${id.replace(/[^\w-]/g, '')}' ASYNC`,
        queryId: `atlas-${randomUUID()}`,
        settings: COMMAND_SETTINGS,
        signal,
      });
    for (let left = attempts; left > 0; left -= 1) {
      const found = await kill('');
      if (found.length > 0) return;
      // Behind a load balancer another replica may run it.
      if (cluster !== undefined) await kill(`ON CLUSTER '${cluster}' `).catch(() => []);
      if (left > 1) await new Promise((resolve) => setTimeout(resolve, KILL_AGAIN_MS));
    }
  }
}

function prepare({ id, sql, params }: SqlStatement, suffix = ''): Prepared {
  assertPlainNames(sql);
  const bound = queryParams(params);
  const nulls = new Set(Object.keys(bound).filter((name) => bound[name] === null));
  return { id: `${id ?? randomUUID()}${suffix}`, sql: withNullable(sql, nulls), params: bound };
}
