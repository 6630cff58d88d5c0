/** Reads conditions that compare one column with literals: as filters with values, or as the ends of periods. */
import type { FilterOperator, FilterValue } from '../result-kit/index.ts';
import { isTime } from '../semantic-layer/index.ts';
import { type Member, periodOf } from '../semantic-query/index.ts';
import { type ColumnRef, type Expr, Level, operandsOf, shapeOf } from '../sql-kit/index.ts';
import { columnIn, cutTime, literalOf } from './literals.ts';
import { relativeDay } from './relative-days.ts';

/** What columns and days mean where a condition stands. */
export interface ColumnScope {
  /** The column of an entity that a name means; `undefined` where that is not certain. */
  member(column: ColumnRef): Member | undefined;
  /** The day in the time zone of the connection; `undefined`: not known. */
  readonly today: string | undefined;
}

/** One end of a period. */
export interface Bound {
  readonly member: Member;
  readonly from?: string;
  readonly to?: string;
  readonly includesTo?: boolean;
}

export const OPERATORS: Readonly<Record<string, FilterOperator>> = {
  '=': 'equals',
  '==': 'equals',
  '<=>': 'equals',
  IS: 'equals',
  'IS NOT DISTINCT FROM': 'equals',
  '<>': 'not_equals',
  '!=': 'not_equals',
  'IS NOT': 'not_equals',
  'IS DISTINCT FROM': 'not_equals',
  '>': 'greater_than',
  '>=': 'greater_or_equal',
  '<': 'less_than',
  '<=': 'less_or_equal',
};
const KEEPS_MISSING = new Set(['IS NOT', 'IS DISTINCT FROM']);
const FLIPPED: Partial<Record<FilterOperator, FilterOperator>> = {
  greater_than: 'less_than',
  greater_or_equal: 'less_or_equal',
  less_than: 'greater_than',
  less_or_equal: 'greater_or_equal',
};
export function memberIn(expr: Expr, scope: ColumnScope) {
  const found = columnIn(expr);
  const member = found && scope.member(found.column);
  return member && { member, isDay: found.isDay || member.dimension.type === 'date' };
}

/** The ends of a period that a comparison of a time with literals is. */
export function boundsOf(expr: Expr, scope: ColumnScope): Bound[] | undefined {
  const between = betweenOf(expr);
  if (between?.not === false) {
    const [low, high] = endsOf(between).map((end) => boundsOf(end, scope));
    return low && high && [...low, ...high];
  }
  const compared = comparisonOf(expr, scope.today);
  if (compared === undefined) return undefined;
  const { side, operator, value } = compared;
  const cut = cutTime(side);
  const cutMember = cut && scope.member(cut.column);
  const plain = cut === undefined ? memberIn(side, scope) : undefined;
  const member = cutMember ?? plain?.member;
  if (member === undefined || !isTime(member.dimension)) return undefined;
  const written = cut === undefined ? String(value) : cut.periodFor(value);
  const range = written === undefined ? undefined : rangeOf(written);
  if (range === undefined) return undefined;
  const bound = (ends: Omit<Bound, 'member'>): Bound[] => [{ member, ...ends }];
  if (operator === 'greater_or_equal') return bound({ from: range.from });
  if (operator === 'less_than') return bound({ to: range.from });
  // Compared with a column of times, a day is its midnight.
  const isWhole = cut !== undefined || (plain?.isDay === true && range.from !== range.to);
  if (operator === 'less_or_equal') return bound(isWhole ? { to: range.to } : { to: range.from, includesTo: true });
  if (!isWhole) return undefined;
  if (operator === 'equals') return bound({ from: range.from, to: range.to });
  return operator === 'greater_than' ? bound({ from: range.to }) : undefined;
}

