/** Sends statements to the thread that has a SQLite file open. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CACHED_SOURCES, moduleBeside } from '../datasource-kit/index.ts';
import type { BatchStatement } from './row-types.ts';

export interface ThreadData {
  readonly path: string;
  /** How long a statement may hold the thread up while another process writes. */
  readonly waitMs: number;
}

export interface StatementRequest {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** Statements of one transaction, each run for every row of its JSON list. */
export interface BatchRequest {
  readonly batch: readonly BatchStatement[];
}

export interface StatementReply {
  /** Rows of a statement that reads. */
  readonly rows?: readonly unknown[];
  readonly changes?: number;
  readonly lastInsertRowid?: number | bigint;
  readonly error?: { readonly message: string; readonly code: string | undefined };
}

const THREAD = moduleBeside('sqlite-thread', import.meta.url);

/** It lets what it has done with lie about until then; the largest answers take a tenth of it. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 6 };

interface Waiting {
  resolve(reply: StatementReply): void;
  reject(error: unknown): void;
}

export class SqliteConnection {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #fault: unknown;

  /** Rejects with the error of SQLite, and its `code`, when the file cannot be opened. */
  static async open(data: ThreadData): Promise<SqliteConnection> {
    const connection = new SqliteConnection(data);
    await connection.#next();
    return connection;
  }

  private constructor(data: ThreadData) {
    this.#worker = new Worker(THREAD, {
      workerData: data,
      execArgv: [],
      env: { ...process.env, ...CACHED_SOURCES },
      resourceLimits: MEMORY,
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: StatementReply) => this.#waiting.shift()?.resolve(reply));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('Connection ended')));
  }

  get isOpen(): boolean {
    return this.#fault === undefined;
  }

  /** Rejects with an error that carries the `code` of SQLite. */
  run(sql: string, bindings: readonly unknown[]): Promise<StatementReply> {
    return this.#send({ sql, bindings });
  }

  /** All of the statements in one transaction, or none. Rejects as `run` does. */
  async runAll(batch: readonly BatchStatement[]): Promise<void> {
    await this.#send({ batch });
  }

  async #send(request: StatementRequest | BatchRequest): Promise<StatementReply> {
    if (this.#fault !== undefined) throw this.#fault;
    this.#worker.postMessage(request);
    const reply = await this.#next();
    if (reply.error === undefined) return reply;
    const { message, code } = reply.error;
    throw Object.assign(new Error(message), { code });
  }

  async close(): Promise<void> {
    if (this.#fault !== undefined) return;
    const exited = once(this.#worker, 'exit');
    this.#worker.postMessage('close');
    await exited;
  }

  #next(): Promise<StatementReply> {
    // While a call waits, the thread keeps the process alive.
    this.#worker.ref();
    const reply = new Promise<StatementReply>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    return reply.finally(() => {
      if (this.#waiting.length === 0) this.#worker.unref();
    });
  }

  #end(error: unknown): void {
    this.#fault ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
