/** Spreads the reading of replies over turns of the event loop, so that many long ones do not keep everybody else waiting. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Of each turn, for all replies over one set of connections. */
const READING_MS = 5;

export class ReadingTurns {
  /** When the first piece of this turn was read. What is made of a piece belongs to the time. */
  #since: number | undefined;

  /** `undefined`: read on at once. Otherwise resolves when what was made of the pieces before has left time. */
  enter(): Promise<void> | undefined {
    if (this.#since !== undefined) return this.#wait();
    this.#begin();
    return undefined;
  }

  async #wait(): Promise<void> {
    do await nextTurn();
    while (this.#since !== undefined && performance.now() - this.#since > READING_MS);
    if (this.#since === undefined) this.#begin();
  }

  #begin(): void {
    this.#since = performance.now();
    setImmediate(() => {
      this.#since = undefined;
    });
  }
}
