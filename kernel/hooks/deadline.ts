/**
 * Ends many short waits with one timer: a wait is only appended on the way in; a coarse timer that runs while there
 * are any drops those that have settled and calls those that stayed too long. No clock is read.
 */
const TICK_MS = 50;
/** Settled waits are dropped at this many, too: a loop of promises may keep the timer from ever running. */
const SWEEP_SIZE = 512;

export interface Wait {
  settled: boolean;
  /** Set by `add`. */
  expiresAtTick: number;
  /** Called up to 100 ms late, and only while not settled. It settles the wait. */
  expire(): void;
}

export class Deadlines {
  #waits: Wait[] = [];
  #sweepSize = SWEEP_SIZE;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  add(wait: Wait, afterMs: number): void {
    wait.expiresAtTick = this.#tick + Math.ceil(afterMs / TICK_MS) + 1;
    if (this.#waits.push(wait) > this.#sweepSize) this.#drop();
    this.#timer ??= setInterval(() => this.#sweep(), TICK_MS).unref();
  }

  #drop(): void {
    this.#waits = this.#waits.filter((wait) => !wait.settled);
    this.#sweepSize = Math.max(SWEEP_SIZE, 2 * this.#waits.length);
  }

  #sweep(): void {
    this.#tick += 1;
    for (const wait of this.#waits) if (!wait.settled && wait.expiresAtTick <= this.#tick) wait.expire();
    this.#drop();
    if (this.#waits.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
