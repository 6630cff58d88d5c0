/** Keeps counts in tables of the internal database on PostgreSQL. Each decision is one statement, by the database's clock. */
import { randomUUID } from 'node:crypto';
import type { InternalDb } from '../internal-db/index.ts';
import type { AttemptCount, CountedKey } from './api.ts';
import { FIRST_WAIT_MS, MOST_DOUBLINGS } from './attempt-waits.ts';
import { type CountStore, countsIn, type ReceivedCounts, type SentCounts, textOf } from './count-store.ts';
import { ATTEMPTS_TABLE, COUNTS_TABLE } from './migrations.ts';

/** Purging reads the tables as a whole, on every server. */
const PURGE_EVERY_MS = 300_000;

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Rows are locked in the order of their keys, so that no two servers wait for each other. */
const EXCHANGE = `
  WITH clock AS MATERIALIZED (SELECT ${NOW} AS now),
  given AS MATERIALIZED (
    SELECT item ->> 'key' AS key, item ->> 'counts' AS counts, (item ->> 'windowMs')::bigint AS window_ms
    FROM json_array_elements(:given::json) AS item
  ),
  sent AS (
    INSERT INTO ${COUNTS_TABLE} (key, server, counts, counted_at, expires_at)
    SELECT key, :server, counts, now, now + window_ms FROM given, clock ORDER BY key
    ON CONFLICT (key, server) DO UPDATE
      SET counts = excluded.counts, counted_at = excluded.counted_at, expires_at = excluded.expires_at
  )
  SELECT known.key, known.counts, now - known.counted_at AS age
  FROM given JOIN ${COUNTS_TABLE} AS known USING (key), clock
  WHERE known.server <> :server AND known.expires_at > now`;

/** See `blockedUntil`, which is the same for the memory of a server. */
const blockedUntil = (attempts: string, expiresAt: string) => `CASE
  WHEN ${attempts} < excluded.free THEN 0
  WHEN excluded.longest_wait_ms IS NULL THEN ${expiresAt}
  ELSE excluded.counted_at
    + least(${FIRST_WAIT_MS} * 2 ^ least(${attempts} - excluded.free, ${MOST_DOUBLINGS}), excluded.longest_wait_ms)::bigint
  END`;
const ATTEMPTS = `CASE WHEN stored.expires_at <= excluded.counted_at THEN 1 ELSE stored.attempts + 1 END`;
const EXPIRES_AT = `CASE
  WHEN excluded.longest_wait_ms IS NOT NULL OR stored.expires_at <= excluded.counted_at THEN excluded.expires_at
  ELSE stored.expires_at END`;

/**
 * Answers the keys that were counted. Where one is blocked nothing is written, or, when it becomes so at this moment, only
 * the others are.
 */
const COUNT = `
  WITH clock AS MATERIALIZED (SELECT ${NOW} AS now),
  remembered AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM ${ATTEMPTS_TABLE} WHERE key = :remembered AND expires_at > now) AS is_remembered FROM clock
  ),
  given AS MATERIALIZED (
    SELECT item ->> 'key' AS key, (item ->> 'free')::int AS free, (item ->> 'forgetMs')::bigint AS forget_ms,
      (item ->> 'longestWaitMs')::bigint AS longest_wait_ms
    FROM json_array_elements(:given::json) AS item, remembered
    WHERE NOT ((item ->> 'isWaived')::boolean AND is_remembered)
  ),
  blocked AS MATERIALIZED (
    SELECT max(blocked_until - now) AS wait_ms
    FROM given JOIN ${ATTEMPTS_TABLE} USING (key), clock WHERE blocked_until > now AND expires_at > now
  ),
  counted AS (
    INSERT INTO ${ATTEMPTS_TABLE} AS stored (key, attempts, blocked_until, expires_at, free, longest_wait_ms, counted_at)
    SELECT key, 1, CASE WHEN free > 1 THEN 0 WHEN longest_wait_ms IS NULL THEN now + forget_ms
        ELSE now + least(${FIRST_WAIT_MS}, longest_wait_ms) END,
      now + forget_ms, free, longest_wait_ms, now
    FROM given, clock, blocked WHERE wait_ms IS NULL ORDER BY key
    ON CONFLICT (key) DO UPDATE SET attempts = ${ATTEMPTS}, expires_at = ${EXPIRES_AT},
      blocked_until = ${blockedUntil(`(${ATTEMPTS})`, `(${EXPIRES_AT})`)}, counted_at = excluded.counted_at
    WHERE stored.blocked_until <= excluded.counted_at OR stored.expires_at <= excluded.counted_at
    RETURNING key
  )
  SELECT is_remembered, wait_ms, array(SELECT key FROM counted) AS counted,
    array(SELECT key FROM given) AS keys
  FROM remembered, blocked`;

