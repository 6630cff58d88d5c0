/** Reads conditions on one column: what it is compared with, and how people say that. */
import { type ColumnRef, type Expr, operandsOf, shapeOf } from '../sql-kit/index.ts';
import { columnsIn, type Filter } from './filters.ts';

export interface Predicate {
  /** The column, or a function of it. */
  readonly subject: Expr;
  readonly operator: string;
  readonly values: readonly Expr[];
}

const MAX_CHARS = 60;
const MAX_VALUES = 5;
const TIME = /^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/;
/** Shapes of literals of a type and of casts. */
const TIME_FORM =
  /^(DATE|DATETIME|TIMESTAMP) §$|^CAST\(§ AS (DATE|DATETIME|TIMESTAMP)\b[^§]*\)$|^§::pg_catalog\.(date|timestamp|timestamptz)$/i;
/** Functions that keep what a value says. */
const SAME_VALUE = new Set(['lower', 'upper', 'trim', 'date', 'datetime', 'timestamp']);
/** The same comparison with its sides exchanged. */
const TURNED: ReadonlyMap<string, string> = new Map([
  ['<', '>'],
  ['<=', '>='],
  ['>=', '<='],
  ['>', '<'],
]);

/** The date or timestamp that an expression writes out. */
function timeIn(expr: Expr): string | undefined {
  if (expr.kind === 'string') return TIME.test(expr.value) ? expr.value : undefined;
  if (expr.kind === 'form') return TIME_FORM.test(shapeOf(expr)) ? timeIn(operandsOf(expr)[0]!) : undefined;
  const isDate = expr.kind === 'call' && /^(date|datetime|timestamp)$/i.test(expr.name) && expr.args.length === 1;
  return isDate ? timeIn(expr.args[0]!) : undefined;
}

export function predicateOf(condition: Expr): Predicate | undefined {
  switch (condition.kind) {
    case 'chain': {
      const [left, right, more] = condition.operands;
      const [operator = ''] = condition.operators;
      if (left === undefined || right === undefined || more !== undefined) return undefined;
      const isTurned = columnsIn(left)?.length === 0;
      const [subject, value] = isTurned ? [right, left] : [left, right];
      return { subject, operator: isTurned ? (TURNED.get(operator) ?? operator) : operator, values: [value] };
    }
    case 'between':
      return named(condition.operand, condition.not, 'BETWEEN', [condition.low, condition.high]);
    case 'like':
      return named(condition.operand, condition.not, condition.operator, [condition.pattern]);
    case 'in':
      return condition.set.kind === 'list'
        ? named(condition.operand, condition.not, 'IN', condition.set.items)
        : undefined;
    case 'form': {
      const [subject, ...values] = operandsOf(condition);
      const operator = condition.parts[1];
      if (subject === undefined || typeof operator !== 'string') return undefined;
      return { subject, operator: operator.trim(), values };
    }
    default:
      return undefined;
  }
}

const named = (subject: Expr, not: boolean, operator: string, values: readonly Expr[]): Predicate => ({
  subject,
  operator: not ? `NOT ${operator}` : operator,
  values,
});

/** The column that a subject is, also in other letters or without its time. */
export function plainColumn(subject: Expr): ColumnRef | undefined {
  if (subject.kind === 'name') return subject;
  const isSame = subject.kind === 'call' && subject.args.length === 1 && SAME_VALUE.has(subject.name.toLowerCase());
  return isSame ? plainColumn(subject.args[0]!) : undefined;
}

/** The texts that a filter wants its column to be or to contain. */
export function wantedTexts({ conditions }: Filter): string[] {
  return conditions.flatMap((condition) => {
    const { subject, operator = '', values = [] } = predicateOf(condition) ?? {};
    if (subject === undefined || plainColumn(subject) === undefined) return [];
    if (!/^(=|==|IN|LIKE|ILIKE|GLOB)$/.test(operator)) return [];
    const texts = values.flatMap((value) =>
      value.kind === 'string' && timeIn(value) === undefined ? [value.value] : [],
    );
    return (operator === '=' || operator === '==' || operator === 'IN' ? texts : texts.map(withoutMarks)).filter(
      Boolean,
    );
  });
}

