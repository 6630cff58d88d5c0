/** Resolves measures, metrics and ad hoc measures to aggregates. */
import type { DimensionType, Measure, MeasureType, ModelEntity, ModelMetric } from '../../semantic-layer/index.ts';
import type { Compilation } from '../compilation.ts';
import { PlanError } from '../errors.ts';
import { exactDivisions, expandMeasures, isAggregate, simpleAggregate } from '../expression/aggregate-calls.ts';
import { nameOf, type Token } from '../expression/tokens.ts';
import { sameName } from '../lookup/names.ts';
import type { QueryPlan } from '../plan.ts';
import { durationTokens } from './filters.ts';

export interface Aggregate {
  readonly entity: ModelEntity;
  /** `entity.measure` or the metric's id. */
  readonly source: string;
  readonly name: string;
  /** `expression`: the tokens contain the aggregate functions. `count` without tokens counts rows. */
  readonly type: Exclude<MeasureType, 'ratio'> | 'expression';
  readonly tokens: readonly Token[] | undefined;
  readonly valueType: DimensionType;
  readonly unit?: string;
  readonly format?: string;
  /** It does not add up over time. */
  readonly isState?: true;
}

/** Whether the values of disjoint groups add up to the total. */
export const isAdditive = ({ type }: Aggregate) => type === 'count' || type === 'sum';
/** Whether the value over no rows is 0 instead of NULL. */
export const isCount = ({ type }: Aggregate) => type === 'count' || type === 'count_distinct';

/** Whether repeated rows leave the value unchanged. */
export const ignoresRepeats = ({ type }: Aggregate) => type === 'min' || type === 'max' || type === 'count_distinct';

export function aggregateSql(aggregate: Aggregate, write: (tokens: readonly Token[]) => string): string {
  const { type, tokens } = aggregate;
  if (tokens === undefined) return 'COUNT(*)';
  const value = write(tokens);
  if (type === 'expression') return value;
  return type === 'count_distinct' ? `COUNT(DISTINCT ${value})` : `${type.toUpperCase()}(${value})`;
}

const asAggregate = (tokens: readonly Token[]): Pick<Aggregate, 'type' | 'tokens'> =>
  simpleAggregate(tokens) ?? { type: 'expression', tokens };

const isStar = (tokens: readonly Token[]) => tokens.length === 1 && tokens[0]!.text === '*';

/** The type of the values; a minimum or maximum has the type of its dimension. */
function valueTypeOf(entity: ModelEntity, type: MeasureType, sql: string): DimensionType {
  if (type !== 'min' && type !== 'max') return 'number';
  const name = sql.replace(/^\{\s*(.*?)\s*\}$/, '$1');
  const dimension = entity.dimensions.find((known) => sameName(known.name, name) || sameName(known.sql, sql));
  return dimension?.type ?? 'number';
}

/**
 * The tokens of an aggregate expression, with the entity's other measures expanded. `open`: measures being expanded.
 */
function expression(
  compilation: Compilation,
  entity: ModelEntity,
  sql: string,
  where: string,
  open: readonly Measure[],
): Token[] {
  const { members, syntax } = compilation;
  const inner = (name: string): readonly Token[] | undefined => {
    const own = name.replace(/^.*\./, '');
    if (own !== name && !sameName(name.slice(0, -own.length - 1), entity.name)) return undefined;
    const measure = entity.measures.find((known) => sameName(known.name, own));
    if (measure === undefined) return undefined;
    if (open.includes(measure)) {
      throw new PlanError('invalid_plan', `The measure ${where} refers to itself; correct it in the semantic layer.`);
    }
    return aggregateTokens(compilation, entity, measure, open);
  };
  const tokens = members.expression(entity, sql, where, inner);
  if (tokens.some((token) => token.kind === 'word' && /^select$/i.test(token.text))) {
    throw new PlanError(
      'invalid_plan',
      `${where} is a whole query; write it as an aggregate expression over ${entity.name} in the semantic layer.`,
    );
  }
  return exactDivisions(expandMeasures(tokens, inner), syntax.dividesIntegers);
}

function aggregateTokens(
  compilation: Compilation,
  entity: ModelEntity,
  measure: Measure,
  open: readonly Measure[],
): Token[] {
  const aggregate = withinSum(measureAggregate(compilation, entity, measure, open));
  const word = (text: string): Token => ({ kind: 'word', text });
  const call = (name: string, inner: readonly Token[]): Token[] => [
    word(name),
    { kind: 'symbol', text: '(' },
    ...inner,
    { kind: 'symbol', text: ')' },
  ];
  if (aggregate.tokens === undefined) return call('COUNT', [{ kind: 'symbol', text: '*' }]);
  if (aggregate.type === 'expression') return [...aggregate.tokens];
  if (aggregate.type !== 'count_distinct') return call(aggregate.type.toUpperCase(), aggregate.tokens);
  return call('COUNT', [word('DISTINCT'), { kind: 'space', text: ' ' }, ...aggregate.tokens]);
}

/** The aggregate where rows of all times come together. Throws `PlanError` for one that does not add up over time. */
export function withinSum(aggregate: Aggregate): Aggregate {
  if (aggregate.isState !== true) return aggregate;
  throw new PlanError(
    'invalid_plan',
    `${aggregate.source} does not add up over time, so it cannot be part of another expression; ask for it alone.`,
  );
}

