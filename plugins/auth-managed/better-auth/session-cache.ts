/**
 * Versions the sessions that are cached in signed cookies. A change of a user on this server makes their cached sessions
 * worthless at once; other servers accept them until they expire.
 */
import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../cache-bound.ts';

/** How long a cached session is accepted without asking the database. */
export const COOKIE_CACHE_MS = 300_000;

export class SessionCache {
  // An entry may go once every cache that was made before it has expired.
  readonly #changed = new LRUCache<string, { readonly version: string; readonly atMs: number }>({
    ...atMostEntries(100_000),
    ttl: COOKIE_CACHE_MS,
  });

  /**
   * Version that a cache about this user must carry; one that no cache has while what is known of the user may be older
   * than the last change. `sinceMs`: when it was first read, as of `performance.now()`.
   */
  versionOf(userId: string, sinceMs: number): string {
    const changed = this.#changed.get(userId);
    if (changed === undefined) return '1';
    return changed.atMs < sinceMs ? changed.version : crypto.randomUUID();
  }

  /** Makes every cache about the user that was made until now worthless. */
  invalidate(userId: string): void {
    this.#changed.set(userId, { version: crypto.randomUUID(), atMs: performance.now() });
  }
}
