/** Counts attempts in the memory of this server. */
import { LRUCache } from 'lru-cache';
import type { AttemptCount, Attempts, CountedKey } from './api.ts';
import { blockedUntil } from './attempt-waits.ts';

interface Tally {
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly blockedUntil: number;
  readonly forgetAt: number;
}

/** `max` would take the memory of all of them at once. */
const MOST_KEYS = { maxSize: 50_000, sizeCalculation: () => 1 };

export class LocalAttempts implements Attempts {
  readonly #now: () => number;
  readonly #tallies = new LRUCache<string, Tally>(MOST_KEYS);
  /** Names, with the time until when they are remembered. */
  readonly #remembered = new LRUCache<string, number>(MOST_KEYS);

  constructor(now: () => number) {
    this.#now = now;
  }

  async count(keys: readonly CountedKey[], remembered?: string): Promise<AttemptCount> {
    const now = this.#now();
    const isRemembered = remembered !== undefined && (this.#remembered.get(remembered) ?? 0) > now;
    const counted = keys.filter(({ isWaived }) => !(isRemembered && isWaived === true));
    const waitMs = Math.max(0, ...counted.map(({ key }) => (this.#tally(key, now)?.blockedUntil ?? 0) - now));
    // A refused attempt is not stored: those at ever other keys must not displace the counts of these.
    if (waitMs > 0) return { waitMs, isRemembered };
    for (const { key, limit } of counted) {
      const before = this.#tally(key, now);
      const attempts = (before?.attempts ?? 0) + 1;
      const slides = before === undefined || limit.longestWaitMs !== undefined;
      const forgetAt = slides ? now + limit.forgetMs : before.forgetAt;
      this.#tallies.set(key, { attempts, forgetAt, blockedUntil: blockedUntil(limit, attempts, now, forgetAt) });
    }
    return { waitMs: 0, isRemembered };
  }

  async undo(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const tally = this.#tallies.get(key);
      if (tally !== undefined) this.#tallies.set(key, { ...tally, attempts: tally.attempts - 1, blockedUntil: 0 });
    }
  }

  async forget(key: string): Promise<void> {
    this.#tallies.delete(key);
  }

  async remember(name: string, forMs: number): Promise<void> {
    this.#remembered.set(name, this.#now() + forMs);
  }

  #tally(key: string, now: number): Tally | undefined {
    const tally = this.#tallies.get(key);
    return tally !== undefined && tally.forgetAt > now ? tally : undefined;
  }
}
