/** Answers for one database in a file, through a pool of processes. */
import { open, stat } from 'node:fs/promises';
import type {
  AtlasError,
  Awaitable,
  ConnectionInfo,
  DbType,
  HealthItem,
  SqlResult,
  SqlStatement,
  TableDescription,
} from '../../../kernel/index.ts';
import { connectionInfo } from '../connection-info.ts';
import { unchecked } from '../errors.ts';
import type { EstimateRequest } from '../estimate-request.ts';
import { HEALTH_TIMEOUT_MS, healthOf } from '../health.ts';
import { DEFAULT_LIMITS, ESTIMATE_TIMEOUT_MS } from '../limits.ts';
import { CountedSink, exceedsSink, type RowSink } from '../row-sink.ts';
import { refuseNullByte } from '../statement-check.ts';
import { type ResultMemory, withObjects } from '../values.ts';
import type { ViewDefinition } from '../view-definition.ts';
import type { Program } from './database-process.ts';
import type { FileErrors } from './file-errors.ts';
import { type ProcessCall, ProcessPool, type ProcessPoolOptions } from './process-pool.ts';
import type { ProcessWatcher } from './process-watcher.ts';
import type { EstimateMessage, ExecuteRequest, Failure, ProcessRequest, WireResult } from './protocol.ts';
import { encodeParam } from './wire-params.ts';

const DESCRIBE_TIMEOUT_MS = 60_000;

/** Describes an engine and its files. */
export interface FileEngine {
  readonly dbType: DbType;
  readonly path: string;
  readonly maskedUrl: string;
  readonly program: Omit<Program, 'errors'>;
  /** Bytes that its files begin with, and where they stand. */
  readonly header: { readonly bytes: string; readonly at: number; readonly mayBeEmpty: boolean };
  readonly errors: FileErrors;
  /** The error of a failure of the kind `engine`. */
  fromFailure(failure: Failure): AtlasError;
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
    this.#pool = new ProcessPool(
      { ...options, connection: options.id, program: { ...engine.program, errors: engine.errors } },
      watcher,
    );
    this.info = connectionInfo(engine.dbType, options, engine.maskedUrl);
  }

  /**
   * Runs one checked statement. An abort of `signal` rejects at once and frees the processor within a second. `memory` is
   * asked when the statement leaves the queue. A `sink` takes the rows while they are read.
   */
  async execute(
    statement: SqlStatement,
    signal?: AbortSignal,
    memory?: () => Awaitable<ResultMemory | undefined>,
    _user?: string,
    sink?: RowSink,
  ): Promise<SqlResult> {
    if (statement.tables === undefined) throw unchecked();
    refuseNullByte(statement.sql);
    const { timeoutMs, ...limits } = statement.limits ?? sink?.limits ?? DEFAULT_LIMITS;
    const fixed: ExecuteRequest = {
      kind: 'execute',
      sql: statement.sql,
      params: statement.params.map(encodeParam),
      tables: statement.tables,
      functions: statement.functions ?? null,
      ...limits,
    };
    if (sink !== undefined) return this.#handOn({ ...fixed, isWhole: true }, new CountedSink(sink), timeoutMs, signal);
    let room: ResultMemory | undefined;
    const call: ProcessCall = {
      async request() {
        room = await memory?.();
        return room === undefined ? fixed : { ...fixed, roomBytes: room.roomBytes };
      },
      arrived: ({ bytes }) => {
        room?.hold(bytes);
        return true;
      },
    };
    const { isOutOfRoom, ...result } = (await this.#call(call, timeoutMs, signal)) as WireResult;
    if (isOutOfRoom) room?.exceeded();
    return withObjects(result);
  }

  async #handOn(
    request: ExecuteRequest,
    sink: CountedSink,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<SqlResult> {
    const stop = new AbortController();
    /** In order, and never rejecting: what goes wrong stops the statement. */
    let taken = Promise.resolve();
    const take = ({ columns, types, rows }: Pick<WireResult, 'columns' | 'types' | 'rows'>) => {
      taken = taken
        .then(async () => {
          if (stop.signal.aborted) return;
          if (types !== undefined) sink.begin(columns, types);
          if (rows.length > 0) await sink.write(rows);
        })
        .catch((error: unknown) => stop.abort(error));
      return taken;
    };
    const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const result = (await this.#call({ request: () => request, arrived: take }, timeoutMs, both)) as WireResult;
    if (result.exceeded !== undefined) throw exceedsSink(result.exceeded);
    await take(result);
    if (stop.signal.aborted) throw stop.signal.reason;
    return sink.result(result);
  }

  /** `undefined`: the engine cannot tell. */
  async estimate({ statement, names, lists = {} }: EstimateRequest, signal?: AbortSignal): Promise<number | undefined> {
    if (statement.tables === undefined) throw unchecked();
    refuseNullByte(statement.sql);
    const request: EstimateMessage = {
      kind: 'estimate',
      sql: statement.sql,
      params: statement.params.map(encodeParam),
      tables: statement.tables,
      functions: statement.functions ?? null,
      names,
      lists,
    };
    return (await this.#ask(request, ESTIMATE_TIMEOUT_MS, signal)) as number | undefined;
  }

  /** `undefined`: the engine does not tell. */
  async views(signal?: AbortSignal): Promise<readonly ViewDefinition[] | undefined> {
    return (await this.#ask({ kind: 'views' }, DESCRIBE_TIMEOUT_MS, signal)) as readonly ViewDefinition[] | undefined;
  }

  async describe(signal?: AbortSignal): Promise<readonly TableDescription[]> {
    return (await this.#ask({ kind: 'describe' }, DESCRIBE_TIMEOUT_MS, signal)) as readonly TableDescription[];
  }

  health(): Promise<HealthItem> {
    return healthOf(this.info, () => this.check());
  }

  /** Rejects when the file cannot be read. Never waits behind statements: a busy connection is judged by its file. */
  async check(): Promise<void> {
    await (this.#pool.hasIdle ? this.#ask({ kind: 'ping' }, HEALTH_TIMEOUT_MS) : this.#readHeader());
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #ask(request: ProcessRequest, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    return this.#call({ request: () => request }, timeoutMs, signal);
  }

  async #call(call: ProcessCall, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    const { value, failure } = await this.#pool.run(call, timeoutMs, signal);
    if (failure === undefined) return value;
    const { errors, fromFailure } = this.#engine;
    if (failure.kind === 'missing') throw errors.missingFile();
    if (failure.kind === 'engine' && (await isFolder(this.#engine.path))) throw errors.folderAsFile();
    throw failure.kind === 'refused' ? errors.refused(failure) : fromFailure(failure);
  }

  async #readHeader(): Promise<void> {
    const { bytes, at, mayBeEmpty } = this.#engine.header;
    try {
      await using file = await open(this.#engine.path);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes.length), 0, bytes.length, at);
      if (buffer.toString('latin1') === bytes || (mayBeEmpty && bytesRead === 0)) return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const { errors } = this.#engine;
      if (code === 'ENOENT') throw errors.missingFile();
      throw code === 'EISDIR' ? errors.folderAsFile() : errors.unreadableFile(code === 'EACCES');
    }
    throw this.#engine.errors.foreignFile();
  }
}

const isFolder = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
};
