/** Says in plain words what a plan measures, of what, when and how grouped; shortly, as a question that can be asked. */
import type { SemanticModel } from '../../semantic-layer/index.ts';
import type { QueryPlan } from '../../semantic-query/index.ts';
import { rangeText } from '../words/calendar.ts';
import type { PlanFilter } from '../words/layer.ts';
import { nameWords } from '../words/stem.ts';

const OPERATORS: Readonly<Record<PlanFilter['operator'], string>> = {
  equals: 'is',
  not_equals: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  greater_than: 'is more than',
  greater_or_equal: 'is at least',
  less_than: 'is less than',
  less_or_equal: 'is at most',
  contains: 'contains',
  starts_with: 'starts with',
  ends_with: 'ends with',
  is_null: 'is missing',
  is_not_null: 'is given',
};

const words = (name: string): string => nameWords(name).join(' ');
const last = (name: string): string => words(name.slice(name.lastIndexOf('.') + 1));
const owner = (name: string): string => words(name.slice(0, Math.max(name.lastIndexOf('.'), 0)));
const attribute = (name: string): string => `${last(name)} of ${owner(name)}`;

/** What a measure is called in an answer. */
function measureLabel(model: SemanticModel, name: string): string {
  const metric = model.metric(name);
  if (metric) return metric.label ?? words(metric.id);
  if (!name.includes('.')) return words(name);
  const named = model.entities.flatMap((one) => one.measures.filter((measure) => words(measure.name) === last(name)));
  const own = model
    .entity(name.slice(0, name.lastIndexOf('.')))
    ?.measures.find((measure) => words(measure.name) === last(name));
  if (!own || (own.type === 'count' && own.sql === undefined)) return `number of ${owner(name)}`;
  return named.length > 1 ? attribute(name) : last(name);
}

const exact = (range: { from?: string; to?: string }): string => {
  const text = rangeText(range);
  const isPlain = text.includes(' to ') || range.from === undefined || range.to === undefined;
  return isPlain ? text : `${text} (${range.from} up to, not including, ${range.to})`;
};

export function describePlan(model: SemanticModel, plan: QueryPlan): string {
  const { measures = [], adhocMeasures = [], dimensions = [], measureFilters = [], orderBy = [], timeRange } = plan;
  const figures = [
    ...measures.map((name) => measureLabel(model, name)),
    ...adhocMeasures.map((one) => `${words(one.name)} (${owner(one.dimension)})`),
  ];
  const subject =
    figures.length > 0 ? figures.join(' and ') : plan.entity !== undefined ? `rows of ${words(plan.entity)}` : 'values';
  const groups = dimensions.map(({ dimension, grain }) => `${attribute(dimension)}${grain ? ` (per ${grain})` : ''}`);
  const where = [
    ...conditions(plan),
    ...measureFilters.map((one) => `${measureLabel(model, one.measure)} ${OPERATORS[one.operator]} ${one.value}`),
  ];
  const orders = orderBy.map(
    ({ by, direction }) =>
      `${direction === 'desc' ? 'highest' : 'lowest'} ${by.includes('.') ? (figures.length > 0 ? measureLabel(model, by) : last(by)) : words(by)} first`,
  );
  const parts = [
    plan.portion ? `percentage of the ${subject} with ${conditions(plan.portion).join(' and ')}` : subject,
    groups.length > 0 && (figures.length > 0 ? `by ${groups.join(' and ')}` : `showing ${groups.join(', ')}`),
    where.length > 0 && `where ${where.join(' and ')}`,
    timeRange && `${attribute(timeRange.dimension)} in ${exact(timeRange)}`,
    plan.comparison && `compared with ${exact(plan.comparison)}`,
    plan.share && 'with each share of the total',
    ...orders,
    plan.limit !== undefined && `at most ${plan.limit} row${plan.limit === 1 ? '' : 's'}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function conditions({
  filters = [],
  segments = [],
  excludedSegments = [],
  related = [],
}: Pick<QueryPlan, 'filters' | 'segments' | 'excludedSegments' | 'related'>): string[] {
  const filter = ({ dimension, operator, values }: PlanFilter): string => {
    const missing = operator.startsWith('not_') ? ' or is missing' : '';
    return `${attribute(dimension)} ${OPERATORS[operator]}${values ? ` ${values.join(' or ')}` : ''}${missing}`;
  };
  return [
    ...filters.map(filter),
    ...segments.map(last),
    ...excludedSegments.map((name) => `not ${last(name)}`),
    ...related.map((one) => {
      const inner = conditions(one);
      return `number of ${words(one.entity)} ${OPERATORS[one.operator]} ${one.value}${inner.length > 0 ? ` (${inner.join(' and ')})` : ''}`;
    }),
  ];
}

const FUNCTIONS = {
  sum: 'total',
  avg: 'average',
  min: 'minimum',
  max: 'maximum',
  count_distinct: 'number of different',
} as const;
const SIGNS: Readonly<Partial<Record<PlanFilter['operator'], string>>> = {
  greater_than: 'over',
  greater_or_equal: 'at least',
  less_than: 'under',
  less_or_equal: 'at most',
};

function shortFilter({ dimension, operator, values = [] }: PlanFilter): string | undefined {
  const isText = values.every((one) => typeof one === 'string');
  if (isText && /^(equals|in)$/.test(operator)) return values.map((one) => `"${one}"`).join(' or ');
  if (isText && operator === 'not_equals') return `not "${values[0]}"`;
  return SIGNS[operator] && typeof values[0] === 'number'
    ? `${last(dimension)} ${SIGNS[operator]} ${values[0]}`
    : undefined;
}

/** "Revenue by region, 2025?"; `undefined` where the plan says more than a short question can. */
export function questionOf(model: SemanticModel, plan: QueryPlan): string | undefined {
  const { measures = [], adhocMeasures = [], dimensions = [], filters = [], segments = [], entity, timeRange } = plan;
  const isMore =
    plan.related ??
    plan.portion ??
    plan.comparison ??
    plan.measureFilters ??
    plan.excludedSegments ??
    plan.orderBy ??
    plan.limit ??
    plan.share;
  const figures = [
    ...measures.map((name) => measureLabel(model, name)),
    ...adhocMeasures.map((one) => `${FUNCTIONS[one.type]} ${attribute(one.dimension)}`),
  ];
  const found = filters.map(shortFilter);
  if (isMore || found.includes(undefined) || (figures.length === 0 && (entity === undefined || dimensions.length > 0)))
    return undefined;
  const groups = dimensions.map(({ dimension, grain, identity }) =>
    identity ? owner(dimension) : (grain ?? last(dimension)),
  );
  const period = timeRange && rangeText(timeRange).replace(/^(\d{4}-\d\d-\d\d) to /, 'from $1 to ');
  const subject = `${figures.length > 0 ? figures.join(' and ') : `list ${words(entity!)}`}${groups.length > 0 ? ` by ${groups.join(' and ')}` : ''}`;
  const text = [subject, ...segments.map(last), ...found, period].filter(Boolean).join(', ');
  return `${text.replace(/^./, (letter) => letter.toUpperCase())}?`;
}
