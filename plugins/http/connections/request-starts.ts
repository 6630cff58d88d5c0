/**
 * Hands requests over to be routed and authenticated: a few in each turn of the event loop, as hundreds may come in one,
 * the essential ones before others, and the others once no further connections arrive.
 */
import type { Arrivals } from './arrivals.ts';

/** Of the essential ones, and of the others. */
const STARTS_IN_A_TURN = 8;

export class RequestStarts {
  readonly #arrivals: Arrivals;
  readonly #mayWait: () => boolean;
  readonly #essential: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #isScheduled = false;
  #isStopping = false;

  /** `mayWait`: whether those that wait may do so for further connections. */
  constructor(arrivals: Arrivals, mayWait: () => boolean) {
    this.#arrivals = arrivals;
    this.#mayWait = mayWait;
  }

  /** Calls `start` when it is its turn. */
  add(start: () => void, isEssential: boolean): void {
    (isEssential ? this.#essential : this.#others).push(start);
    if (this.#isStopping) this.stop();
    else this.#schedule();
  }

  /** Of the server: those that wait are called at once, as are all that come later. */
  stop(): void {
    this.#isStopping = true;
    for (const start of [...this.#essential.splice(0), ...this.#others.splice(0)]) start();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#essential.length + this.#others.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#pass());
  }

  #pass(): void {
    const next = this.#essential.splice(0, STARTS_IN_A_TURN);
    const isHeld = this.#others.length > 0 && this.#mayWait() && this.#arrivals.hold();
    if (!isHeld) next.push(...this.#others.splice(0, STARTS_IN_A_TURN));
    this.#isScheduled = false;
    this.#schedule();
    for (const start of next) start();
  }
}
