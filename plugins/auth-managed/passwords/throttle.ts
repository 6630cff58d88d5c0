/**
 * Slows down repeated attempts to sign in or to sign up: after some attempts each further one doubles the wait
 * before the next. Counted for an account from one address, for an account from anywhere, and for an address whatever
 * the account.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AtlasError } from '../../../kernel/index.ts';
import { addressKey } from '../../http/index.ts';
import { atMostEntries } from '../cache-bound.ts';

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
// Short, because others can make an account wait.
const ACCOUNT: Limit = { free: 50, longestWaitMs: 30_000 };
// Many people may share an address.
const ADDRESS: Limit = { free: 100, longestWaitMs: 900_000 };

const FIRST_WAIT_MS = 1_000;
const FORGET_AFTER_MS = 1_800_000;
const FAMILIAR_FOR_MS = 30 * 86_400_000;

export interface Attempt {
  /** Names the account at the address, or the address where the account has not succeeded from it yet. */
  readonly key: string;
  /** Whether the account has succeeded from this address before. */
  readonly familiar: boolean;
  succeeded(): void;
  undone(): void;
}

function keysOf(account: string, ip: string) {
  const address = addressKey(ip);
  const who = createHash('sha256').update(account.trim().toLowerCase()).digest('base64url');
  return { who, address, pair: `${who} ${address}` };
}

export class Throttle {
  readonly #now: () => number;
  readonly #message: string;
  readonly #tallies = new LRUCache<string, Tally>(atMostEntries(50_000));
  /** Accounts at the addresses that they have succeeded from, with the time until when that is remembered. */
  readonly #familiar = new LRUCache<string, number>(atMostEntries(50_000));

  constructor(now: () => number, message = 'There were too many failed attempts to sign in.') {
    this.#now = now;
    this.#message = message;
  }

  /**
   * Counts an attempt as failed before it is made, so that many at once are no way around; `succeeded` and `undone` take
   * that back. Throws `rate_limited` while one of the counts is blocked. An account at an address from which it has
   * succeeded before is held up by its own failures there alone, so that a flood by others does not lock it out.
   */
  begin(account: string, ip: string): Attempt {
    const now = this.#now();
    const { who, address, pair } = keysOf(account, ip);
    const familiar = (this.#familiar.get(pair) ?? 0) > now;
    const counted = [this.#tally(pair, ACCOUNT_AND_ADDRESS, now)];
    if (!familiar) counted.push(this.#tally(who, ACCOUNT, now), this.#tally(` ${address}`, ADDRESS, now));
    const until = Math.max(...counted.map(({ tally }) => tally.blockedUntil));
    if (until > now) {
      const retryAfterSeconds = Math.ceil((until - now) / 1_000);
      throw new AtlasError(this.#message, {
        code: 'rate_limited',
        hint: `Try again in ${retryAfterSeconds} s.`,
        retryAfterSeconds,
      });
    }
    for (const { key, tally, limit } of counted) {
      // Kept from here on only: refused attempts at ever other accounts must not displace the counts of these.
      this.#tallies.set(key, tally);
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
      key: familiar ? pair : address,
      familiar,
      undone,
      succeeded: () => {
        undone();
        this.#tallies.delete(pair);
        this.#familiar.set(pair, now + FAMILIAR_FOR_MS);
      },
    };
  }

  /** Remembers the account as one that has succeeded from the address, such as by being made there. */
  recognise(account: string, ip: string): void {
    this.#familiar.set(keysOf(account, ip).pair, this.#now() + FAMILIAR_FOR_MS);
  }

  #tally(key: string, limit: Limit, now: number): { key: string; tally: Tally; limit: Limit } {
    const known = this.#tallies.get(key);
    const tally =
      known === undefined || now - known.lastAt > FORGET_AFTER_MS
        ? { failures: 0, blockedUntil: 0, lastAt: now }
        : known;
    return { key, tally, limit };
  }
}
