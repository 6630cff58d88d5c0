/** Stores changes in the order in which they become visible, and deletes old ones. */
import type { Knex } from 'knex';
import type { InternalDb } from '../internal-db/index.ts';
import { CHANGES_TABLE } from './migrations.ts';

export interface Change {
  readonly topic: string;
  /** `null`: anything of the topic. */
  readonly subject: string | null;
}

export type StoredChange = Change & { readonly id: number };

/** Longer than anything is believed that a change makes wrong, such as a browser's session. */
export const KEPT_MS = 900_000;
/** Changes that one look reads; the others follow at once. */
export const MOST_READ = 1_000;
/** Advisory lock that no other program takes: the letters "atlas", then 2. */
const ORDER_LOCK = 0x61_74_6c_61_73_02n;

const NOW = {
  postgres: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  sqlite: "cast(unixepoch('subsec') * 1000 as integer)",
} as const;

export class ChangeStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** In the transaction, where one is given. */
  async add(changes: readonly Change[], trx?: Knex.Transaction): Promise<void> {
    const given = JSON.stringify(changes);
    const now = NOW[this.#db.dialect];
    const insert = (db: Knex) =>
      this.#db.dialect === 'sqlite'
        ? db.raw(
            `INSERT INTO ${CHANGES_TABLE} (topic, subject, published_at)
             SELECT value ->> 'topic', value ->> 'subject', ${now} FROM json_each(?)`,
            [given],
          )
        : // Under a lock until it is visible: whoever sees a number has seen all below it.
          db.raw(
            `INSERT INTO ${CHANGES_TABLE} (topic, subject, published_at)
             SELECT item ->> 'topic', item ->> 'subject', ${now}
             FROM (SELECT pg_advisory_xact_lock(${ORDER_LOCK})) AS locked, json_array_elements(?::json) AS item`,
            [given],
          );
    await (trx === undefined ? this.#db.run(insert) : insert(trx));
  }

  /** The oldest changes after `id`, in order. */
  async after(id: number): Promise<StoredChange[]> {
    const rows: StoredChange[] = await this.#db.run((db) =>
      db(CHANGES_TABLE).where('id', '>', id).orderBy('id').limit(MOST_READ).select('id', 'topic', 'subject'),
    );
    return rows.map((row) => ({ ...row, id: Number(row.id) }));
  }

  async purge(): Promise<void> {
    await this.#db.run((db) =>
      db(CHANGES_TABLE).whereRaw(`published_at < ${NOW[this.#db.dialect]} - ${KEPT_MS}`).delete(),
    );
  }
}
