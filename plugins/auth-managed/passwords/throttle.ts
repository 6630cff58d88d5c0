/**
 * Slows down repeated attempts to sign in or to sign up: after some attempts each further one doubles the wait
 * before the next. Counted for an account from one address, for an account from anywhere, and for an address whatever
 * the account.
 */
import { createHash } from 'node:crypto';
import { AtlasError } from '../../../kernel/index.ts';
import { addressKey } from '../../http/index.ts';
import type { AttemptLimit, Attempts } from '../../shared-limits/index.ts';

const FORGET_AFTER_MS = 1_800_000;
const FAMILIAR_FOR_MS = 30 * 86_400_000;

const ACCOUNT_AND_ADDRESS: AttemptLimit = { free: 10, longestWaitMs: 900_000, forgetMs: FORGET_AFTER_MS };
// Short, because others can make an account wait.
const ACCOUNT: AttemptLimit = { free: 50, longestWaitMs: 30_000, forgetMs: FORGET_AFTER_MS };
// Many people may share an address.
const ADDRESS: AttemptLimit = { free: 100, longestWaitMs: 900_000, forgetMs: FORGET_AFTER_MS };

export interface Attempt {
  /** Names the account at the address, or the address where the account has not succeeded from it yet. */
  readonly key: string;
  /** Whether the account has succeeded from this address before. */
  readonly familiar: boolean;
  succeeded(): Promise<void>;
  undone(): Promise<void>;
}

function keysOf(account: string, ip: string) {
  const address = addressKey(ip);
  const who = createHash('sha256').update(account.trim().toLowerCase()).digest('base64url');
  return { who, address: ` ${address}`, pair: `${who} ${address}` };
}

export class Throttle {
  readonly #attempts: Attempts;
  readonly #message: string;

  constructor(attempts: Attempts, message = 'There were too many failed attempts to sign in.') {
    this.#attempts = attempts;
    this.#message = message;
  }

  /**
   * Counts an attempt as failed before it is made, so that many at once are no way around; `succeeded` and `undone` take
   * that back. Rejects with `rate_limited` while one of the counts is blocked. An account at an address from which it has
   * succeeded before is held up by its own failures there alone, so that a flood by others does not lock it out.
   */
  async begin(account: string, ip: string): Promise<Attempt> {
    const { who, address, pair } = keysOf(account, ip);
    const { waitMs, isRemembered: familiar } = await this.#attempts.count(
      [
        { key: pair, limit: ACCOUNT_AND_ADDRESS },
        { key: who, limit: ACCOUNT, isWaived: true },
        { key: address, limit: ADDRESS, isWaived: true },
      ],
      pair,
    );
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1_000);
      throw new AtlasError(this.#message, {
        code: 'rate_limited',
        hint: `Try again in ${retryAfterSeconds} s.`,
        retryAfterSeconds,
      });
    }
    const others = familiar ? [] : [who, address];
    return {
      key: familiar ? pair : addressKey(ip),
      familiar,
      undone: () => this.#attempts.undo([pair, ...others]),
      succeeded: async () => {
        await Promise.all([this.#attempts.undo(others), this.#attempts.forget(pair), this.recognise(account, ip)]);
      },
    };
  }

  /** Remembers the account as one that has succeeded from the address, such as by being made there. */
  async recognise(account: string, ip: string): Promise<void> {
    await this.#attempts.remember(keysOf(account, ip).pair, FAMILIAR_FOR_MS);
  }
}
