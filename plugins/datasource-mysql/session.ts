/** One connection to MySQL or MariaDB. */
import mysql, { type Connection, type FieldPacket, type PrepareStatementInfo } from 'mysql2';
import type { DescribeRequest, SqlLimits, SqlStatement, TableDescription } from '../../kernel/index.ts';
import {
  type ArrivedResult,
  assertReads,
  bindable,
  cancelled,
  connectionLost,
  DEFAULT_LIMITS,
  notReading,
  RowCollector,
  type RowLimits,
  type Session,
  statementFailed,
  uniqueNames,
  type Value,
  type ViewDefinition,
  withObjects,
} from '../datasource-kit/index.ts';
import { destroyConnection, killConnection } from './connect.ts';
import { describeDatabases } from './describe.ts';
import { statementError } from './errors.ts';
import { rowsOfPlan, withoutLimit } from './estimate.ts';
import { typedParameters } from './parameters.ts';
import { loginWarnings } from './privileges.ts';
import type { Query } from './query.ts';
import { settingsSql, timeoutSql } from './settings.ts';
import type { MysqlTarget } from './url.ts';
import { type Decoder, decoderOf, type Raw, sinkType } from './values.ts';
import { viewsOf } from './views.ts';

/** The timeout that a session has until a statement wants another. */
const USUAL_TIMEOUT_MS = 30_000;
/** A row is held whole before it can be cut. */
const ROW_LIMIT_BYTES = 32 * 1024 * 1024;

export class MysqlSession implements Session {
  readonly #connection: Connection;
  readonly #target: MysqlTarget;
  #isMariaDb = false;
  #timeoutMs = USUAL_TIMEOUT_MS;
  #usable = true;
  /** Rejects what waits for an answer when the connection ends. */
  readonly #lost = Promise.withResolvers<never>();
  /** The server has not finished what it was asked. */
  #running = false;
  /** Counts the uses: what belongs to one that is over must not ask anything more. */
  #use = 0;
  #bytesSinceRow = 0;

