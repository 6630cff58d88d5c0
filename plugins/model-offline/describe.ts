/** A plan in plain words: what was measured, of what, when and how grouped. */
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { CompiledQuery, PlanFilter, QueryPlan, RelatedFilter } from '../semantic-query/index.ts';
import { rangeText } from './calendar.ts';
import { nameWords } from './words.ts';

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
const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
const owner = (name: string): string => name.slice(0, Math.max(name.lastIndexOf('.'), 0));

/** What a measure is called in an answer. */
function measureLabel(model: SemanticModel, name: string): string {
  const metric = model.metric(name);
  if (metric) return metric.label ?? words(metric.id);
  if (last(name) === 'count' && owner(name) !== '') return `number of ${words(owner(name))}`;
  const measure = model.entity(owner(name))?.measures.find((item) => item.name === last(name));
  if (measure?.type === 'count' && measure.sql === undefined) return `number of ${words(owner(name))}`;
  const isAlone = model.entities.filter((one) => one.measures.some((item) => item.name === last(name))).length < 2;
  if (!isAlone) return `${words(last(name))} of ${words(owner(name))}`;
  return words(last(name));
}

export function describePlan(model: SemanticModel, plan: QueryPlan, _compiled: CompiledQuery): string {
  const figures = [
    ...(plan.measures ?? []).map((name) => measureLabel(model, name)),
    ...(plan.adhocMeasures ?? []).map((item) => `${words(item.name)} (${words(owner(item.dimension))})`),
  ];
  const listed = plan.entity !== undefined ? `rows of ${words(plan.entity)}` : 'values';
  const subject = figures.length > 0 ? figures.join(' and ') : listed;
  const parts: string[] = [
    plan.over
      ? overGroups(plan, plan.over, subject)
      : plan.portion
        ? `percentage of the ${subject} with ${conditions(plan.portion).join(' and ')}`
        : subject,
  ];
  const groups = (plan.dimensions ?? []).map(
    (item) =>
      `${words(last(item.dimension))} of ${words(owner(item.dimension))}${item.grain ? ` (per ${item.grain})` : ''}`,
  );
  if (groups.length > 0 && !plan.over)
    parts.push(figures.length > 0 ? `by ${groups.join(' and ')}` : `showing ${groups.join(', ')}`);
  const where = [
    ...conditions({ ...plan, ...(plan.over && { filters: statedFilters(plan) }) }),
    ...(plan.without ?? []).map((name) => `without ${words(name)}`),
    ...(plan.measureFilters ?? []).map(
      (item) => `${measureLabel(model, item.measure)} ${OPERATORS[item.operator]} ${item.value}`,
    ),
  ];
  if (where.length > 0) parts.push(`where ${where.join(' and ')}`);
  if (plan.timeRange) {
    const { dimension, ...range } = plan.timeRange;
    parts.push(`${words(last(dimension))} of ${words(owner(dimension))} in ${exact(range)}`);
  }
  if (plan.comparison) parts.push(`compared with ${exact(plan.comparison)}`);
  if (plan.share) parts.push('with each share of the total');
  for (const order of plan.orderBy ?? [])
    parts.push(
      `${order.direction === 'desc' ? 'highest' : 'lowest'} ${order.by.includes('.') ? measureLabel(model, order.by) : words(order.by)} first`,
    );
  if (plan.limit !== undefined) parts.push(`at most ${plan.limit} row${plan.limit === 1 ? '' : 's'}`);
  return parts.join(', ');
}

/** "average of the number of visits over all patients, also those without any". */
function overGroups(plan: QueryPlan, over: NonNullable<QueryPlan['over']>, subject: string): string {
  const name = { avg: 'average', min: 'lowest', max: 'highest' }[over.aggregate];
  if (over.entity !== undefined)
    return `${name} of the ${subject} over all rows of ${words(over.entity)}${(plan.measures ?? []).some((measure) => owner(measure) === over.entity) ? '' : ', also those without any'}`;
  const groups = (plan.dimensions ?? []).map(
    (item) => item.grain ?? `${words(last(item.dimension))} of ${words(owner(item.dimension))}`,
  );
  return `${name} of the ${subject} per ${groups.join(' and ')} that has any`;
}

/** Without what only says that there is a group. */
const statedFilters = ({ filters = [], dimensions = [], over }: QueryPlan): PlanFilter[] =>
  filters.filter(
    (item) =>
      item.operator !== 'is_not_null' ||
      !(dimensions.some(({ dimension }) => dimension === item.dimension) || owner(item.dimension) === over?.entity),
  );

const exact = (range: { from?: string; to?: string }): string => {
  const text = rangeText(range);
  const full =
    rangeText({ ...range }).includes(' to ') || range.from === undefined || range.to === undefined
      ? text
      : `${text} (${range.from} up to, not including, ${range.to})`;
  return full;
};

function conditions(plan: {
  filters?: PlanFilter[];
  segments?: string[];
  anyOf?: QueryPlan['anyOf'];
  excludedSegments?: string[];
  related?: RelatedFilter[];
}): string[] {
  return [
    ...(plan.filters ?? []).map(
      (item) =>
        `${words(last(item.dimension))} of ${words(owner(item.dimension))} ${OPERATORS[item.operator]}${item.values ? ` ${item.values.join(' or ')}` : ''}${/^not_(equals|in)$/.test(item.operator) ? ' or is missing' : ''}`,
    ),
    ...(plan.segments ?? []).map((name) => words(last(name))),
    ...(plan.anyOf ?? []).map((ways) => `(${ways.map((way) => conditions(way).join(' and ')).join(' or ')})`),
    ...(plan.excludedSegments ?? []).map((name) => `not ${words(last(name))}`),
    ...(plan.related ?? []).map(
      (item) =>
        `${item.measure ? words(last(item.measure)) : `number of ${words(item.entity)}`} ${OPERATORS[item.operator]} ${item.value}${conditions(item).length > 0 ? ` (${conditions(item).join(' and ')})` : ''}`,
    ),
  ];
}
