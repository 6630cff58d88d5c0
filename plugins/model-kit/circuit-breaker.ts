/** Stops calling a provider that keeps failing, and tries one call from time to time until it answers again. */
export interface BreakerOptions {
  /** Failed calls in a row that open it. */
  readonly failures: number;
  /** How long it stays open before one call is tried. */
  readonly openMs: number;
}

export type BreakerState = 'closed' | 'open' | 'half-open';

/** `unknown`: the call says nothing about the provider, because its client left or the request was wrong. */
export type CallOutcome = 'answered' | 'unavailable' | 'unknown';

export class CircuitBreaker {
  readonly #options: BreakerOptions;
  readonly #now: () => number;
  #failures = 0;
  #openUntil: number | undefined;
  #isProbing = false;

  constructor(options: BreakerOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  get state(): BreakerState {
    if (this.#openUntil === undefined) return 'closed';
    return this.#now() < this.#openUntil ? 'open' : 'half-open';
  }

  /** Failed calls since the last one that was answered. */
  get failures(): number {
    return this.#failures;
  }

  /** Time until a call is tried again. */
  get waitMs(): number {
    return Math.max(0, (this.#openUntil ?? 0) - this.#now());
  }

  /** Lets a call through and returns the function that must hear its outcome; `undefined` refuses the call. */
  admit(): ((outcome: CallOutcome) => void) | undefined {
    const { state } = this;
    if (state === 'open' || (state === 'half-open' && this.#isProbing)) return undefined;
    const isProbe = state === 'half-open';
    if (isProbe) this.#isProbing = true;
    return (outcome) => {
      if (isProbe) this.#isProbing = false;
      if (outcome === 'answered') {
        this.#failures = 0;
        this.#openUntil = undefined;
      } else if (outcome === 'unavailable') this.#failed(isProbe);
    };
  }

  /** Opens it, unless it is open. */
  open(): void {
    this.#openUntil ??= this.#now() + this.#options.openMs;
  }

  #failed(isProbe: boolean): void {
    this.#failures += 1;
    if (isProbe) this.#openUntil = undefined;
    // Calls that began before it opened do not keep it open.
    if (isProbe || this.#failures >= this.#options.failures) this.open();
  }
}
