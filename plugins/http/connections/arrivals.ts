/**
 * While connections keep arriving, requests are held back for at most this long, and then started for at least as long.
 * Node takes one connection in each turn of the event loop, so that whoever connects after 500 others, such as a health
 * check, waits for as many turns.
 */
const LONGEST_HOLD_MS = 100;

export class Arrivals {
  readonly #connected: () => number;
  /** How many connections had come at the last turn. */
  #seen = 0;
  #heldSince: number | undefined;
  #openUntil = 0;

  /** `connected`: how many connections have come so far. */
  constructor(connected: () => number) {
    this.#connected = connected;
  }

  /** Whether requests are held back in this turn of the event loop. To be asked once in each turn in which some wait. */
  hold(): boolean {
    const connected = this.#connected();
    const isArriving = connected !== this.#seen;
    this.#seen = connected;
    const now = performance.now();
    if (!isArriving || now < this.#openUntil) {
      this.#heldSince = undefined;
      return false;
    }
    this.#heldSince ??= now;
    if (now - this.#heldSince < LONGEST_HOLD_MS) return true;
    this.#openUntil = now + LONGEST_HOLD_MS;
    return false;
  }
}
