/**
 * Cancels the work of clients that have left, for one in each turn of the event loop: it takes about a millisecond, and
 * hundreds may leave at once.
 */
export class Departures {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Calls `cancel` now, or when it is its turn. */
  add(cancel: () => void): void {
    if (this.#isTaken) {
      this.#waiting.push(cancel);
      return;
    }
    this.#isTaken = true;
    setImmediate(() => this.#pass());
    cancel();
  }

  #pass(): void {
    const next = this.#waiting.shift();
    this.#isTaken = next !== undefined;
    if (next === undefined) return;
    setImmediate(() => this.#pass());
    next();
  }
}
