/** Counts the statements of one day, and ends it when there are too many. */
import { AtlasError } from '../../kernel/index.ts';

export const BUDGET_SPENT = new AtlasError('The budget of the day is spent.', { code: 'unavailable' });

export class Budget {
  #left: number;

  constructor(maxStatements: number) {
    this.#left = maxStatements;
  }

  get left(): number {
    return this.#left;
  }

  /** Throws `BUDGET_SPENT` instead of letting one more statement run. */
  take(): void {
    if (this.#left <= 0) throw BUDGET_SPENT;
    this.#left -= 1;
  }
}
