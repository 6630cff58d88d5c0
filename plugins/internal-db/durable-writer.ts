/** Writes rows that must not be lost: tries again while the database is not available. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError, withTimeout } from '../../kernel/index.ts';
import type { InternalDb } from './api.ts';
import type { RowStatement } from './row-types.ts';

/** Longest wait for a database that hangs. */
const WAIT_MS = 5_000;
const RETRY_MS = 1_000;
const MAX_WAITING = 5_000;
/** Longest wait of a stop for rows that are not written yet. */
const CLOSE_MS = 1_000;

const unavailable = (why: string) => new AtlasError(`The internal database ${why}.`, { code: 'unavailable' });
const isUnavailable = (error: unknown) => error instanceof AtlasError && error.code === 'unavailable';

/** The statement must bear being run again with the same row: nothing tells whether a lost attempt was committed. */
export class DurableWriter<R extends { readonly id: string }> {
  readonly #db: InternalDb;
  readonly #statement: RowStatement;
  /** The newest state of every row that is not known to be written, by id. */
  readonly #waiting = new Map<string, R>();
  readonly #committing = new Set<Promise<void>>();
  #retrying: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(db: InternalDb, statement: RowStatement) {
    this.#db = db;
    this.#statement = statement;
  }

  /**
   * Resolves when the row is committed; rejects when it is not, or it is not known in time. A row that only waits for
   * the database is written once it is back; another call with its id replaces it.
   */
  async add(row: R): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(row.id)) throw unavailable('does not keep up');
    this.#waiting.set(row.id, row);
    await withTimeout(this.#commit(row), WAIT_MS, () => {
      throw unavailable('does not answer');
    });
  }

  /** Waits for what is being written, and makes a last attempt to write what waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    const written = Promise.allSettled(this.#committing).then(() => this.#retrying);
    await withTimeout(written, CLOSE_MS, () => {});
  }

  async #commit(row: R): Promise<void> {
    const writing = this.#write(row);
    this.#committing.add(writing);
    try {
      await writing;
    } finally {
      this.#committing.delete(writing);
    }
  }

  async #write(row: R): Promise<void> {
    try {
      await this.#db.write([{ statement: this.#statement, row: { ...row } }]);
    } catch (error) {
      // Anything else will never be taken, as what breaks a constraint.
      if (isUnavailable(error)) this.#retrying ??= this.#retry();
      else this.#waiting.delete(row.id);
      throw error;
    }
    if (this.#waiting.get(row.id) === row) this.#waiting.delete(row.id);
  }

  async #retry(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#waiting.size > 0) {
      const isLast = signal.aborted;
      if (!isLast) await sleep(RETRY_MS, undefined, { ref: false, signal }).catch(() => {});
      const settled = await Promise.allSettled([...this.#waiting.values()].map((row) => this.#commit(row)));
      if (isLast && settled.some(({ status }) => status === 'rejected')) return;
    }
    this.#retrying = undefined;
  }
}