/** A pattern without the marks that stand for anything. */
const withoutMarks = (pattern: string) => pattern.replace(/!([%_!])/g, '$1').replace(/^[%*]+|[%*]+$/g, '');

/** Whether a filter is about when. */
export const isAboutTime = ({ conditions, member }: Filter): boolean =>
  member?.dimension.type === 'date' ||
  member?.dimension.type === 'timestamp' ||
  conditions.some((condition) => predicateOf(condition)?.values.some((value) => timeIn(value) !== undefined));

const clipped = (text: string) => (text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`);
/** A value as it is told. */
export const quoted = (text: string) => JSON.stringify(clipped(text));

function valueWords(value: Expr): string | undefined {
  if (value.kind === 'number') return value.value;
  if (value.kind === 'constant') return value.value.toLowerCase();
  if (value.kind === 'prefix' && value.operator === '-') return `-${valueWords(value.operand)}`;
  return timeIn(value) ?? (value.kind === 'string' ? quoted(value.value) : undefined);
}

/** What people call a column: as the semantic layer does. */
export const columnWords = ({ column, member }: Filter): string =>
  (member?.dimension.name ?? column?.name ?? '').replaceAll('_', ' ');

/** A filter as people say it, without any SQL of its statement. */
export function filterWords(filter: Filter): string {
  const { conditions, column } = filter;
  if (column === undefined) {
    const names = conditions
      .flatMap((condition) => columnsIn(condition) ?? [])
      .map(({ name }) => name.replaceAll('_', ' '));
    return names.length === 0 ? 'a condition on related rows' : `a condition on ${[...new Set(names)].join(' and ')}`;
  }
  const said = conditions.map((condition) => conditionWords(condition));
  return said.includes(undefined)
    ? `a condition on ${columnWords(filter)}`
    : `${columnWords(filter)} ${said.join(' and ')}`;
}

function conditionWords(condition: Expr): string | undefined {
  if (condition.kind === 'name') return 'is true';
  if (condition.kind === 'prefix' && condition.operator === 'NOT' && condition.operand.kind === 'name')
    return 'is false';
  const { subject, operator = '', values = [] } = predicateOf(condition) ?? {};
  if (subject === undefined || plainColumn(subject) === undefined) return undefined;
  const told = values.map(valueWords);
  return told.includes(undefined) ? undefined : operatorWords(operator, told as string[], values);
}

function operatorWords(operator: string, told: readonly string[], values: readonly Expr[]): string | undefined {
  const [first = '', second = ''] = told;
  const isTime = values.some((value) => timeIn(value) !== undefined);
  const any = told.length <= MAX_VALUES ? told.join(' or ') : `${told.slice(0, MAX_VALUES).join(', ')} or others`;
  const isNull = first === 'null' || operator.endsWith('NULL');
  switch (operator) {
    case '=':
    case '==':
    case 'IN':
      return `is ${any}`;
    case '<>':
    case '!=':
    case 'NOT IN':
      return `is not ${any}`;
    case '<':
      return isTime ? `before ${first}` : `below ${first}`;
    case '<=':
      return isTime ? `up to ${first}` : `at most ${first}`;
    case '>':
      return isTime ? `after ${first}` : `above ${first}`;
    case '>=':
      return isTime ? `from ${first} on` : `at least ${first}`;
    case 'BETWEEN':
      return `from ${first} to ${second}`;
    case 'IS':
    case 'IS NULL':
      return isNull ? 'has no value' : undefined;
    case 'IS NOT':
    case 'IS NOT NULL':
      return isNull ? 'has a value' : undefined;
    case 'LIKE':
    case 'ILIKE':
      return values[0]?.kind === 'string' ? patternWords(values[0].value) : undefined;
    default:
      return undefined;
  }
}

function patternWords(pattern: string): string {
  const text = withoutMarks(pattern);
  if (/[%_]/.test(text)) return `is like ${quoted(pattern)}`;
  const [isOpenBefore, isOpenBehind] = [pattern.startsWith('%'), pattern.endsWith('%')];
  if (isOpenBefore && isOpenBehind) return `contains ${quoted(text)}`;
  if (isOpenBehind) return `begins with ${quoted(text)}`;
  return isOpenBefore ? `ends with ${quoted(text)}` : `is ${quoted(text)}`;
}
