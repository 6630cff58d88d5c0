/** Counts the statements and the time of one day, and ends it when there are too many. */
import { AtlasError } from '../../kernel/index.ts';

export const BUDGET_SPENT = new AtlasError('The budget of the day is spent.', { code: 'unavailable' });

export class Budget {
  #left: number;
  readonly #until: number;

  constructor(maxStatements: number, maxMs: number) {
    this.#left = maxStatements;
    this.#until = performance.now() + maxMs;
  }

  get left(): number {
    return this.#left;
  }

  get isSpent(): boolean {
    return this.#left <= 0 || performance.now() >= this.#until;
  }

  /** Throws `BUDGET_SPENT` instead of letting one more statement run. */
  take(): void {
    if (this.isSpent) throw BUDGET_SPENT;
    this.#left -= 1;
  }
}
