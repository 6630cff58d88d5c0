/** Writes audit entries, many in one commit, and tries again while the database is not available. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError, withTimeout } from '../../kernel/index.ts';
import { type InternalDb, insertRows, type RowStatement } from '../internal-db/index.ts';
import type { AuditRow } from './entry.ts';
import { AUDIT_TABLE, JSON_COLUMNS } from './migrations.ts';

const COLUMNS = [
  'id',
  'timestamp',
  'user_id',
  'user_label',
  'auth_mode',
  'sql',
  'duration_ms',
  'row_count',
  'success',
  'error',
  'connection_id',
  'db_type',
  'tables',
  'conversation_id',
  'request_id',
  'surface',
  'org_id',
] as const satisfies readonly (keyof AuditRow)[];

/**
 * A statement has one entry however often it is written. Only one that said "succeeded" is corrected, when its rows
 * were withheld after all.
 */
const ONCE = `ON CONFLICT (id) DO UPDATE SET success = excluded.success, error = excluded.error, row_count = excluded.row_count
  WHERE ${AUDIT_TABLE}.success AND NOT excluded.success`;

/** Longest wait for a database that hangs. */
const WAIT_MS = 5_000;
const RETRY_MS = 1_000;
const MAX_WAITING = 5_000;
/** Longest wait of a stop for entries that are not written yet. */
const CLOSE_MS = 1_000;

const unavailable = (why: string) => new AtlasError(`The internal database ${why}.`, { code: 'unavailable' });
const isUnavailable = (error: unknown) => error instanceof AtlasError && error.code === 'unavailable';

export class AuditWriter {
  readonly #db: InternalDb;
  readonly #insert: RowStatement;
  /** The newest state of every entry that is not known to be written, by id. */
  readonly #waiting = new Map<string, AuditRow>();
  #retrying: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(db: InternalDb) {
    this.#db = db;
    const sql = `${insertRows(db.dialect, AUDIT_TABLE, COLUMNS, JSON_COLUMNS)} ${ONCE}`;
    this.#insert = { sql, order: 0, isById: true };
  }

  /**
   * Resolves when the entry is committed; rejects when it is not, or it is not known in time. An entry that only waits
   * for the database is written once it is back; another call with its id says how the statement ended in the end.
   */
  async add(row: AuditRow): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(row.id)) throw unavailable('does not keep up');
    this.#waiting.set(row.id, row);
    await withTimeout(this.#commit(row), WAIT_MS, () => {
      throw unavailable('does not answer');
    });
  }

  /** A last attempt to write what waits. */
  async close(): Promise<void> {
    this.#closing.abort();
    await withTimeout(this.#retrying ?? Promise.resolve(), CLOSE_MS, () => {});
  }

  async #commit(row: AuditRow): Promise<void> {
    try {
      await this.#db.write([{ statement: this.#insert, row: { ...row } }]);
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
