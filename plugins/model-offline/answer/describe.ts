/** Says in plain words what a plan measures, of what, when and how grouped. */
import type { SemanticModel } from '../../semantic-layer/index.ts';
import type { QueryPlan } from '../../semantic-query/index.ts';
import { rangeText } from '../words/calendar.ts';
import type { PlanFilter } from '../words/layer.ts';
import { rowNames } from '../words/lexicon.ts';
import { spoken as words } from '../words/words.ts';

const LONG =
  'equals is,not_equals is not,in is one of,not_in is none of,greater_than is more than,greater_or_equal is at least,' +
  'less_than is less than,less_or_equal is at most,is_null is missing,is_not_null is given';
const OPERATORS = new Map(LONG.split(',').map((pair) => [pair.split(' ')[0], pair.slice(pair.indexOf(' ') + 1)]));

const last = (name: string): string => words(name.slice(name.lastIndexOf('.') + 1));
const rowsOf = (name: string): string => rowNames(name)[1];
const owner = (name: string): string => rowsOf(name.slice(0, Math.max(name.lastIndexOf('.'), 0)));
const attribute = (name: string): string => `${last(name)} of ${owner(name)}`;

function measureLabel(model: SemanticModel, name: string): string {
  const metric = model.metric(name);
  if (metric) return metric.label ?? words(metric.id);
  if (!name.includes('.')) return words(name);
  const isNamed = (one: { readonly name: string }): boolean => words(one.name) === last(name);
  const own = model.entity(name.slice(0, name.lastIndexOf('.')))?.measures.find(isNamed);
  if (!own || (own.type === 'count' && own.sql === undefined)) return `number of ${owner(name)}`;
  return model.entities.flatMap(({ measures }) => measures.filter(isNamed)).length > 1 ? attribute(name) : last(name);
}

const operator = (one: PlanFilter['operator']): string => OPERATORS.get(one) ?? words(one);
const exact = (range: { from?: string; to?: string }): string => {
  const text = rangeText(range);
  if (range.from === undefined || range.to === undefined) return text;
  return text.includes(' to ') ? `from ${text}` : `in ${text} (${range.from} up to, not including, ${range.to})`;
};

export function describePlan(model: SemanticModel, plan: QueryPlan): string {
  const { measures = [], adhocMeasures = [], dimensions = [], measureFilters = [], timeRange, entity, limit } = plan;
  const figures = [
    ...measures.map((name) => measureLabel(model, name)),
    ...adhocMeasures.map(
      (one) =>
        `${words(one.name)} (${one.since ? `${last(one.since)} to ${attribute(one.dimension)}` : owner(one.dimension)})`,
    ),
  ];
  const subject = figures.join(' and ') || (entity === undefined ? 'values' : `rows of ${rowsOf(entity)}`);
  const groups = dimensions.map(({ dimension, grain }) => `${attribute(dimension)}${grain ? ` (per ${grain})` : ''}`);
  const bounds = measureFilters.map(
    (one) => `${measureLabel(model, one.measure)} ${operator(one.operator)} ${one.value}`,
  );
  const where = [...conditions(plan), ...bounds];
  const nameOf = (by: string): string =>
    !by.includes('.') ? words(by) : figures.length > 0 ? measureLabel(model, by) : last(by);
  return [
    subject,
    groups.length > 0 && `${figures.length > 0 ? 'by' : 'showing'} ${groups.join(' and ')}`,
    where.length > 0 && `where ${where.join(' and ')}`,
    timeRange && `${attribute(timeRange.dimension)} ${exact(timeRange)}`,
    plan.comparison && `compared with ${exact(plan.comparison)}`,
    plan.share && 'with each share of the total',
    plan.portion && `the percentage of it where ${conditions(plan.portion).join(' and ')}`,
    ...(plan.orderBy ?? []).map((one) => `${one.direction === 'desc' ? 'highest' : 'lowest'} ${nameOf(one.by)} first`),
    limit !== undefined && `at most ${limit} row${limit === 1 ? '' : 's'}`,
  ]
    .filter(Boolean)
    .join(', ');
}

type Conditions = Pick<QueryPlan, 'filters' | 'segments' | 'excludedSegments' | 'related'>;

function conditions({ filters = [], segments = [], excludedSegments = [], related = [] }: Conditions): string[] {
  const filter = ({ dimension, operator: said, values = [], than, since, unit }: PlanFilter): string => {
    const missing = said.startsWith('not_') ? ' or is missing' : '';
    const what = since ? `${unit} from ${last(since)} to ${last(dimension)}` : attribute(dimension);
    return `${what} ${operator(said)} ${than ? last(than) : values.join(' or ')}`.trim() + missing;
  };
  const rows = related.map((one) => {
    const inner = conditions(one).join(' and ');
    return `number of ${rowsOf(one.entity)} ${operator(one.operator)} ${one.value}${inner && ` (${inner})`}`;
  });
  return [
    ...filters.map(filter),
    ...segments.map(last),
    ...excludedSegments.map((name) => `not ${last(name)}`),
    ...rows,
  ];
}
