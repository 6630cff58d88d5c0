/**
 * Turns filters and time ranges on a dimension into conditions. Negations keep NULLs: "status is not cancelled" holds
 * for a row without a status.
 */
import type { DimensionType, ModelDimension } from '../../semantic-layer/index.ts';
import type { Compilation } from '../compilation.ts';
import type { Syntax } from '../dialect.ts';
import { PlanError } from '../errors.ts';
import { isOperand, type Token } from '../expression/tokens.ts';
import type { MeasureFilter, PlanFilter, TimeRange } from '../plan.ts';
import type { Condition } from './condition.ts';
import { nextDay, type Period, periodOf } from './periods.ts';

type Scalar = string | number | boolean;
type Operator = PlanFilter['operator'];

const OPERATORS = {
  greater_than: '>',
  greater_or_equal: '>=',
  less_than: '<',
  less_or_equal: '<=',
} as const;

/** Compares a value with a number; `not_equals` holds for NULL. */
export function compared(syntax: Syntax, value: string, operator: MeasureFilter['operator'], wanted: number): string {
  if (operator === 'not_equals') return syntax.differs(value, String(wanted));
  return `${value} ${operator === 'equals' ? '=' : OPERATORS[operator]} ${wanted}`;
}

export const isTime = (type: DimensionType) => type === 'date' || type === 'timestamp';

const wrapped = (sql: string, tokens: readonly Token[]) => (isOperand(tokens) ? sql : `(${sql})`);

/** The value as a literal of the dimension's type. */
function literal(value: Scalar, type: DimensionType, syntax: Syntax, name: string): string {
  if (type === 'number') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return String(number);
    throw new PlanError('invalid_plan', `${JSON.stringify(value)} is not a number, which ${name} is; give a number.`);
  }
  if (type === 'boolean') {
    const text = String(value).toLowerCase();
    if (text === 'true' || text === '1') return 'TRUE';
    if (text === 'false' || text === '0') return 'FALSE';
    throw new PlanError('invalid_plan', `${JSON.stringify(value)} is not true or false, which ${name} is.`);
  }
  return syntax.text(String(value));
}

/** Both sides of a comparison of times. */
interface TimeSide {
  readonly value: string;
  point(point: string): string;
}

/** On a date dimension, midnight means the whole day. */
function onDay(period: Period, type: DimensionType): Period {
  if (type !== 'date' || !/ 00:00:00$/.test(period.from)) return period;
  const day = period.from.slice(0, 10);
  return { from: day, to: nextDay(day), precision: 'day' };
}

function timeSide(value: string, type: DimensionType, period: Period, syntax: Syntax): TimeSide {
  if (period.precision !== 'instant') return { value, point: syntax.point };
  if (type === 'date') {
    // Days from an instant on begin with the next midnight.
    return { value, point: (at) => syntax.point(/ 00:00:00$/.test(at) ? at.slice(0, 10) : nextDay(at)) };
  }
  return { value: syntax.instant(value), point: syntax.point };
}

function timeEquals(value: string, type: DimensionType, period: Period, syntax: Syntax): string {
  const { value: side, point } = timeSide(value, type, period, syntax);
  const isPoint = period.precision === 'instant' || (period.precision === 'day' && type === 'date');
  if (isPoint) return `${side} = ${syntax.point(type === 'date' ? period.from.slice(0, 10) : period.from)}`;
  return `${side} >= ${point(period.from)} AND ${side} < ${point(period.to)}`;
}

function timeCompare(
  operator: keyof typeof OPERATORS,
  value: string,
  type: DimensionType,
  period: Period,
  syntax: Syntax,
) {
  const { value: side, point } = timeSide(value, type, period, syntax);
  if (period.precision === 'instant' && type === 'timestamp')
    return `${side} ${OPERATORS[operator]} ${point(period.from)}`;
  if (period.precision === 'day' && type === 'date') return `${side} ${OPERATORS[operator]} ${point(period.from)}`;
  switch (operator) {
    case 'less_than':
      return `${side} < ${point(period.from)}`;
    case 'less_or_equal':
      return `${side} < ${point(period.to)}`;
    case 'greater_than':
      return `${side} >= ${point(period.to)}`;
    case 'greater_or_equal':
      return `${side} >= ${point(period.from)}`;
  }
}

