/**
 * How long starts wait for further connections in one go, and at least go on after it. Node takes one connection in each
 * turn of the event loop, so that whoever connects after 500 others, such as a health check, waits for as many turns.
 */
const MAX_WAIT_MS = 100;

/** Tells in each turn of the event loop whether starts wait because connections come in. */
export class Arrivals {
  readonly #connected: () => number;
  /** How many connections had come at the last turn. */
  #seen = 0;
  #since: number | undefined;
  #openUntil = 0;

  /** `connected`: how many connections have come so far. */
  constructor(connected: () => number) {
    this.#connected = connected;
  }

  /** Whether connections have come since the last turn, and starts may still wait for them. */
  goOn(): boolean {
    const connected = this.#connected();
    const isArriving = connected !== this.#seen;
    this.#seen = connected;
    const now = performance.now();
    if (!isArriving || now < this.#openUntil) {
      this.#since = undefined;
      return false;
    }
    this.#since ??= now;
    if (now - this.#since < MAX_WAIT_MS) return true;
    this.#openUntil = now + MAX_WAIT_MS;
    return false;
  }
}
