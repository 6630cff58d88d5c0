/**
 * Hands requests over to be routed and authenticated: a few in each turn of the event loop, as hundreds may come in one,
 * the essential ones at once, and the others once no further connections arrive.
 */
import type { Arrivals } from './arrivals.ts';

/** Of the essential ones, and at most of the others. */
const STARTS_IN_A_TURN = 8;
/** Of the others at least. */
const FEWEST_STARTS = 2;
/** Of the others fewer are started after a turn that took longer, and more after one that did not. */
const LONG_TURN_MS = 12;

export class RequestStarts {
  readonly #arrivals: Arrivals;
  readonly #mayWait: () => boolean;
  readonly #essential: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  /** Essential ones that have been started in this turn. */
  #started = 0;
  /** How many others may start in a turn. */
  #most = FEWEST_STARTS;
  /** When the last ones were started. */
  #passedAt = 0;
  #isScheduled = false;
  #isStopping = false;

  /** `mayWait`: whether those that wait may do so for further connections. */
  constructor(arrivals: Arrivals, mayWait: () => boolean) {
    this.#arrivals = arrivals;
    this.#mayWait = mayWait;
  }

  /** Calls `start` when it is its turn, which it may be now. */
  add(start: () => void, isEssential: boolean): void {
    if (this.#isStopping) start();
    else if (isEssential && this.#started < STARTS_IN_A_TURN && this.#essential.length === 0) {
      this.#started += 1;
      this.#schedule();
      start();
    } else {
      (isEssential ? this.#essential : this.#others).push(start);
      this.#schedule();
    }
  }

  /** Of the server: those that wait are called at once, as are all that come later. */
  stop(): void {
    this.#isStopping = true;
    for (const start of [...this.#essential.splice(0), ...this.#others.splice(0)]) start();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#started + this.#essential.length + this.#others.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#pass());
  }

  #pass(): void {
    const next = this.#essential.splice(0, STARTS_IN_A_TURN);
    this.#started = next.length;
    const isHeld = this.#others.length > 0 && this.#mayWait() && this.#arrivals.hold();
    if (!isHeld) next.push(...this.#others.splice(0, this.#mostNow()));
    this.#isScheduled = false;
    this.#schedule();
    for (const start of next) start();
  }

  /** Code that runs for the first time is slow, and what runs already takes its time, too. */
  #mostNow(): number {
    const now = performance.now();
    const isLong = now - this.#passedAt > LONG_TURN_MS;
    this.#passedAt = now;
    this.#most = isLong ? Math.max(FEWEST_STARTS, this.#most / 2) : Math.min(STARTS_IN_A_TURN, this.#most * 2);
    return this.#most;
  }
}