function timeFilter(
  operator: Operator,
  value: string,
  type: DimensionType,
  periods: readonly Period[],
  syntax: Syntax,
): string {
  if (operator in OPERATORS) return timeCompare(operator as keyof typeof OPERATORS, value, type, periods[0]!, syntax);
  const negated = operator === 'not_equals' || operator === 'not_in';
  const points = periods.every(({ precision }) => precision === 'day') && type === 'date';
  if (points)
    return valueFilter(
      operator,
      value,
      periods.map(({ from }) => syntax.point(from)),
      syntax,
    );
  const any = periods.map((period) => timeEquals(value, type, period, syntax));
  if (negated) return `(${any.join(' OR ')}) IS NOT TRUE`;
  return any.length === 1 ? any[0]! : `(${any.map((one) => `(${one})`).join(' OR ')})`;
}

function valueFilter(operator: Operator, value: string, literals: readonly string[], syntax: Syntax): string {
  const first = literals[0]!;
  switch (operator) {
    case 'equals':
    case 'in':
      return literals.length === 1 ? `${value} = ${first}` : `${value} IN (${literals.join(', ')})`;
    case 'not_equals':
    case 'not_in':
      return literals.length === 1
        ? syntax.differs(value, first)
        : `(${value} NOT IN (${literals.join(', ')}) OR ${value} IS NULL)`;
    default:
      return `${value} ${OPERATORS[operator as keyof typeof OPERATORS]} ${first}`;
  }
}

const COMPARED = { ...OPERATORS, equals: '=', not_equals: '<>' } as const;
const UNITS = { minutes: 1440, hours: 24, days: 1 } as const;

/** A dimension of the same entity as the one that is called `name`. */
function sibling({ names }: Compilation, name: string, wanted: string): { readonly dimension: ModelDimension } {
  const found = names.dimension(wanted);
  if (found.entity === names.dimension(name).entity) return found;
  throw new PlanError('invalid_plan', `${name} and ${wanted} are of different entities and cannot be compared.`);
}

/** The time between two dates of a row, in the wanted unit. */
export function durationTokens(
  compilation: Compilation,
  { dimension: name, since, unit = 'days' }: Pick<PlanFilter, 'dimension' | 'since' | 'unit'>,
): readonly Token[] {
  const { entity, dimension } = compilation.names.dimension(name);
  const start = sibling(compilation, name, since!).dimension;
  for (const one of [start, dimension])
    if (!isTime(one.type))
      throw new PlanError('invalid_plan', `A duration is between two dates; ${entity.name}.${one.name} is none.`);
  const days = compilation.syntax.days(`{${start.name}}`, `{${dimension.name}}`);
  const sql = unit === 'days' ? days : `(${days}) * ${UNITS[unit]}`;
  return compilation.members.expression(entity, sql, `${entity.name}.${dimension.name}`);
}

const SINGLE_VALUE = new Set(Object.keys(OPERATORS));

