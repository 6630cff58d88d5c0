/** Logs that an overloaded server refuses connections and requests: one line for many of them. */
import type { Logger } from '../../../kernel/index.ts';

const LOG_EVERY_MS = 10_000;

export class OverloadLog {
  readonly #log: Logger;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #refused = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `why`: fields of the line, if this refusal is the one that writes it. */
  count(why: object): void {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#log.warn({ ...why, refused: this.#refused }, 'The server is overloaded and refuses connections or requests.');
    this.#loggedAt = now;
    this.#refused = 0;
  }
}