/** Ends of one column are one period. */
export function periodsOf(bounds: readonly Bound[]): Bound[] {
  const periods: Bound[] = [];
  for (const bound of bounds) {
    const { member, from, to } = bound;
    const at = periods.findIndex(
      (one) =>
        one.member.entity === member.entity &&
        one.member.dimension === member.dimension &&
        (from === undefined || one.from === undefined) &&
        (to === undefined || one.to === undefined),
    );
    if (at === -1) periods.push(bound);
    else periods[at] = { ...periods[at], ...bound };
  }
  return periods;
}

type Between = Extract<Expr, { kind: 'between' }>;

/** BETWEEN, however the reader of the engine writes it down. */
export function betweenOf(expr: Expr): Between | undefined {
  if (expr.kind === 'between') return expr;
  if (expr.kind !== 'form') return undefined;
  const [found, not] = /^§ (NOT )?BETWEEN § AND §$/.exec(shapeOf(expr)) ?? [];
  if (found === undefined) return undefined;
  const [operand, low, high] = operandsOf(expr) as [Expr, Expr, Expr];
  return { kind: 'between', at: expr.at, not: not !== undefined, operand, low, high };
}

/** The two comparisons that BETWEEN is. */
export const endsOf = ({ at, operand, low, high }: Between): [Expr, Expr] => [
  { kind: 'chain', at, level: Level.comparison, operands: [operand, low], operators: ['>='] },
  { kind: 'chain', at, level: Level.comparison, operands: [operand, high], operators: ['<='] },
];

function rangeOf(text: string): { readonly from: string; readonly to: string } | undefined {
  // Only what a database takes for a time, not `2026` alone beside one.
  if (!/^\d{4}(-\d\d){0,2}([ T]\d\d:\d\d.*)?$/.test(text)) return undefined;
  try {
    return periodOf(text, 'a period');
  } catch {
    return undefined;
  }
}

interface Compared {
  readonly side: Expr;
  readonly operator: FilterOperator;
  readonly value: FilterValue;
}

/** A comparison of something with a literal, which may be on either side. */
function comparisonOf(expr: Expr, today?: string): Compared | undefined {
  if (expr.kind !== 'chain' || expr.operands.length !== 2) return undefined;
  const operator = OPERATORS[expr.operators[0]!];
  const [left, right] = expr.operands as [Expr, Expr];
  if (operator === undefined) return undefined;
  const valueIn = (side: Expr) => {
    const written = literalOf(side);
    return written !== undefined || today === undefined ? written : relativeDay(side, today);
  };
  const value = valueIn(right);
  if (value !== undefined) return { side: left, operator, value };
  const other = valueIn(left);
  return other === undefined ? undefined : { side: right, operator: FLIPPED[operator] ?? operator, value: other };
}

/** A column compared with values. */
export interface Plain {
  readonly member: Member;
  readonly operator: FilterOperator;
  readonly values: readonly FilterValue[];
  readonly not: boolean;
  /** It holds where there is no value, too. */
  readonly orMissing?: boolean;
}

export function plainFilter(expr: Expr, scope: ColumnScope): Plain | undefined {
  if (expr.kind === 'name') {
    const member = scope.member(expr);
    return member && { member, operator: 'equals', values: [true], not: false };
  }
  if (expr.kind === 'prefix' && expr.operator === 'NOT') {
    const inner = plainFilter(expr.operand, scope);
    if (inner === undefined || inner.not || inner.orMissing) return undefined;
    if (inner.operator !== 'equals') return { ...inner, not: true };
    const isExact = expr.operand.kind === 'chain' && expr.operand.operators[0] === '<=>';
    return { ...inner, operator: 'not_equals', ...(isExact && { orMissing: true }) };
  }
  if (expr.kind === 'chain' && expr.operators.join() === 'OR') {
    const [first, second] = expr.operands.map((operand) => plainFilter(operand, scope));
    const isSame = first?.member.dimension === second?.member.dimension && second?.operator === 'is_null';
    return first !== undefined && isSame && !first.not ? { ...first, orMissing: true } : undefined;
  }
  if (expr.kind === 'in' && expr.set.kind === 'list') {
    const member = memberIn(expr.operand, scope)?.member;
    const values = expr.set.items.map(literalOf);
    if (member === undefined || values.includes(undefined)) return undefined;
    return { member, operator: expr.not ? 'not_in' : 'in', values: values as FilterValue[], not: false };
  }
  const like = likeOf(expr);
  if (like !== undefined) {
    const member = memberIn(like.side, scope)?.member;
    return member && { member, ...like };
  }
  const missing = missingOf(expr);
  if (missing !== undefined) {
    const member = memberIn(missing.side, scope)?.member;
    return member && { member, operator: missing.operator, values: [], not: false };
  }
  const compared = comparisonOf(expr, scope.today);
  if (compared === undefined || cutTime(compared.side) !== undefined) return undefined;
  const member = memberIn(compared.side, scope)?.member;
  const orMissing = expr.kind === 'chain' && KEEPS_MISSING.has(expr.operators[0]!);
  return (
    member && {
      member,
      operator: compared.operator,
      values: [compared.value],
      not: false,
      ...(orMissing && { orMissing }),
    }
  );
}

