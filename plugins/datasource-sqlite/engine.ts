/** Reads one SQLite file inside the database process. Opens it late, and anew when the file is replaced. */
import { statSync } from 'node:fs';
import Sqlite, { type Database, type Statement } from 'better-sqlite3';
import type { TableDescription } from '../../kernel/index.ts';
import type {
  Engine,
  EstimateMessage,
  ExecuteRequest,
  Failure,
  OpenEngine,
  RowWriter,
  SinkType,
  Value,
  ViewDefinition,
} from '../datasource-kit/index.ts';
import { bind } from './bind.ts';
import { describeSchema } from './describe.ts';
import { estimatedRows, type Step } from './estimate.ts';
import { type Allowed, Refusal, Schema } from './verify.ts';
import { viewsOf } from './views.ts';

/** How long a read waits for a writer that holds the whole file. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHED_STATEMENTS = 200;
/** A process that a large value has swollen is replaced after its answer. */
const RETIRE_ABOVE_BYTES = 128 * 1024 * 1024;

interface Checked {
  readonly statement: Statement<unknown[], unknown[]>;
  readonly columns: readonly string[];
}

class Missing extends Error {}

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

/** A declared type promises nothing in SQLite, but says what texts of digits are. */
const sinkType = (declared: string | null): SinkType =>
  /INT|REAL|FLOA|DOUB|NUM|DEC/i.test(declared ?? '') ? 'number' : 'any';

class SqliteEngine implements Engine {
  readonly retireAboveBytes = RETIRE_ABOVE_BYTES;
  readonly #path: string;
  #session: Session | undefined;
  #schema: Schema | undefined;
  readonly #checked = new Map<string, Checked>();
  #isStuck = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether a statement cannot be ended any more. */
  isStuck(): boolean {
    return this.#isStuck;
  }

  /** Reads the file without waiting for a writer. */
  ping(): void {
    const { db, schemaVersion } = this.#open();
    db.pragma('busy_timeout = 0');
    try {
      schemaVersion.get();
    } finally {
      db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  describe(): Promise<readonly TableDescription[]> {
    return this.#read(async ({ db }) => describeSchema(db));
  }

  execute(request: ExecuteRequest, rows: RowWriter): Promise<void> {
    return this.#read(async (session) => {
      const { statement, columns } = this.#prepare(session, request);
      rows.begin(columns, () => statement.columns().map(({ type }) => sinkType(type)));
      for (const row of statement.iterate(...request.params.map(bind))) {
        if (!rows.add(row as Value[])) break;
        if (rows.isSending) await rows.sent();
      }
    });
  }

  estimate(request: EstimateMessage): Promise<number | undefined> {
    return this.#read(async (session) => {
      // What may not run is not estimated either.
      this.#prepare(session, request);
      const steps = session.db.prepare<unknown[], Step>(`EXPLAIN QUERY PLAN ${request.sql}`);
      const tables = this.#schema?.tablesOf(request.sql) ?? [];
      return estimatedRows(session.db, steps.all(...request.params.map(bind)), tables, request);
    });
  }

  views(): Promise<readonly ViewDefinition[]> {
    return this.#read(async ({ db }) => viewsOf(db));
  }

  failureOf(error: unknown): Failure {
    if (error instanceof Missing) return { kind: 'missing', code: '', message: '' };
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Refusal) return { kind: 'refused', code: '', message };
    if (error instanceof RangeError && !/parameter/i.test(message)) {
      return { kind: 'engine', code: 'SQLITE_NOMEM', message };
    }
    // The driver's own objections (two statements, a missing parameter) are plain errors.
    return { kind: 'engine', code: error instanceof Sqlite.SqliteError ? error.code : 'SQLITE_MISUSE', message };
  }

  /** Inside a read transaction, so that the schema that was checked is the schema that is read. */
  async #read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#open();
    session.begin.run();
    try {
      return await work(session);
    } finally {
      this.#rollBack(session);
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

  #prepare(session: Session, request: Allowed & { readonly sql: string }): Checked {
    const version = session.schemaVersion.get() ?? 0;
    if (this.#schema?.version !== version) {
      this.#forget();
      this.#schema = new Schema(session.db, version);
    }
    const key = JSON.stringify([request.sql, request.tables, request.functions]);
    const known = this.#checked.get(key);
    if (known !== undefined) {
      // The least recently used one is dropped first.
      this.#checked.delete(key);
      this.#checked.set(key, known);
      return known;
    }
    const statement = this.#schema.prepare(request.sql, request);
    const checked = { statement, columns: statement.columns().map((column) => column.name) };
    this.#checked.set(key, checked);
    const oldest = this.#checked.keys().next();
    if (this.#checked.size > CACHED_STATEMENTS && !oldest.done) this.#checked.delete(oldest.value);
    return checked;
  }
}

export const openEngine: OpenEngine = ([path = '']) => new SqliteEngine(path);
