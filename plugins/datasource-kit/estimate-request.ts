/** Types what the hook `datasource.estimate` is asked. */
import type { SqlStatement } from '../../kernel/index.ts';

/** What is to be estimated. */
export interface EstimateRequest {
  /** Checked by the guard, and not run. */
  readonly statement: SqlStatement;
  /** Tables by the names under which the statement reads them, in lower case, as far as that is known. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** How many values IN or OR compare a column with, by its name in lower case; 0: those of a subquery. */
  readonly lists?: Readonly<Record<string, number>>;
}