/** A test for NULL, however the reader of the engine writes it down. */
function missingOf(expr: Expr): { readonly side: Expr; readonly operator: FilterOperator } | undefined {
  if (expr.kind === 'form') {
    const [, not] = /^§ IS (NOT )?NULL$/.exec(shapeOf(expr)) ?? [undefined, null];
    return not === null ? undefined : { side: operandsOf(expr)[0]!, operator: not ? 'is_not_null' : 'is_null' };
  }
  const compared = comparisonOf(expr);
  if (compared?.value !== null || expr.kind !== 'chain') return undefined;
  const [word] = expr.operators;
  if (word !== 'IS' && word !== 'IS NOT') return undefined;
  return { side: compared.side, operator: word === 'IS' ? 'is_null' : 'is_not_null' };
}

/** `LIKE` with a pattern that is a text between signs for any others. */
function likeOf(expr: Expr): (Omit<Plain, 'member'> & { readonly side: Expr }) | undefined {
  let parts: { side: Expr; pattern: Expr; sign: Expr | undefined; not: boolean } | undefined;
  if (expr.kind === 'like' && (expr.operator === 'LIKE' || expr.operator === 'ILIKE'))
    parts = { side: expr.operand, pattern: expr.pattern, sign: expr.escape, not: expr.not };
  if (expr.kind === 'form') {
    const [, not] = /^§ (NOT )?I?LIKE §(?: ESCAPE §)?$/.exec(shapeOf(expr)) ?? [undefined, null];
    const [side, pattern, sign] = operandsOf(expr);
    if (not !== null && side !== undefined && pattern !== undefined)
      parts = { side, pattern, sign, not: not !== undefined };
  }
  const text = parts && literalOf(parts.pattern);
  if (parts === undefined || typeof text !== 'string') return undefined;
  const sign = (parts.sign && literalOf(parts.sign)) ?? '\\';
  const pattern = patternOf(text, String(sign));
  return pattern && { side: parts.side, operator: pattern.operator, values: [pattern.text], not: parts.not };
}

/** What a pattern means; `undefined` where signs for any others stand within the text. */
function patternOf(pattern: string, sign: string): { operator: FilterOperator; text: string } | undefined {
  const ANY = Symbol('any');
  const parts: (string | typeof ANY)[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === sign) {
      at += 1;
      parts.push(pattern[at] ?? '');
    } else if (pattern[at] === '%') parts.push(ANY);
    else if (pattern[at] === '_') return undefined;
    else parts.push(pattern[at]!);
  }
  const [isOpen, isOpenEnded] = [parts[0] === ANY, parts.length > 1 && parts.at(-1) === ANY];
  const text = parts.slice(isOpen ? 1 : 0, isOpenEnded ? -1 : undefined);
  if (text.includes(ANY)) return undefined;
  const operator = isOpen ? (isOpenEnded ? 'contains' : 'ends_with') : isOpenEnded ? 'starts_with' : 'equals';
  return { operator, text: text.join('') };
}
