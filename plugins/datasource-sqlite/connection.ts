/** One SQLite database, asked through its pool of processes. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  AtlasError,
  type ConnectionInfo,
  type HealthItem,
  messageOf,
  type SqlLimits,
  type SqlResult,
  type SqlStatement,
  type TableDescription,
} from '../../kernel/index.ts';
import { fromFailure, missingFile } from './errors.ts';
import type { SqliteConnectionOptions } from './options.ts';
import { encodeParam } from './params.ts';
import { ProcessPool } from './pool.ts';
import type { Cell, ProcessRequest, WireResult } from './protocol.ts';
import { maskSqliteUrl, parseSqliteUrl } from './url.ts';
import type { ProcessWatcher } from './watcher.ts';

/** For a statement that comes without limits of its own. */
const DEFAULT_LIMITS: SqlLimits = {
  maxRows: 1_000,
  maxBytes: 8 * 1024 * 1024,
  maxCellBytes: 64 * 1024,
  timeoutMs: 30_000,
};
const DESCRIBE_TIMEOUT_MS = 60_000;
const HEALTH_TIMEOUT_MS = 2_000;
const FILE_HEADER = 'SQLite format 3\0';

function toObjects(columns: readonly string[], rows: readonly (readonly Cell[])[]): Record<string, Cell>[] {
  // Assigning to `__proto__` would set the prototype instead.
  if (columns.includes('__proto__')) {
    return rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])));
  }
  return rows.map((row) => {
    const object: Record<string, Cell> = {};
    for (let index = 0; index < columns.length; index += 1) object[columns[index] as string] = row[index] as Cell;
    return object;
  });
}

export class SqliteConnection {
  readonly info: ConnectionInfo;
  readonly #path: string;
  readonly #file: string;
  readonly #pool: ProcessPool;

  /** Throws `configuration_error` for a URL that names no file. Nothing is opened or started yet. */
  constructor(options: SqliteConnectionOptions, cwd: string, watcher: ProcessWatcher) {
    this.#path = parseSqliteUrl(options.url, cwd);
    this.#file = basename(this.#path);
    this.#pool = new ProcessPool({ ...options, connection: options.id, path: this.#path }, watcher);
    this.info = {
      id: options.id,
      dbType: 'sqlite',
      maskedUrl: maskSqliteUrl(this.#path),
      ...(options.description === undefined ? {} : { description: options.description }),
    };
  }

  /** Runs one checked statement. An abort of `signal` rejects at once and frees the processor within a second. */
  async execute(statement: SqlStatement, signal?: AbortSignal): Promise<SqlResult> {
    if (statement.tables === undefined) {
      throw new AtlasError('The statement was not checked: nobody said which tables it may read.', {
        code: 'sql_refused',
        reason: 'E_SQL_UNCHECKED',
        hint: 'Add the plugin "sql-guard" to the composition.',
      });
    }
    const { timeoutMs, ...limits } = statement.limits ?? DEFAULT_LIMITS;
    const request: ProcessRequest = {
      kind: 'execute',
      sql: statement.sql,
      params: statement.params.map(encodeParam),
      tables: statement.tables,
      functions: statement.functions ?? null,
      ...limits,
    };
    const result = (await this.#ask(request, timeoutMs, signal)) as WireResult;
    return { ...result, rows: toObjects(result.columns, result.rows) };
  }

  async describe(signal?: AbortSignal): Promise<readonly TableDescription[]> {
    return (await this.#ask({ kind: 'describe' }, DESCRIBE_TIMEOUT_MS, signal)) as readonly TableDescription[];
  }

  /** Never waits behind statements: a busy connection is judged by its file. */
  async health(): Promise<HealthItem> {
    const startedAt = performance.now();
    const item = (status: HealthItem['status'], message?: string): HealthItem => ({
      component: 'datasource',
      id: this.info.id,
      status,
      latencyMs: Math.round((performance.now() - startedAt) * 10) / 10,
      details: { dbType: this.info.dbType },
      ...(message === undefined ? {} : { message }),
    });
    try {
      if (this.#pool.hasIdle) await this.#ask({ kind: 'ping' }, HEALTH_TIMEOUT_MS);
      else await this.#readHeader();
      return item('ok');
    } catch (error) {
      const locked = error instanceof AtlasError && error.reason === 'E_SQLITE_LOCKED';
      return item(locked ? 'degraded' : 'error', messageOf(error));
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #ask(request: ProcessRequest, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    const { value, failure } = await this.#pool.run(request, timeoutMs, signal);
    if (failure !== undefined) throw fromFailure(failure, this.#file);
    return value;
  }

  /** An empty file is an empty database. */
  async #readHeader(): Promise<void> {
    try {
      await using file = await open(this.#path);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(FILE_HEADER.length), 0, FILE_HEADER.length, 0);
      if (bytesRead === 0 || buffer.toString('latin1') === FILE_HEADER) return;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT') throw missingFile(this.#file);
      throw fromFailure(
        { kind: 'engine', code: code === 'EACCES' ? 'SQLITE_PERM' : 'SQLITE_IOERR', message: '' },
        this.#file,
      );
    }
    throw fromFailure({ kind: 'engine', code: 'SQLITE_NOTADB', message: '' }, this.#file);
  }
}