function measureAggregate(
  compilation: Compilation,
  entity: ModelEntity,
  measure: Measure,
  open: readonly Measure[] = [],
): Aggregate {
  const { members, syntax } = compilation;
  const source = `${entity.name}.${measure.name}`;
  const base = {
    entity,
    source,
    name: measure.name,
    ...(measure.format !== undefined && { format: measure.format }),
    ...(measure.additive !== undefined && { isState: true as const }),
  };
  if (measure.type === 'ratio') {
    if (measure.sql === undefined) {
      throw new PlanError(
        'invalid_plan',
        `The ratio ${source} has no sql; give it an aggregate expression in the semantic layer.`,
      );
    }
    const tokens = expression(compilation, entity, measure.sql, source, [...open, measure]);
    return { ...base, ...asAggregate(tokens), valueType: 'number' };
  }
  if (measure.sql === undefined && measure.type === 'count') {
    return { ...base, type: 'count', tokens: undefined, valueType: 'number' };
  }
  const sql = measure.sql ?? syntax.identifier(measure.name);
  const tokens = members.expression(entity, sql, source);
  if (isAggregate(tokens)) {
    return { ...base, ...asAggregate(exactDivisions(tokens, syntax.dividesIntegers)), valueType: 'number' };
  }
  const counted = measure.type === 'count' && isStar(tokens) ? undefined : tokens;
  return { ...base, type: measure.type, tokens: counted, valueType: valueTypeOf(entity, measure.type, sql) };
}

const countOf = (entity: ModelEntity): Aggregate => ({
  entity,
  source: `${entity.name}.count`,
  name: 'count',
  type: 'count',
  tokens: undefined,
  valueType: 'number',
});

/** The entity of a metric that declares none: the one that qualifies the columns of its SQL. */
function entityOfSql(compilation: Compilation, metric: ModelMetric, tokens: readonly Token[]): ModelEntity {
  const owners = tokens.flatMap((token, at) => {
    const isOwner = tokens[at + 1]?.text === '.' && tokens[at - 1]?.text !== '.';
    return isOwner ? (compilation.model.entity(nameOf(token)) ?? []) : [];
  });
  const [entity, ...others] = new Set(owners);
  if (entity !== undefined && others.length === 0) return entity;
  throw new PlanError(
    'invalid_plan',
    entity === undefined
      ? `The metric ${metric.id} names no entity; add one in the semantic layer.`
      : `The metric ${metric.id} spans several entities, which one aggregate cannot; ask for its parts as measures.`,
  );
}

function metricAggregate(compilation: Compilation, metric: ModelMetric): Aggregate {
  const { names, members } = compilation;
  const own = { source: metric.id, name: metric.id, ...(metric.unit !== undefined && { unit: metric.unit }) };
  if (metric.measure !== undefined) {
    const bare = metric.entity === undefined || metric.measure.includes('.');
    const member = bare ? names.measure(metric.measure) : names.measureOf(names.entity(metric.entity!), metric.measure);
    if ('id' in member) {
      throw new PlanError(
        'invalid_plan',
        `The metric ${metric.id} names no measure; correct it in the semantic layer.`,
      );
    }
    const { entity, measure } = member;
    return { ...(measure === undefined ? countOf(entity) : measureAggregate(compilation, entity, measure)), ...own };
  }
  if (metric.sql === undefined) {
    throw new PlanError(
      'invalid_plan',
      `The metric ${metric.id} has neither measure nor sql; add one in the semantic layer.`,
    );
  }
  const entity =
    metric.entity === undefined
      ? entityOfSql(compilation, metric, members.tokens(metric.sql, metric.id))
      : names.entity(metric.entity);
  const tokens = expression(compilation, entity, metric.sql, metric.id, []);
  if (!isAggregate(tokens)) {
    throw new PlanError(
      'invalid_plan',
      `The metric ${metric.id} does not aggregate anything; write its sql with SUM, COUNT or the like.`,
    );
  }
  return { entity, ...own, ...asAggregate(tokens), valueType: 'number' };
}

/** The aggregate of the measure or metric with this name. */
export function aggregateNamed(compilation: Compilation, name: string): Aggregate {
  const found = compilation.names.measure(name);
  if ('id' in found) return metricAggregate(compilation, found);
  const { entity, measure } = found;
  return measure === undefined ? countOf(entity) : measureAggregate(compilation, entity, measure);
}

export function adhocAggregate(
  compilation: Compilation,
  adhoc: NonNullable<QueryPlan['adhocMeasures']>[number],
): Aggregate {
  const { entity, dimension } = compilation.names.dimension(adhoc.dimension);
  const source = `${entity.name}.${dimension.name}`;
  if (adhoc.since !== undefined) {
    if (adhoc.type === 'count_distinct')
      throw new PlanError('invalid_plan', 'Durations are not counted; average them.');
    const own = {
      entity,
      source,
      name: adhoc.name,
      type: adhoc.type,
      valueType: 'number' as const,
      unit: adhoc.unit ?? 'days',
    };
    return { ...own, tokens: durationTokens(compilation, adhoc) };
  }
  if ((adhoc.type === 'sum' || adhoc.type === 'avg') && dimension.type !== 'number') {
    throw new PlanError('invalid_plan', `${source} is a ${dimension.type}, of which there is no ${adhoc.type}.`);
  }
  const isState = entity.measures.some(
    ({ additive, sql = '' }) => additive !== undefined && sameName(sql.replace(/^\{\s*|\s*\}$/g, ''), dimension.name),
  );
  const keepsType = adhoc.type === 'min' || adhoc.type === 'max';
  return {
    entity,
    source,
    name: adhoc.name,
    type: adhoc.type,
    tokens: compilation.members.dimension(entity, dimension),
    ...(isState && adhoc.type === 'sum' && { isState: true as const }),
    valueType: keepsType ? dimension.type : 'number',
  };
}
