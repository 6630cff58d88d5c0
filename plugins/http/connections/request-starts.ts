/**
 * Hands requests over to be routed and authenticated: a few in each turn of the event loop, as hundreds may come in one,
 * the essential ones at once, and the others once no further connections arrive.
 */
import type { Arrivals } from './arrivals.ts';

/** Of the essential ones, and at most of the others. */
const STARTS_IN_A_TURN = 8;
/** Of the others at least. */
const FEWEST_STARTS = 2;
/** Of the others fewer are started in a turn when those of the last one took longer, and more when they did not. */
const LONG_START_MS = 6;

export class RequestStarts {
  readonly #arrivals: Arrivals;
  readonly #mayWait: () => boolean;
  readonly #essential: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  /** Essential ones that have been started in this turn. */
  #started = 0;
  /** How many others may start in a turn. */
  #most = FEWEST_STARTS;
  /** When others were started last, as many as may. */
  #passedAt: number | undefined;
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
    // Runs once what `#pass` has started waits for something.
    setImmediate(() => this.#adapt());
  }

  #pass(): void {
    const next = this.#essential.splice(0, STARTS_IN_A_TURN);
    this.#started = next.length;
    const isHeld = this.#others.length > 0 && this.#mayWait() && this.#arrivals.hold();
    if (!isHeld && this.#others.length >= this.#most) this.#passedAt = performance.now();
    if (!isHeld) next.push(...this.#others.splice(0, this.#most));
    this.#isScheduled = false;
    this.#schedule();
    for (const start of next) start();
  }

  /** Fewer while starting them is slow, as when their code runs for the first time. */
  #adapt(): void {
    if (this.#passedAt === undefined) return;
    const isLong = performance.now() - this.#passedAt > LONG_START_MS;
    this.#passedAt = undefined;
    this.#most = isLong ? Math.max(FEWEST_STARTS, this.#most / 2) : Math.min(STARTS_IN_A_TURN, this.#most * 2);
  }
}
