/**
 * Slows down whoever guesses passwords: after some failures each further one doubles the wait before the next try.
 * Counted for an account from one address, for an account from anywhere, and for an address whatever the account.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AtlasError } from '../../kernel/index.ts';
import { addressKey } from '../http/index.ts';

interface Tally {
  failures: number;
  /** Milliseconds since the epoch. */
  blockedUntil: number;
  lastAt: number;
}

interface Limit {
  /** Failures without consequence. */
  readonly free: number;
  readonly longestWaitMs: number;
}

const ACCOUNT_AND_ADDRESS: Limit = { free: 10, longestWaitMs: 900_000 };
// Short, because anybody can make a stranger's account wait.
const ACCOUNT: Limit = { free: 50, longestWaitMs: 30_000 };
// Many people may share an address.
const ADDRESS: Limit = { free: 100, longestWaitMs: 900_000 };

const FIRST_WAIT_MS = 1_000;
const FORGET_AFTER_MS = 1_800_000;

export class SignInThrottle {
  readonly #now: () => number;
  readonly #tallies = new LRUCache<string, Tally>({ max: 50_000 });

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Counts a try as failed before it is made, so that many at once are no way around; `succeeded` and `undone` take
   * that back. Throws `rate_limited` while one of the counts is blocked.
   */
  begin(account: string, ip: string): { succeeded(): void; undone(): void } {
    const now = this.#now();
    const address = addressKey(ip);
    const who = createHash('sha256').update(account.trim().toLowerCase()).digest('base64url');
    const counted = [
      this.#tally(`${who} ${address}`, ACCOUNT_AND_ADDRESS, now),
      this.#tally(who, ACCOUNT, now),
      this.#tally(` ${address}`, ADDRESS, now),
    ];
    const until = Math.max(...counted.map(({ tally }) => tally.blockedUntil));
    if (until > now) {
      const retryAfterSeconds = Math.ceil((until - now) / 1_000);
      throw new AtlasError('There were too many failed attempts to sign in.', {
        code: 'rate_limited',
        hint: `Try again in ${retryAfterSeconds} s.`,
        retryAfterSeconds,
      });
    }
    for (const { tally, limit } of counted) {
      tally.failures += 1;
      tally.lastAt = now;
      const beyond = tally.failures - limit.free;
      if (beyond >= 0)
        tally.blockedUntil = now + Math.min(FIRST_WAIT_MS * 2 ** Math.min(beyond, 30), limit.longestWaitMs);
    }
    const undone = () => {
      for (const { tally } of counted) {
        tally.failures -= 1;
        tally.blockedUntil = 0;
      }
    };
    return {
      undone,
      succeeded: () => {
        undone();
        this.#tallies.delete(`${who} ${address}`);
      },
    };
  }

  #tally(key: string, limit: Limit, now: number): { tally: Tally; limit: Limit } {
    let tally = this.#tallies.get(key);
    if (tally === undefined || now - tally.lastAt > FORGET_AFTER_MS) {
      tally = { failures: 0, blockedUntil: 0, lastAt: now };
      this.#tallies.set(key, tally);
    }
    return { tally, limit };
  }
}