/** The condition of a filter. Throws `PlanError` when its values do not fit the dimension. */
export function filterCondition(compilation: Compilation, filter: PlanFilter): Condition {
  const { names, members, syntax } = compilation;
  const { entity, dimension } = names.dimension(filter.dimension);
  const name = `${entity.name}.${dimension.name}`;
  const { operator, values = [], since, than } = filter;
  const tokens = since === undefined ? members.dimension(entity, dimension) : durationTokens(compilation, filter);
  const condition = (write: (value: string) => string): Condition => ({
    entity,
    sql: (clause, source) => write(wrapped(clause.sql(source, tokens), tokens)),
  });

  if (than !== undefined) {
    if (!(operator in COMPARED)) throw new PlanError('invalid_plan', `The filter on ${name} cannot be ${operator}.`);
    const other = sibling(compilation, name, than);
    if (other.dimension.type !== dimension.type && !(isTime(dimension.type) && isTime(other.dimension.type)))
      throw new PlanError('invalid_plan', `${name} and ${than} are of different types and cannot be compared.`);
    const others = members.dimension(entity, other.dimension);
    // A date has no time: a timestamp of the same day is not after it.
    const isDay = other.dimension.type !== dimension.type;
    const side = (sql: string, one: readonly Token[]) => (isDay ? syntax.bucket('day', sql) : wrapped(sql, one));
    return {
      entity,
      sql(clause, source) {
        const [left, right] = [tokens, others].map((one) => side(clause.sql(source, one), one));
        return `${left} ${COMPARED[operator as keyof typeof COMPARED]} ${right}`;
      },
    };
  }
  if (since !== undefined) {
    const [wanted, more] = values;
    if (typeof wanted !== 'number' || more !== undefined || !(operator in COMPARED))
      throw new PlanError('invalid_plan', `The time from ${since} to ${name} is compared with one number.`);
    return condition((value) => `${value} ${COMPARED[operator as keyof typeof COMPARED]} ${wanted}`);
  }
  if (operator === 'is_null') return condition((value) => `${value} IS NULL`);
  if (operator === 'is_not_null') return condition((value) => `${value} IS NOT NULL`);
  if (values.length === 0)
    throw new PlanError('invalid_plan', `The filter on ${name} has no value; give at least one.`);
  if (SINGLE_VALUE.has(operator) && values.length > 1) {
    throw new PlanError('invalid_plan', `The filter on ${name} takes one value, not ${values.length}; give one.`);
  }
  if (operator === 'contains' || operator === 'starts_with' || operator === 'ends_with') {
    return condition((value) => {
      const text = dimension.type === 'string' ? value : syntax.asText(value);
      const any = values.map((wanted) => syntax.matches(text, operator, String(wanted)));
      return any.length === 1 ? any[0]! : `(${any.join(' OR ')})`;
    });
  }
  if (isTime(dimension.type)) {
    const periods = values.map((value) => periodOf(value, name)).map((period) => onDay(period, dimension.type));
    return condition((value) => timeFilter(operator, value, dimension.type, periods, syntax));
  }
  const literals = values.map((value) => literal(value, dimension.type, syntax, name));
  return condition((value) => valueFilter(operator, value, literals, syntax));
}

/** The condition of a time range; `undefined` when it is open at both ends. */
export function timeRangeCondition(compilation: Compilation, range: TimeRange): Condition | undefined {
  const { names, members, syntax } = compilation;
  const { entity, dimension } = names.dimension(range.dimension);
  const name = `${entity.name}.${dimension.name}`;
  if (!isTime(dimension.type)) {
    throw new PlanError('invalid_plan', `A time range needs a date or timestamp; ${name} is a ${dimension.type}.`);
  }
  const from = range.from === undefined ? undefined : periodOf(range.from, name);
  const to = range.to === undefined ? undefined : periodOf(range.to, name);
  if (from !== undefined && to !== undefined && from.from >= to.from) {
    throw new PlanError(
      'invalid_plan',
      `The time range from ${range.from} to ${range.to} is empty; \`to\` is exclusive.`,
    );
  }
  if (from === undefined && to === undefined) return undefined;
  const tokens = members.dimension(entity, dimension);
  return {
    entity,
    sql(clause, source) {
      const value = wrapped(clause.sql(source, tokens), tokens);
      const bound = (operator: string, period: Period | undefined) => {
        if (period === undefined) return [];
        const { value: side, point } = timeSide(value, dimension.type, period, syntax);
        return [`${side} ${operator} ${point(period.from)}`];
      };
      return [...bound('>=', from), ...bound('<', to)].join(' AND ');
    },
  };
}
