/** One connection to PostgreSQL. */
import type pg from 'pg';
import {
  type DescribeRequest,
  type SqlLimits,
  type SqlStatement,
  type TableDescription,
  withTimeout,
} from '../../kernel/index.ts';
import {
  type ArrivedResult,
  assertReads,
  bindable,
  cancelled,
  PostgresCommands,
  type PostgresTarget,
  type RowLimits,
  type Session,
  type ViewDefinition,
} from '../datasource-kit/index.ts';
import { destroyClient, type Opened, requestCancel } from './connect.ts';
import { statementError } from './errors.ts';
import type { Flavor } from './flavors/flavor.ts';
import type { Query } from './query.ts';
import { ROLLBACK } from './settings.ts';
import { Statement } from './statement.ts';
import { parameterText, TYPES_SQL, type TypeMap } from './types.ts';
import type { WireFilter } from './wire.ts';

/** Longest wait for a server to let go. */
const LETTING_GO_MS = 1_000;

/** A row that is cut to this on its way to be handed on is still longer than one may be, and so refused. */
const CUT_ROW_BYTES = 64 * 1024 * 1024;

const noMatter = () => {};

export interface SessionContext {
  readonly target: PostgresTarget;
  readonly schema: string;
  readonly flavor: Flavor;
  readonly types: TypeMap;
  readonly filter: WireFilter;
}

const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

export class PostgresSession implements Session {
  readonly #opened: Opened;
  readonly #context: SessionContext;
  #usable = true;
  /** Resolves when the server has finished what it was last asked. */
  #busy: Promise<unknown> = Promise.resolve();
  /** The last thing that the server was asked, if it was a statement. */
  #last: Statement | undefined;
  /** Counts the uses: what belongs to one that is over must not ask anything more. */
  #use = 0;

