/** One database in a file, asked through its pool of processes. */
import { open } from 'node:fs/promises';
import {
  AtlasError,
  type ConnectionInfo,
  type DbType,
  type HealthItem,
  type SqlLimits,
  type SqlResult,
  type SqlStatement,
  type TableDescription,
} from '../../kernel/index.ts';
import { refuseNullByte } from './admit.ts';
import type { Program } from './database-process.ts';
import { adviceOf, unchecked } from './errors.ts';
import { ProcessPool, type ProcessPoolOptions } from './process-pool.ts';
import type { Failure, ProcessRequest, WireParam, WireResult } from './process-protocol.ts';
import type { ProcessWatcher } from './process-watcher.ts';
import { toObjects } from './values.ts';

/** For a statement that comes without limits of its own. */
const DEFAULT_LIMITS: SqlLimits = {
  maxRows: 1_000,
  maxBytes: 8 * 1024 * 1024,
  maxCellBytes: 64 * 1024,
  timeoutMs: 30_000,
};
const DESCRIBE_TIMEOUT_MS = 60_000;
const HEALTH_TIMEOUT_MS = 2_000;

/** What is particular to an engine and its files. */
export interface FileEngine {
  readonly dbType: DbType;
  readonly path: string;
  readonly maskedUrl: string;
  readonly program: Program;
  /** Bytes that its files begin with, and where they stand. */
  readonly header: { readonly bytes: string; readonly at: number; readonly mayBeEmpty: boolean };
  encodeParam(value: unknown): WireParam;
  fromFailure(failure: Failure): AtlasError;
  missingFile(): AtlasError;
  unreadableFile(mayNotBeRead: boolean): AtlasError;
  foreignFile(): AtlasError;
}

export class FileDatabase {
  readonly info: ConnectionInfo;
  readonly #engine: FileEngine;
  readonly #pool: ProcessPool;

  /** Nothing is opened or started yet. */
  constructor(
    engine: FileEngine,
    options: Omit<ProcessPoolOptions, 'connection' | 'program'> & {
      readonly id: string;
      readonly description?: string;
    },
    watcher: ProcessWatcher,
  ) {
    this.#engine = engine;
    this.#pool = new ProcessPool({ ...options, connection: options.id, program: engine.program }, watcher);
    this.info = {
      id: options.id,
      dbType: engine.dbType,
      maskedUrl: engine.maskedUrl,
      ...(options.description === undefined ? {} : { description: options.description }),
    };
  }

  /** Runs one checked statement. An abort of `signal` rejects at once and frees the processor within a second. */
  async execute(statement: SqlStatement, signal?: AbortSignal): Promise<SqlResult> {
    if (statement.tables === undefined) throw unchecked();
    refuseNullByte(statement.sql);
    const { timeoutMs, ...limits } = statement.limits ?? DEFAULT_LIMITS;
    const request: ProcessRequest = {
      kind: 'execute',
      sql: statement.sql,
      params: statement.params.map((value) => this.#engine.encodeParam(value)),
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
      const locked = error instanceof AtlasError && error.code === 'overloaded';
      return item(locked ? 'degraded' : 'error', adviceOf(error));
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #ask(request: ProcessRequest, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    const { value, failure } = await this.#pool.run(request, timeoutMs, signal);
    if (failure === undefined) return value;
    throw failure.kind === 'missing' ? this.#engine.missingFile() : this.#engine.fromFailure(failure);
  }

  async #readHeader(): Promise<void> {
    const { bytes, at, mayBeEmpty } = this.#engine.header;
    try {
      await using file = await open(this.#engine.path);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes.length), 0, bytes.length, at);
      if (buffer.toString('latin1') === bytes || (mayBeEmpty && bytesRead === 0)) return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw code === 'ENOENT' ? this.#engine.missingFile() : this.#engine.unreadableFile(code === 'EACCES');
    }
    throw this.#engine.foreignFile();
  }
}
