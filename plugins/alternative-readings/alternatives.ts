/** Defines what another reading of a question is made from: the plan or the statement that answered it. */
import type { ValueFormat } from '../result-kit/index.ts';
import type { ModelDimension } from '../semantic-layer/index.ts';
import type { Member } from '../semantic-query/index.ts';
import type { NamedMeasure } from './ambiguity.ts';

/** Of results with more rows, the readings would be no sentence. */
export const MAX_ROWS = 5;

export interface ResultColumn {
  readonly name: string;
  /** What rows are grouped by, else a figure. */
  readonly isKey: boolean;
  readonly format: ValueFormat | undefined;
}

/** A result with figures, and what they are about. */
export interface Taken {
  readonly columns: readonly ResultColumn[];
  /** The only time that its periods are about. */
  readonly time: Member | undefined;
  /** The only measure, by the name of the layer: `entity.measure`, or the id of a metric. */
  readonly measure: string | undefined;
  /** The same statement about another time of the entity; `undefined` where that is not certain to be the same. */
  withTime(dimension: ModelDimension): string | undefined;
  withMeasure(measure: NamedMeasure): string | undefined;
}