  constructor(opened: Opened, context: SessionContext, onEnd: () => void) {
    this.#opened = opened;
    this.#context = context;
    const ended = () => {
      if (!this.#usable) return;
      this.#usable = false;
      onEnd();
    };
    opened.client.on('error', ended);
    opened.client.on('end', ended);
  }

  get usable(): boolean {
    return this.#usable;
  }

  async run(asked: SqlStatement, limits: SqlLimits & RowLimits): Promise<ArrivedResult> {
    const { schema, flavor, types, filter } = this.#context;
    const { sql, params } = asked;
    assertReads(sql);
    const statement = new Statement({ sql, params, limits, schema, flavor, types });
    const use = this.#use;
    // Binary values arrive as two digits a byte.
    const maxRowBytes = limits.sink === undefined ? 4 * limits.maxBytes : CUT_ROW_BYTES;
    filter.limits = { maxValueBytes: 2 * limits.maxCellBytes + 16, maxRowBytes };
    this.#busy = statement.finished;
    this.#last = statement;
    try {
      this.#opened.client.query(statement);
      await statement.rows;
      filter.dropRows = true;
      if (statement.unknownTypes.size > 0) {
        await this.#convert(statement, limits);
        if (limits.sink !== undefined) return await this.run(asked, limits);
      }
      await statement.collector?.result();
    } catch (error) {
      filter.dropRows = true;
      // The server tells what went wrong before it has let go of what the statement held.
      if (this.#usable) await withTimeout(this.#end(use).then(noMatter, noMatter), LETTING_GO_MS, noMatter);
      throw statementError(error, limits.timeoutMs, flavor.dialect.label);
    }
    const { columns, collector } = statement;
    return {
      columns,
      rows: collector?.rows ?? [],
      truncated: collector?.truncated ?? false,
      notes: collector?.notes ?? [],
    };
  }

  async estimate({ sql, params }: SqlStatement, timeoutMs: number): Promise<number | undefined> {
    assertReads(sql);
    const values = params.map(bindable).map(parameterText);
    return this.#read(timeoutMs, (query) => this.#context.flavor.estimate(query, sql, values));
  }

  views(timeoutMs: number): Promise<readonly ViewDefinition[]> {
    return this.#read(timeoutMs, (query) => this.#context.flavor.views(query));
  }

  describe(timeoutMs: number, { withUnreadable }: DescribeRequest): Promise<readonly TableDescription[]> {
    return this.#read(timeoutMs, (query) => this.#context.flavor.describe(query, withUnreadable));
  }

  warnings(timeoutMs: number): Promise<readonly string[]> {
    return this.#read(timeoutMs, (query) => this.#context.flavor.warnings(query, this.#context.schema));
  }

  async ping(): Promise<void> {
    await this.#queryForThisUse()('SELECT 1');
  }

  /** Ends what runs; undoes what is left of it where a statement has not done so itself. */
  async reset(): Promise<boolean> {
    this.#use += 1;
    const use = this.#use;
    await this.#endRunning();
    this.#context.filter.clear();
    if (!this.#usable) return false;
    if (this.#last?.leftNothing !== true) {
      if (this.#context.flavor.discardsAlone && this.#isInTransaction) await this.#end(use);
      await this.#end(use, true);
    }
    this.#last = undefined;
    return true;
  }

  destroy(): void {
    this.#usable = false;
    destroyClient(this.#opened.client);
  }

  async #endRunning(): Promise<void> {
    let ended = false;
    const finished = this.#busy.then(() => {
      ended = true;
    });
    // What has finished is known to be so a moment later.
    await Promise.resolve();
    while (!ended && this.#usable) {
      // Awaited, so that no cancel is on its way when the next statement starts.
      await requestCancel(this.#context.target, this.#opened);
      // It may have come before the statement that it is meant for; then another follows.
      await withTimeout(finished, this.#context.flavor.cancelAgainMs, noMatter);
    }
  }

  /** Reads the values of types that were met for the first time. */
  async #convert(statement: Statement, { maxCellBytes }: SqlLimits): Promise<void> {
    const { types, filter } = this.#context;
    const use = this.#use;
    const query = this.#queryForThisUse();
    await this.#endRunning();
    filter.clear();
    const wanted = [...new Set(statement.unknownTypes.values())];
    await this.#end(use);
    const found = this.#context.flavor.looksUpTypes ? await query(TYPES_SQL, [wanted]) : [];
    types.learn(
      wanted,
      found.map(([oid, delimiter, element]) => ({
        oid: Number(oid),
        element: Number(element),
        delimiter: delimiter ?? ',',
      })),
    );
    for (const [index, oid] of statement.unknownTypes) {
      const decode = types.decoder(oid);
      if (decode !== undefined) statement.collector?.convert(index, (text) => decode(text, maxCellBytes));
    }
  }

  async #read<T>(timeoutMs: number, work: (query: Query) => Promise<T>): Promise<T> {
    const { flavor, schema } = this.#context;
    try {
      const query = this.#queryForThisUse();
      for (const { text, values } of [flavor.begin, ...flavor.settings(schema, timeoutMs)]) await query(text, values);
      return await work(query);
    } catch (error) {
      throw statementError(error, timeoutMs, flavor.dialect.label);
    }
  }

  /** Ends the transaction of a use that is not over. */
  async #end(use: number, discards = false): Promise<void> {
    if (use !== this.#use) throw cancelled();
    this.#last = undefined;
    const end = this.#opened.client.query(new PostgresCommands(() => this.#endOf(discards)));
    this.#busy = end.finished.catch(noMatter);
    await end.finished;
  }

  get #isInTransaction(): boolean {
    return this.#opened.client.getTransactionStatus() !== 'I';
  }

  /** Without a transaction, the server would write a warning about a rollback to its log. */
  #endOf(discards: boolean) {
    return [...(this.#isInTransaction ? [ROLLBACK] : []), ...(discards ? [this.#context.flavor.discard] : [])];
  }

  #queryForThisUse(): Query {
    const use = this.#use;
    return async (sql, values) => {
      if (use !== this.#use) throw cancelled();
      this.#last = undefined;
      const answer = this.#opened.client.query<(string | null)[], unknown[]>({
        text: sql,
        rowMode: 'array',
        types: asText,
        // One statement each time, also without values.
        ...(values === undefined ? {} : { values: [...values], queryMode: 'extended' as const }),
      });
      this.#busy = answer.catch(() => {});
      return (await answer).rows;
    };
  }
}
