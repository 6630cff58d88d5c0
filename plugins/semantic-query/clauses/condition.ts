/** Defines a condition on the rows of an entity, from which WHERE clauses are written. */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import type { FromClause, RowSource } from './from-clause.ts';

export interface Condition {
  readonly entity: ModelEntity;
  /**
   * The condition must not hold. When several rows of the entity can match: for `none` of them, or not for the `same`
   * row that meets the plan's other conditions.
   */
  readonly excluded?: 'none' | 'same';
  sql(clause: FromClause, source: RowSource): string;
}