  constructor(connection: Connection, target: MysqlTarget, onEnd: () => void) {
    this.#connection = connection;
    this.#target = target;
    this.#lost.promise.catch(() => {});
    const ended = (error?: unknown) => {
      this.#lost.reject(error instanceof Error ? error : connectionLost());
      if (!this.#usable) return;
      this.#usable = false;
      onEnd();
    };
    connection.on('error', ended);
    connection.on('end', ended);
    // Behind the library's own listener, which has by then counted the rows that were complete.
    streamOf(connection).on('data', (chunk: Buffer) => {
      this.#bytesSinceRow += chunk.length;
      if (this.#bytesSinceRow > ROW_LIMIT_BYTES && this.#running) this.#lost.reject(rowTooLong());
    });
  }

  get usable(): boolean {
    return this.#usable;
  }

  /** Learns which server it is and sets the session up. */
  async begin(): Promise<this> {
    const [[version] = []] = await this.#queryForThisUse()('SELECT VERSION()');
    this.#isMariaDb = /mariadb/i.test(version ?? '');
    await this.#settle();
    return this;
  }

  async run({ sql, params }: SqlStatement, limits: SqlLimits & RowLimits): Promise<ArrivedResult> {
    assertReads(sql);
    const values = params.map(bindable).map(typedParameters(mysql));
    const use = this.#use;
    const query = this.#queryForThisUse();
    try {
      await this.#limitTo(limits.timeoutMs, query);
      await query('START TRANSACTION READ ONLY');
      const statement = await this.#prepare(use, sql);
      if (statement.parameters.length !== values.length) {
        throw statementFailed(
          `The statement has ${statement.parameters.length} parameters, and ${values.length} values are bound.`,
        );
      }
      if (use !== this.#use) throw cancelled();
      return await this.#execute(statement, values, limits);
    } catch (error) {
      throw statementError(error, limits.timeoutMs);
    }
  }

  async estimate({ sql, params }: SqlStatement, timeoutMs: number): Promise<number | undefined> {
    assertReads(sql);
    const values = params.map(bindable).map(typedParameters(mysql));
    const use = this.#use;
    const query = this.#queryForThisUse();
    try {
      await this.#limitTo(timeoutMs, query);
      await query('START TRANSACTION READ ONLY');
      const planOf = async (text: string) => {
        const statement = await this.#prepare(use, `EXPLAIN ${this.#isMariaDb ? 'EXTENDED ' : ''}${text}`, true);
        if (use !== this.#use) throw cancelled();
        return withObjects(await this.#execute(statement, values, { ...DEFAULT_LIMITS, timeoutMs })).rows;
      };
      const plan = await planOf(sql);
      const rows = rowsOfPlan(plan);
      const longer = withoutLimit(sql, plan);
      if (rows === undefined || longer === undefined) return rows;
      const all = rowsOfPlan(await planOf(longer));
      return all && Math.max(rows, all);
    } catch (error) {
      throw statementError(error, timeoutMs);
    }
  }

  views(timeoutMs: number): Promise<readonly ViewDefinition[]> {
    return this.#read(timeoutMs, viewsOf);
  }

  describe(timeoutMs: number, { schemas }: DescribeRequest): Promise<readonly TableDescription[]> {
    return this.#read(timeoutMs, (query) => describeDatabases(query, this.#target.database, schemas));
  }

  warnings(timeoutMs: number): Promise<readonly string[]> {
    return this.#read(timeoutMs, loginWarnings);
  }

  async ping(): Promise<void> {
    await this.#queryForThisUse()('SELECT 1');
  }

  async reset(): Promise<boolean> {
    this.#use += 1;
    if (!this.#usable) return false;
    if (this.#running) {
      await killConnection(this.#target, this.#connection.threadId);
      return false;
    }
    const query = this.#queryForThisUse();
    await query('ROLLBACK');
    // Variables, locks by name, temporary tables, prepared statements: all of it goes.
    await this.#wait(this.#use, (done) => this.#connection.reset((error) => done(error)));
    await this.#settle();
    return true;
  }

  destroy(): void {
    this.#usable = false;
    this.#lost.reject(connectionLost());
    destroyConnection(this.#connection);
  }

  async #settle(): Promise<void> {
    this.#timeoutMs = USUAL_TIMEOUT_MS;
    await this.#queryForThisUse()(settingsSql(this.#isMariaDb, USUAL_TIMEOUT_MS));
  }

  async #limitTo(timeoutMs: number, query: Query): Promise<void> {
    if (timeoutMs === this.#timeoutMs) return;
    await query(timeoutSql(this.#isMariaDb, timeoutMs));
    this.#timeoutMs = timeoutMs;
  }

  /** A statement without columns gives no rows: it writes, sets, locks or stores, and is never run. */
  async #prepare(use: number, sql: string, isPlan = false): Promise<Prepared> {
    const statement = await this.#wait<PrepareStatementInfo>(use, (done) => this.#connection.prepare(sql, done));
    const prepared = statement as unknown as Prepared;
    // The server tells the columns of a plan only with the rows.
    if (prepared.columns.length === 0 && !isPlan) throw notReading();
    return prepared;
  }

  #execute(statement: Prepared, values: unknown[], limits: SqlLimits & RowLimits): Promise<ArrivedResult> {
    let columns: string[] = [];
    let decoders: Decoder[] = [];
    let collector = new RowCollector(columns, limits);
    const enough = Promise.withResolvers<void>();
    this.#bytesSinceRow = 0;
    this.#running = true;
    const command = statement.execute(values);
    command.on('fields', (fields: FieldPacket[]) => {
      columns = uniqueNames(fields.map(({ name }) => name));
      decoders = fields.map(decoderOf);
      collector = new RowCollector(columns, limits);
      collector.describe(() => fields.map(sinkType));
    });
    let full = false;
    let isWaiting = false;
    command.on('result', (row: readonly (Raw | null)[]) => {
      this.#bytesSinceRow = 0;
      if (full) return;
      try {
        const decoded = row.map((raw, index): Value => {
          const decode = decoders[index];
          return raw === null || decode === undefined ? null : decode(raw, limits.maxCellBytes);
        });
        full = !collector.add(decoded);
        if (collector.isSending && !isWaiting) {
          // The server is held back until the rows so far are taken.
          isWaiting = true;
          this.#connection.pause();
          const resume = () => {
            isWaiting = false;
            if (!full) this.#connection.resume();
          };
          collector.sent().then(resume, (error: unknown) => {
            full = true;
            enough.reject(error);
          });
        }
        if (full) {
          // What still comes until the server is told to stop is not even read.
          this.#connection.pause();
          enough.resolve();
        }
      } catch (error) {
        full = true;
        this.#connection.pause();
        enough.reject(error);
      }
    });
    command.on('error', (error: unknown) => {
      this.#running = false;
      enough.reject(error);
    });
    command.on('end', () => {
      this.#running = false;
      enough.resolve();
    });
    return Promise.race([enough.promise, this.#lost.promise]).then(() => collector.result());
  }

  async #read<T>(timeoutMs: number, work: (query: Query) => Promise<T>): Promise<T> {
    const query = this.#queryForThisUse();
    try {
      await this.#limitTo(timeoutMs, query);
      return await work(query);
    } catch (error) {
      throw statementError(error, timeoutMs);
    }
  }

  /** The text protocol, for the driver's own statements. */
  #queryForThisUse(): Query {
    const use = this.#use;
    return (sql, values = []) =>
      this.#wait<(string | null)[][]>(use, (done) => {
        this.#connection.query({ sql, values: [...values], typeCast: textOf }, (error, rows) => {
          done(error, rows as unknown as (string | null)[][]);
        });
      });
  }

  /** Asks the server one thing and waits for its answer. */
  #wait<T>(use: number, ask: (done: (error: unknown, value?: T) => void) => void): Promise<T> {
    if (use !== this.#use) return Promise.reject(cancelled());
    const answer = new Promise<T>((resolve, reject) => {
      this.#running = true;
      ask((error, value) => {
        this.#running = false;
        if (error) reject(error);
        else resolve(value as T);
      });
    });
    return Promise.race([answer, this.#lost.promise]);
  }
}

/** A prepared statement with what the library's types leave out. */
interface Prepared {
  readonly columns: readonly unknown[];
  readonly parameters: readonly unknown[];
  execute(values: unknown[]): {
    on(event: 'fields', listener: (fields: FieldPacket[]) => void): void;
    on(event: 'result', listener: (row: readonly (Raw | null)[]) => void): void;
    on(event: 'error', listener: (error: unknown) => void): void;
    on(event: 'end', listener: () => void): void;
  };
}

const textOf = (field: { string(): string | null }) => field.string();

function streamOf(connection: Connection): NodeJS.ReadableStream {
  return (connection as unknown as { stream: NodeJS.ReadableStream }).stream;
}

function rowTooLong() {
  return statementFailed(
    `A row of the result is larger than ${ROW_LIMIT_BYTES / 1024 / 1024} MB.`,
    'Select fewer or shorter values, such as LEFT(column, 1000).',
  );
}