const UNDO = `
  WITH locked AS MATERIALIZED (SELECT key FROM ${ATTEMPTS_TABLE} WHERE key = ANY(:keys) ORDER BY key FOR UPDATE)
  UPDATE ${ATTEMPTS_TABLE} AS stored SET attempts = attempts - 1, blocked_until = 0 FROM locked WHERE stored.key = locked.key`;

const WAIT = `SELECT max(blocked_until) - ${NOW} AS wait_ms FROM ${ATTEMPTS_TABLE} WHERE key = ANY(:keys)`;

/** What `COUNT` finds without keys, at an eighth of its cost. */
const REMEMBERED = `SELECT 1 FROM ${ATTEMPTS_TABLE} WHERE key = :remembered AND expires_at > ${NOW}`;

interface CountRow {
  readonly is_remembered: boolean;
  readonly wait_ms: string | null;
  readonly counted: readonly string[];
  readonly keys: readonly string[];
}

export class PostgresStore implements CountStore {
  readonly #db: InternalDb;
  readonly #server = randomUUID();
  #purgedAt = Number.NEGATIVE_INFINITY;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  async exchange(sent: readonly SentCounts[]): Promise<ReceivedCounts[]> {
    this.#purge();
    const given = JSON.stringify(sent.map((item) => ({ ...item, counts: textOf(item.counts) })));
    const rows = await this.#rows<{ key: string; counts: string; age: string }>(EXCHANGE, {
      given,
      server: this.#server,
    });
    return rows.map(({ key, counts, age }) => ({ key, counts: countsIn(counts), ageMs: Number(age) }));
  }

  async count(keys: readonly CountedKey[], remembered?: string): Promise<AttemptCount> {
    this.#purge();
    if (keys.length === 0) {
      const found = await this.#rows(REMEMBERED, { remembered: remembered ?? '' });
      return { waitMs: 0, isRemembered: found.length > 0 };
    }
    const given = JSON.stringify(keys.map(({ key, limit, isWaived = false }) => ({ key, ...limit, isWaived })));
    const [row] = await this.#rows<CountRow>(COUNT, { given, remembered: remembered ?? '' });
    const { is_remembered: isRemembered = false, wait_ms: blockedMs = null, counted = [], keys: all = [] } = row ?? {};
    if (blockedMs !== null) return { waitMs: Number(blockedMs), isRemembered };
    if (counted.length === all.length) return { waitMs: 0, isRemembered };
    // Another attempt has just blocked one of the keys.
    await this.undo(counted);
    const [wait] = await this.#rows<{ wait_ms: string | null }>(WAIT, { keys: all });
    return { waitMs: Math.max(1, Number(wait?.wait_ms ?? 0)), isRemembered };
  }

  async undo(keys: readonly string[]): Promise<void> {
    await this.#rows(UNDO, { keys });
  }

  async forget(key: string): Promise<void> {
    await this.#db.run((db) => db(ATTEMPTS_TABLE).where({ key }).delete());
  }

  async remember(name: string, forMs: number): Promise<void> {
    await this.#rows(
      `INSERT INTO ${ATTEMPTS_TABLE} (key, attempts, blocked_until, expires_at, free, counted_at)
       VALUES (:name, 0, 0, ${NOW} + :forMs, 0, ${NOW})
       ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at`,
      { name, forMs },
    );
  }

  async close(): Promise<void> {}

  async #rows<R>(sql: string, values: Readonly<Record<string, string | number | readonly string[]>>): Promise<R[]> {
    const { rows } = await this.#db.run<{ rows: R[] }>((db) => db.raw(sql, values as never));
    return rows;
  }

  /** What failed is purged next time. */
  #purge(): void {
    if (performance.now() - this.#purgedAt < PURGE_EVERY_MS) return;
    this.#purgedAt = performance.now();
    for (const table of [COUNTS_TABLE, ATTEMPTS_TABLE]) {
      void this.#rows(
        `DELETE FROM ${table} WHERE ctid = ANY(array(
           SELECT ctid FROM ${table} WHERE expires_at < ${NOW} FOR UPDATE SKIP LOCKED))`,
        {},
      ).catch(() => {});
    }
  }
}
