/** Stores which requests wait, which callbacks were tried and which signatures were used. */
import type { Knex } from 'knex';
import type { InternalDb } from '../internal-db/index.ts';
import { REQUESTS, SIGNATURES } from './migrations.ts';

/** Requests count as waiting for at most this long, and are kept for so long. */
const KEPT_MS = 7 * 86_400_000;
const PURGE_BATCH_ROWS = 1_000;

export class WebhookStore {
  readonly #db: InternalDb;
  readonly #now: () => number;

  constructor(db: InternalDb, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Requests of the channel whose callback has not been tried. */
  async countWaiting(channelId: string, trx: Knex.Transaction): Promise<number> {
    const [counted] = await trx(REQUESTS).where({ channel_id: channelId, tried_at: null }).count({ waiting: '*' });
    return Number(counted?.waiting ?? 0);
  }

  async accept(id: string, channelId: string, trx: Knex.Transaction): Promise<void> {
    await trx(REQUESTS).insert({ id, channel_id: channelId, accepted_at: this.#now(), tried_at: null });
  }

  async isTried(id: string): Promise<boolean> {
    const waiting = await this.#db.run((db) => db(REQUESTS).where({ id, tried_at: null }).first('id'));
    return waiting === undefined;
  }

  /** True for exactly one caller: the one who may send the callback. */
  async claimCallback(id: string): Promise<boolean> {
    const tried_at = this.#now();
    return (await this.#db.run((db) => db(REQUESTS).where({ id, tried_at: null }).update({ tried_at }))) === 1;
  }

  /** True for the first caller only, until it expires. */
  async claimSignature(id: string, keptMs: number): Promise<boolean> {
    const now = this.#now();
    return this.#db.transaction(async (trx) => {
      await trx(SIGNATURES).where('expires_at', '<', now).delete();
      const inserted = await trx(SIGNATURES)
        .insert({ id, expires_at: now + keptMs })
        .onConflict('id')
        .ignore()
        .returning('id');
      return inserted.length === 1;
    });
  }

  async releaseSignature(id: string): Promise<void> {
    await this.#db.run((db) => db(SIGNATURES).where({ id }).delete());
  }

  /** Deletes requests of more than a week ago, in batches. */
  async purge(): Promise<void> {
    const cutoff = this.#now() - KEPT_MS;
    let purged: number;
    do {
      purged = await this.#db.run((db) => {
        const old = db(REQUESTS).where('accepted_at', '<', cutoff).select('id').limit(PURGE_BATCH_ROWS);
        return db(REQUESTS).whereIn('id', old).delete();
      });
    } while (purged === PURGE_BATCH_ROWS);
  }
}
