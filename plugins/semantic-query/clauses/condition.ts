/** Describes a condition on the rows of an entity, to be written into a WHERE clause. */
import type { ModelEntity } from '../../semantic-layer/index.ts';
import type { Scope, Source } from './from-clause.ts';

export interface Condition {
  readonly entity: ModelEntity;
  /**
   * Must not hold. Where the entity can be met several times: for `none` of its rows, or for the `same` row of which
   * something else is asked.
   */
  readonly excluded?: 'none' | 'same';
  sql(scope: Scope, source: Source): string;
}
