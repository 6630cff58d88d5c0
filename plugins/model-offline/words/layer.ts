/** Names the parts of a semantic layer and of a query plan. */
import type { SemanticModel } from '../../semantic-layer/index.ts';
import type { QueryPlan } from '../../semantic-query/index.ts';

export type ModelEntity = SemanticModel['entities'][number];
export type ModelDimension = ModelEntity['dimensions'][number];
export type Measure = ModelEntity['measures'][number];
export type Segment = ModelEntity['segments'][number];
export type ModelMetric = SemanticModel['metrics'][number];
export type ModelTerm = SemanticModel['glossary'][number];
export type TermMeaning = NonNullable<ModelTerm['meanings']>[number];
export type PlanFilter = NonNullable<QueryPlan['filters']>[number];
export type PlanDimension = NonNullable<QueryPlan['dimensions']>[number];
export type Grain = NonNullable<PlanDimension['grain']>;
