/**
 * Starts one request in each turn of the event loop, so that many that arrive at once hold up neither health nor the
 * answers that are being written.
 */
import { AtlasError } from '../../../kernel/index.ts';
import type { Arrivals } from '../connections/arrivals.ts';

/** By then the server is clearly behind, and most clients have given up. */
const MAX_WAIT_MS = 30_000;

interface Waiting {
  readonly since: number;
  start(): void;
  refuse(error: AtlasError): void;
}

export class RequestQueue {
  readonly #arrivals: Arrivals;
  readonly #waiting: Waiting[] = [];
  #isTaken = false;

  constructor(arrivals: Arrivals) {
    this.#arrivals = arrivals;
  }

  /** `undefined`: starts now. Otherwise resolves when it is the request's turn; rejects with `overloaded` when that takes too long. */
  enter(): Promise<void> | undefined {
    if (!this.#isTaken) {
      this.#isTaken = true;
      setImmediate(() => this.#pass());
      return undefined;
    }
    return new Promise((start, refuse) => {
      this.#waiting.push({ since: performance.now(), start, refuse });
    });
  }

  #pass(): void {
    if (this.#waiting.length > 0 && this.#arrivals.hold()) {
      setImmediate(() => this.#pass());
      return;
    }
    const next = this.#waiting.shift();
    this.#isTaken = next !== undefined;
    if (next === undefined) return;
    if (performance.now() - next.since <= MAX_WAIT_MS) next.start();
    else next.refuse(new AtlasError('Atlas is overloaded.', OVERLOADED));
    setImmediate(() => this.#pass());
  }
}

const OVERLOADED = { code: 'overloaded', retryAfterSeconds: 2, hint: 'Try again shortly.' } as const;
