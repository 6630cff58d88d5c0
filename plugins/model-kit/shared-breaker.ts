/** Stops the calls of all servers to a provider that refuses those of one, until the same time, when one call is tried. */
import { withTimeout } from '../../kernel/index.ts';
import type { AttemptLimit, Attempts } from '../shared-limits/index.ts';
import type { BreakerOptions } from './circuit-breaker.ts';

/** How old may be what this server knows of the others. */
const KNOWN_FOR_MS = 500;
/** A call goes on by what is known when the store takes longer. */
const LONGEST_ASK_MS = 250;
/** Until a call is answered, or so long without any call. */
const REFUSING_FOR_MS = 86_400_000;

/** `refused`: by the provider itself, and so for every server. `unknown`: anything else, such as this server's own network. */
type SharedOutcome = 'answered' | 'refused' | 'unknown';

interface Admission {
  /** 0: the call may be made, and its outcome must be told; else the milliseconds until one may. */
  readonly waitMs: number;
  settle(outcome: SharedOutcome): void;
}

/** `probe`: one call may be made although the provider refuses them; `late`: the store has not said so far. */
type Found = 'known' | 'probe' | 'late';

/**
 * While the name is remembered the provider refuses calls, and each has to be counted before it is made: one in `openMs` is let
 * through, by the clock of the store. The first of them counts as the call that opened it.
 */
export class SharedBreaker {
  readonly #attempts: Attempts;
  readonly #name: string;
  readonly #options: BreakerOptions;
  readonly #now: () => number;
  /** Refused calls of this server since the last one that was answered. */
  #refusals = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #openUntil: number | undefined;
  #asking: Promise<Found> | undefined;

  /** `name` is the same on every server; `now` is a clock in milliseconds that does not jump. */
  constructor(attempts: Attempts, name: string, options: BreakerOptions, now: () => number = () => performance.now()) {
    this.#attempts = attempts;
    this.#name = name;
    this.#options = options;
    this.#now = now;
  }

  /** By what this server knows, without asking. */
  get isOpen(): boolean {
    return this.#now() < (this.#openUntil ?? 0);
  }

  /** Never rejects. */
  async admit(): Promise<Admission> {
    let waitMs = this.#knownWaitMs();
    let found: Found = 'known';
    if (waitMs === undefined) {
      const isAsker = this.#asking === undefined;
      this.#asking ??= this.#askInTime().finally(() => {
        this.#asking = undefined;
      });
      found = await this.#asking;
      if (found === 'probe' && !isAsker) found = 'known';
      waitMs = found === 'probe' ? 0 : (this.#knownWaitMs() ?? 0);
    }
    return { waitMs, settle: (outcome) => void this.#settle(outcome, found) };
  }

  async #settle(outcome: SharedOutcome, found: Found): Promise<void> {
    if (outcome === 'answered') this.#refusals = 0;
    if (outcome === 'refused') {
      this.#refusals += 1;
      if (this.#refusals >= this.#options.failures) await this.#open();
    } else if (found === 'probe') await (outcome === 'answered' ? this.#close() : this.#giveBack());
    // No call would be a probe while the store is slow.
    else if (found === 'late' && outcome === 'answered' && this.#openUntil !== undefined) await this.#close();
  }

  async #open(): Promise<void> {
    // Before others know of it, or one of them would be let through at once.
    await this.#count();
    await this.#attempts.remember(this.#name, REFUSING_FOR_MS);
  }

  async #close(): Promise<void> {
    this.#openUntil = undefined;
    this.#askedAt = this.#now();
    await this.#attempts.remember(this.#name, 1);
    await this.#attempts.forget(this.#name);
  }

  /** It may be this server that cannot reach the provider: the next call that is tried may be another's. */
  async #giveBack(): Promise<void> {
    this.#askedAt = Number.NEGATIVE_INFINITY;
    await this.#attempts.undo([this.#name]);
  }

  /** `undefined`: the store has to be asked. */
  #knownWaitMs(): number | undefined {
    const now = this.#now();
    if (now - this.#askedAt >= KNOWN_FOR_MS) return undefined;
    if (this.#openUntil === undefined) return 0;
    return this.#openUntil > now ? this.#openUntil - now : undefined;
  }

  #askInTime(): Promise<Found> {
    const asking = this.#ask();
    return withTimeout(asking, LONGEST_ASK_MS, () => {
      // The next calls do not wait for the store, either.
      this.#askedAt = this.#now();
      void this.#giveBackLate(asking);
      return 'late' as const;
    });
  }

  /** The call that would have been a probe has been made without. */
  async #giveBackLate(asking: Promise<Found>): Promise<void> {
    if ((await asking) !== 'probe') return;
    this.#openUntil = this.#now();
    await this.#giveBack();
  }

  async #ask(): Promise<Found> {
    const { isRemembered } = await this.#attempts.count([], this.#name);
    this.#askedAt = this.#now();
    if (isRemembered) return (await this.#count()) === 0 ? 'probe' : 'known';
    // A call of another server was answered.
    if (this.#openUntil !== undefined) this.#refusals = 0;
    this.#openUntil = undefined;
    return 'known';
  }

  async #count(): Promise<number> {
    const { openMs } = this.#options;
    const limit: AttemptLimit = { free: 1, forgetMs: openMs };
    const { waitMs } = await this.#attempts.count([{ key: this.#name, limit }]);
    this.#askedAt = this.#now();
    this.#openUntil = this.#askedAt + (waitMs === 0 ? openMs : waitMs);
    return waitMs;
  }
}
