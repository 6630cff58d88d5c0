/** What a plan says, as sets to look names, values and dates up in. */
import type { PlanFilter, QueryPlan, RelatedFilter } from '../semantic-query/index.ts';
import type { Lexicon } from './lexicon.ts';

export interface Evidence {
  /** Entities that something is counted, listed, grouped or filtered by. */
  readonly entities: ReadonlySet<string>;
  readonly dimensions: ReadonlySet<string>;
  readonly measures: ReadonlySet<string>;
  readonly segments: ReadonlySet<string>;
  /** `entity.dimension=value`. */
  readonly values: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
  /** Ends of periods, as days. */
  readonly days: ReadonlySet<string>;
  readonly comparisons: ReadonlySet<'greater' | 'less' | 'equal' | 'null'>;
  /** Something must not be. */
  readonly isNegative: boolean;
  /** One of several may hold. */
  readonly isEither: boolean;
}

type Conditions = Pick<QueryPlan, 'filters' | 'segments' | 'excludedSegments' | 'related'>;

/** Reads a plan once, its parts and its related rows included. */
export function evidenceOf(plan: QueryPlan, lexicon: Lexicon): Evidence {
  const dimensions = new Set<string>();
  const entities = new Set<string>();
  const measures = new Set<string>();
  const segments = new Set<string>();
  const values = new Set<string>();
  const numbers = new Set<number>();
  const days = new Set<string>();
  const comparisons = new Set<'greater' | 'less' | 'equal' | 'null'>();
  let isNegative = (plan.without ?? []).length > 0;
  let isEither = false;

  const dimension = (name: string): void => {
    dimensions.add(name);
    entities.add(name.slice(0, name.lastIndexOf('.')));
  };
  const measure = (name: string): void => {
    measures.add(name);
    const found = lexicon.measures.get(name);
    entities.add(found?.entity.name ?? name.slice(0, Math.max(0, name.lastIndexOf('.'))));
    for (const other of lexicon.measures.values())
      if (found?.measure !== undefined && other.measure === found.measure) measures.add(other.name);
  };
  const compared = (operator: string, value: unknown): void => {
    if (operator.startsWith('greater')) comparisons.add('greater');
    else if (operator.startsWith('less')) comparisons.add('less');
    else if (operator.endsWith('null')) comparisons.add('null');
    else comparisons.add('equal');
    if (operator === 'not_equals' || operator === 'not_in' || operator === 'is_null' || value === false)
      isNegative = true;
    if (typeof value === 'number') numbers.add(value);
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) days.add(value);
  };
  const filter = (item: PlanFilter): void => {
    dimension(item.dimension);
    if ((item.values?.length ?? 0) > 1) isEither = true;
    for (const value of item.values ?? [undefined]) {
      compared(item.operator, value);
      if (value !== undefined) values.add(`${item.dimension}=${value}`);
    }
  };
  const range = (item: QueryPlan['timeRange']): void => {
    if (!item) return;
    dimension(item.dimension);
    for (const end of [item.from, item.to]) if (end !== undefined) days.add(end);
  };
  const conditions = (item: Conditions): void => {
    for (const one of item.filters ?? []) filter(one);
    for (const name of [...(item.segments ?? []), ...(item.excludedSegments ?? [])]) {
      segments.add(name);
      if (name.includes('.')) entities.add(name.slice(0, name.lastIndexOf('.')));
      const term = lexicon.model.glossary.find((other) => other.term === name);
      if (term?.entity) entities.add(term.entity);
    }
    if ((item.excludedSegments ?? []).length > 0) isNegative = true;
    for (const one of item.related ?? []) related(one);
  };
  const related = (item: RelatedFilter): void => {
    entities.add(item.entity).add(item.of);
    if (item.measure) measure(item.measure);
    compared(item.operator, item.value);
    if (item.operator === 'equals' && item.value === 0) isNegative = true;
    const { of: _, ...own } = item;
    conditions(own);
    range(item.timeRange);
  };

  conditions(plan);
  if (plan.portion) conditions(plan.portion);
  if (plan.over) conditions(plan.over);
  if (plan.over?.entity) entities.add(plan.over.entity);
  for (const group of plan.anyOf ?? []) {
    isEither = true;
    for (const one of group) conditions(one);
  }
  range(plan.timeRange);
  for (const end of plan.comparison ? [plan.comparison.from, plan.comparison.to] : []) days.add(end);
  for (const name of plan.measures ?? []) measure(name);
  for (const item of plan.adhocMeasures ?? []) dimension(item.dimension);
  for (const item of plan.dimensions ?? []) dimension(item.dimension);
  for (const item of plan.measureFilters ?? []) {
    measure(item.measure);
    compared(item.operator, item.value);
  }
  for (const order of plan.orderBy ?? []) if (order.by.includes('.')) dimension(order.by);
  if (plan.entity !== undefined) entities.add(plan.entity);
  for (const name of plan.without ?? []) entities.add(name);
  if (plan.limit !== undefined) numbers.add(plan.limit);
  return {
    entities,
    dimensions,
    measures,
    segments,
    values,
    numbers,
    days,
    comparisons,
    isNegative,
    isEither,
  };
}
