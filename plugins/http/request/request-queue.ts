/**
 * Starts one request in each turn of the event loop, so that many that arrive at once hold up neither health nor the
 * answers that are being written.
 */
import { AtlasError } from '../../../kernel/index.ts';

/** By then the server is clearly behind, and most clients have given up. */
const MAX_WAIT_MS = 30_000;
/**
 * Turns in a row that go by without a start while connections come in: Node takes one in each turn, so that whoever
 * connects after 500 others, such as a health check, waits for as many turns.
 */
const MAX_TURNS_OF_ARRIVALS = 32;

interface Waiting {
  readonly since: number;
  start(): void;
  refuse(error: AtlasError): void;
}

export class RequestQueue {
  readonly #connected: () => number;
  readonly #waiting: Waiting[] = [];
  #isTaken = false;
  /** How many connections had come at the last turn. */
  #seen = 0;
  #turnsOfArrivals = 0;

  /** `connected`: how many connections have come so far. */
  constructor(connected: () => number) {
    this.#connected = connected;
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
    if (this.#waiting.length > 0 && this.#isArriving()) {
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

  /** Whether connections have come since the last turn, and starts may still wait for them. */
  #isArriving(): boolean {
    const connected = this.#connected();
    const isArriving = connected !== this.#seen && this.#turnsOfArrivals < MAX_TURNS_OF_ARRIVALS;
    this.#seen = connected;
    this.#turnsOfArrivals = isArriving ? this.#turnsOfArrivals + 1 : 0;
    return isArriving;
  }
}

const OVERLOADED = { code: 'overloaded', retryAfterSeconds: 2, hint: 'Try again shortly.' } as const;
