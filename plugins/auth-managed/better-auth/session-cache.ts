/**
 * Versions the sessions that are cached in signed cookies. A change of a user makes their cached sessions worthless, on this
 * server at once, on others as soon as they learn of it.
 */
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { Changes } from '../../changes/index.ts';
import { atMostEntries } from '../cache-bound.ts';

/** How long a cached session is accepted without asking the database. */
export const COOKIE_CACHE_MS = 300_000;
/** A server that learns of a change late may still have cached what was before it. */
const LEARNED_LATE_MS = 60_000;
/** For this long after this server has learned of a change nothing of the user is cached: it may be being committed. */
const SETTLING_MS = 2_000;
const TOPIC = 'auth-managed.sessions';

interface Version {
  readonly version: string;
  /** Caches made from what was read later carry it. By `performance.now()`. */
  readonly atMs: number;
}

const UNCHANGED: Version = { version: '1', atMs: Number.NEGATIVE_INFINITY };

export class SessionCache {
  readonly #changes: Changes | undefined;
  readonly #isToldLater: (userId: string) => boolean;
  // An entry may go once every cache that was made before it has expired.
  readonly #changed = new LRUCache<string, Version>({
    ...atMostEntries(100_000),
    ttl: COOKIE_CACHE_MS + LEARNED_LATE_MS,
  });
  /** Of users of whom no change is known. */
  #others = UNCHANGED;

  /** `isToldLater`: notes a user whom an open transaction changes, if there is one. */
  constructor(changes?: Changes, isToldLater: (userId: string) => boolean = () => false) {
    this.#changes = changes;
    this.#isToldLater = isToldLater;
    changes?.subscribe(TOPIC, (userId, id) => this.#learned(userId, id));
  }

  /**
   * Version that a cache about this user must carry; one that no cache has while what is known of the user may be older
   * than the last change. `sinceMs`: when it was first read, as of `performance.now()`.
   */
  versionOf(userId: string, sinceMs: number): string {
    if (this.#changes?.isCurrent() === false) return crypto.randomUUID();
    const { version, atMs } = this.#changed.get(userId) ?? this.#others;
    return atMs < sinceMs ? version : crypto.randomUUID();
  }

  /** Makes every cache about the user that was made until now worthless, or until the commit of the transaction it is called in. */
  invalidate(userId: string): void {
    if (this.#isToldLater(userId)) return;
    this.committed([userId]);
    this.#changes?.publish(TOPIC, userId);
  }

  /** Tells other servers with the commit of the transaction that changes the users, as its last statement. */
  async tellWith(trx: Knex.Transaction, userIds: Iterable<string>): Promise<void> {
    await this.#changes?.publishWith(trx, TOPIC, [...userIds]);
  }

  /** Changes of the users are committed, and told to other servers. */
  committed(userIds: Iterable<string>): void {
    for (const userId of userIds) {
      this.#changed.set(userId, { version: crypto.randomUUID(), atMs: performance.now() });
    }
  }

  /** Every server calls a change by the same version, so that a cache made by one is accepted by the others. */
  #learned(userId: string | undefined, id: number | undefined): void {
    const atMs = performance.now() + SETTLING_MS;
    if (userId !== undefined) {
      this.#changed.set(userId, { version: `c${id}`, atMs });
      return;
    }
    // Changes have been missed, whoever's they were.
    this.#changed.clear();
    const missed = { version: crypto.randomUUID(), atMs };
    this.#others = missed;
    setTimeout(() => {
      if (this.#others === missed) this.#others = UNCHANGED;
    }, COOKIE_CACHE_MS + LEARNED_LATE_MS).unref();
  }
}
