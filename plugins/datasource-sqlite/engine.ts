/** One SQLite file, read-only, inside the database process. Opens late, follows a file that is replaced. */
import { statSync } from 'node:fs';
import Sqlite, { type Database, type Statement } from 'better-sqlite3';
import type { ExecuteRequest, Failure, ProcessRequest, WireParam, WireResult } from '../datasource/process-protocol.ts';
import { RowCollector, uniqueNames, type Value } from '../datasource/values.ts';
import { describeSchema } from './describe.ts';
import { Refusal, Schema } from './verify.ts';

/** How long a read waits for a writer that holds the whole file. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHED_STATEMENTS = 200;

interface Checked {
  readonly statement: Statement<unknown[], unknown[]>;
  readonly columns: readonly string[];
}

class Missing extends Error {}

/** What went wrong once the statement read rows. */
class WhileRunning {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

interface Session {
  readonly db: Database;
  /** Device and inode: a file moved over the path is another database. */
  readonly identity: string;
  readonly begin: Statement;
  readonly rollback: Statement;
  readonly schemaVersion: Statement<[], number>;
}

function open(path: string, identity: string): Session {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    // Sorts spill to a temporary file rather than into memory; the cache stays within 8 MiB.
    for (const setting of ['query_only = ON', 'trusted_schema = OFF', 'cell_size_check = ON', 'cache_size = -8192']) {
      db.pragma(setting);
    }
    return {
      db,
      identity,
      begin: db.prepare('BEGIN'),
      rollback: db.prepare('ROLLBACK'),
      schemaVersion: db.prepare<[], number>('PRAGMA main.schema_version').pluck(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Integers are bound as integers: a JavaScript number would arrive as a real, and `7 / 2.0` is not `7 / 2`. */
function bind(param: WireParam): unknown {
  if (typeof param === 'number') return Number.isSafeInteger(param) ? BigInt(param) : param;
  if (typeof param !== 'object' || param === null) return param;
  if ('integer' in param) return BigInt(param.integer);
  return 'base64' in param ? Buffer.from(param.base64, 'base64') : param.timestamp;
}

export class Engine {
  readonly #path: string;
  #session: Session | undefined;
  #schema: Schema | undefined;
  readonly #checked = new Map<string, Checked>();
  #isStuck = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether a statement cannot be ended any more, so that the process has to be replaced. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Answers one request; whatever goes wrong comes back as a failure. */
  answer(request: ProcessRequest): { value: unknown } | { failure: Failure } {
    try {
      const session = this.#open();
      if (request.kind === 'ping') return { value: this.#ping(session) };
      session.begin.run();
      try {
        return { value: request.kind === 'describe' ? describeSchema(session.db) : this.#execute(session, request) };
      } finally {
        this.#rollBack(session);
      }
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  #rollBack({ db, rollback }: Session): void {
    try {
      if (db.inTransaction) rollback.run();
    } catch {
      // The driver leaves a statement open when a value of it did not fit the memory.
      this.#isStuck = true;
    }
  }

  #open(): Session {
    const stat = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
    const identity = stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
    if (this.#session !== undefined && this.#session.identity !== identity) this.#close();
    if (identity === undefined) throw new Missing();
    this.#session ??= open(this.#path, identity);
    return this.#session;
  }

  #close(): void {
    this.#session?.db.close();
    this.#session = undefined;
    this.#forget();
  }

  #forget(): void {
    this.#schema = undefined;
    this.#checked.clear();
  }

  /** Reads the file without waiting for a writer. */
  #ping({ db, schemaVersion }: Session): number | undefined {
    db.pragma('busy_timeout = 0');
    try {
      return schemaVersion.get();
    } finally {
      db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** Inside a read transaction, so that the schema that was checked is the schema that is read. */
  #execute(session: Session, request: ExecuteRequest): WireResult {
    const { statement, columns } = this.#prepare(session, request);
    const collector = new RowCollector(columns, request);
    try {
      for (const row of statement.iterate(...request.params.map(bind))) {
        if (!collector.add(row as Value[])) break;
      }
    } catch (error) {
      throw new WhileRunning(error);
    }
    return { columns, rows: collector.rows, truncated: collector.truncated, notes: collector.notes };
  }

  #prepare(session: Session, request: ExecuteRequest): Checked {
    const version = session.schemaVersion.get() ?? 0;
    if (this.#schema?.version !== version) {
      this.#forget();
      this.#schema = new Schema(session.db, version);
    }
    const key = JSON.stringify([request.sql, request.tables, request.functions]);
    const known = this.#checked.get(key);
    if (known !== undefined) {
      // Back to the young end of the map.
      this.#checked.delete(key);
      this.#checked.set(key, known);
      return known;
    }
    const statement = this.#schema.prepare(request.sql, request);
    const checked = { statement, columns: uniqueNames(statement.columns().map((column) => column.name)) };
    this.#checked.set(key, checked);
    const oldest = this.#checked.keys().next();
    if (this.#checked.size > CACHED_STATEMENTS && !oldest.done) this.#checked.delete(oldest.value);
    return checked;
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof WhileRunning) return { ...failureOf(error.error), metData: true };
  if (error instanceof Missing) return { kind: 'missing', code: '', message: '' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Refusal) return { kind: 'refused', code: '', message };
  if (error instanceof RangeError && !/parameter/i.test(message))
    return { kind: 'engine', code: 'SQLITE_NOMEM', message };
  // The driver's own objections (two statements, a missing parameter) are plain errors.
  return { kind: 'engine', code: error instanceof Sqlite.SqliteError ? error.code : 'SQLITE_MISUSE', message };
}
