/** Locks names, of what many rows are together. */
import type { Knex } from 'knex';

/**
 * Makes other transactions that lock the same name wait until this one ends, on every server. Without effect on SQLite,
 * which has one writer.
 */
export async function lockName(trx: Knex, name: string): Promise<void> {
  if (trx.client.dialect !== 'postgresql') return;
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}
