/** Notes that the store does not answer: it is logged once, and asked again after a pause. */
import { type Logger, messageOf } from '../../kernel/index.ts';

/** While the store is away, calls need not wait for it each time. */
const PAUSE_MS = 2_000;

export class Availability {
  readonly #log: Logger;
  readonly #told: () => void;
  #isAway = false;
  #askAgainAt = 0;

  /** `told` is called at every failure. */
  constructor(log: Logger, told: () => void) {
    this.#log = log;
    this.#told = told;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Time until it may be asked again. */
  get pauseMs(): number {
    return Math.max(0, this.#askAgainAt - performance.now());
  }

  failed(error: unknown): void {
    this.#askAgainAt = performance.now() + PAUSE_MS;
    this.#told();
    if (this.#isAway) return;
    this.#isAway = true;
    this.#log.warn(
      { error: messageOf(error) },
      'Limits cannot be shared with other servers. Until they can be, this server counts by itself.',
    );
  }

  works(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#log.info({}, 'Limits are shared with other servers again.');
  }
}
