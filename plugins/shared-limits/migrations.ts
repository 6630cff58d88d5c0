import { migration } from '../internal-db/index.ts';

export const COUNTS_TABLE = 'limit_counts';
export const ATTEMPTS_TABLE = 'limit_attempts';

/** Times are in milliseconds since the epoch, by the clock of the database. Without an index on them rows are changed in place. */
export const createLimits = migration('0001-limits', async (trx) => {
  await trx.raw(`CREATE UNLOGGED TABLE ${COUNTS_TABLE} (
      key text NOT NULL,
      server text NOT NULL,
      counts text NOT NULL,
      counted_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (key, server)
    ) WITH (fillfactor = 50)`);
  await trx.raw(`CREATE UNLOGGED TABLE ${ATTEMPTS_TABLE} (
      key text PRIMARY KEY,
      attempts integer NOT NULL,
      blocked_until bigint NOT NULL,
      expires_at bigint NOT NULL,
      free integer NOT NULL,
      longest_wait_ms bigint,
      counted_at bigint NOT NULL
    ) WITH (fillfactor = 50)`);
});
