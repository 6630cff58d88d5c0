/** Spreads work over turns of the event loop, one piece in each, so that what comes at once holds up nobody else. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a turn in which it resolves for nobody else; first come, first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#pass());
      this.#waiting.push(resolve);
    });
  }

  #pass(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#pass());
  }
}
