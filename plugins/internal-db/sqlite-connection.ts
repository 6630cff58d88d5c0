/** The connection to a SQLite file: a thread that runs one statement after the other. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ThreadData {
  readonly path: string;
  /** How long a statement may hold the thread up while another process writes. */
  readonly waitMs: number;
}

export interface StatementRequest {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

export interface StatementReply {
  /** Of a statement that reads. */
  readonly rows?: readonly unknown[];
  readonly changes?: number;
  readonly lastInsertRowid?: number | bigint;
  readonly error?: { readonly message: string; readonly code: string | undefined };
}

/** Under Node the sources run as they are; the package holds them compiled. */
const THREAD = new URL(`./sqlite-thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);

interface Waiting {
  resolve(reply: StatementReply): void;
  reject(error: unknown): void;
}

export class SqliteConnection {
  private readonly worker: Worker;
  private readonly waiting: Waiting[] = [];
  private fault: unknown;

  /** Rejects with the error of SQLite, and its `code`, when the file cannot be opened. */
  static async open(data: ThreadData): Promise<SqliteConnection> {
    const connection = new SqliteConnection(data);
    await connection.next();
    return connection;
  }

  private constructor(data: ThreadData) {
    this.worker = new Worker(THREAD, { workerData: data, execArgv: [] });
    this.worker.unref();
    this.worker.on('message', (reply: StatementReply) => this.waiting.shift()?.resolve(reply));
    this.worker.on('error', (error) => this.end(error));
    this.worker.on('exit', () => this.end(new Error('Connection ended')));
  }

  get isOpen(): boolean {
    return this.fault === undefined;
  }

  /** Rejects with an error that carries the `code` of SQLite. */
  async run(sql: string, bindings: readonly unknown[]): Promise<StatementReply> {
    if (this.fault !== undefined) throw this.fault;
    this.worker.postMessage({ sql, bindings } satisfies StatementRequest);
    const reply = await this.next();
    if (reply.error === undefined) return reply;
    const { message, code } = reply.error;
    throw Object.assign(new Error(message), { code });
  }

  async close(): Promise<void> {
    if (this.fault !== undefined) return;
    const exited = once(this.worker, 'exit');
    this.worker.postMessage('close');
    await exited;
  }

  private next(): Promise<StatementReply> {
    // While somebody waits, the thread keeps the process alive.
    this.worker.ref();
    const reply = new Promise<StatementReply>((resolve, reject) => this.waiting.push({ resolve, reject }));
    return reply.finally(() => {
      if (this.waiting.length === 0) this.worker.unref();
    });
  }

  private end(error: unknown): void {
    this.fault ??= error;
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
