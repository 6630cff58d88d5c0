/** Reads columns and literals of conditions through casts and functions that leave them what they are. */

import type { FilterValue } from '../result-kit/index.ts';
import { type ColumnRef, type Expr, fold, operandsOf, shapeOf } from '../sql-kit/index.ts';

/** Casts of PostgreSQL, and `DATE '2026-01-01'`. */
const CAST_SHAPE = /^(?:§::[\w."]+(?:\(\d+\))?|(?:DATE|TIMESTAMP|DATETIME) §)$/i;
/** Functions of one value that compare as the value itself does. */
const SAME = new Set(['lower', 'upper', 'trim', 'datetime', 'timestamp', 'todate', 'todatetime']);
const TO_DAY = new Set(['date', 'todate']);

/** An expression without what is around it, and whether that cut its times to days. */
export interface Bare {
  readonly expr: Expr;
  readonly isDay: boolean;
}

export function bareOf(expr: Expr): Bare {
  const inner = innerOf(expr);
  if (inner === undefined) return { expr, isDay: false };
  const bare = bareOf(inner.expr);
  return { expr: bare.expr, isDay: inner.isDay || bare.isDay };
}

function innerOf(expr: Expr): Bare | undefined {
  if (expr.kind === 'cast') return { expr: expr.operand, isDay: fold(expr.type.words[0] ?? '') === 'date' };
  if (expr.kind === 'collate') return { expr: expr.operand, isDay: false };
  if (expr.kind === 'form') {
    const shape = shapeOf(expr);
    const [operand, ...more] = operandsOf(expr);
    if (operand === undefined || more.length > 0 || !CAST_SHAPE.test(shape)) return undefined;
    return { expr: operand, isDay: /date"?$/i.test(shape) };
  }
  if (expr.kind !== 'call' || expr.args.length !== 1 || expr.distinct || expr.over !== undefined) return undefined;
  const name = fold(expr.name);
  if (!SAME.has(name) && !TO_DAY.has(name)) return undefined;
  return { expr: expr.args[0]!, isDay: TO_DAY.has(name) };
}

/** The column, also within functions that leave it what it is. */
export function columnIn(expr: Expr): { readonly column: ColumnRef; readonly isDay: boolean } | undefined {
  const { expr: inner, isDay } = bareOf(expr);
  return inner.kind === 'name' ? { column: inner, isDay } : undefined;
}

/** The value of a literal; `undefined` for every other expression. */
export function literalOf(expr: Expr): FilterValue | undefined {
  const { expr: inner } = bareOf(expr);
  if (inner.kind === 'string') return inner.value;
  if (inner.kind === 'number') return Number(inner.value);
  if (inner.kind === 'prefix' && inner.operator === '-' && inner.operand.kind === 'number')
    return -Number(inner.operand.value);
  if (inner.kind !== 'constant') return undefined;
  const word = inner.value.toUpperCase();
  return word === 'NULL' ? null : word === 'TRUE' ? true : word === 'FALSE' ? false : undefined;
}

const PATTERNS: readonly (readonly [shape: RegExp, grain: (text: string) => boolean])[] = [
  [/^%Y$|^YYYY$/, (text) => /^\d{4}$/.test(text)],
  [/^%Y-%m$|^YYYY-MM$/, (text) => /^\d{4}-\d\d$/.test(text)],
  [/^%Y-%m-%d$|^%F$|^YYYY-MM-DD$/, (text) => /^\d{4}-\d\d-\d\d$/.test(text)],
];
const FORMATTERS = new Set(['strftime', 'to_char', 'date_format', 'formatdatetime']);

/**
 * A time that is cut to a period: `strftime('%Y', t)`, `EXTRACT(YEAR FROM t)`, `date_trunc('month', t)`. `periodFor` gives the
 * period that a literal beside it names, as `2026`, `2026-03` or `2026-03-14`.
 */
export function cutTime(
  expr: Expr,
): { readonly column: ColumnRef; periodFor(value: FilterValue): string | undefined } | undefined {
  if (expr.kind === 'form') {
    const [operand] = operandsOf(expr);
    return /^EXTRACT\(year FROM §\)$/i.test(shapeOf(expr)) ? yearOf(operand) : undefined;
  }
  if (expr.kind !== 'call') return undefined;
  const name = fold(expr.name);
  const [first, second] = expr.args;
  if (name === 'year' && expr.args.length === 1) return yearOf(first);
  if (first === undefined || second === undefined || expr.args.length !== 2) return undefined;
  if (name === 'date_trunc') {
    const column = columnIn(second)?.column;
    const unit = literalOf(first);
    const length = { year: 4, month: 7, day: 10 }[String(unit).toLowerCase()];
    if (column === undefined || length === undefined) return undefined;
    return { column, periodFor: (value) => startOf(String(value), length) };
  }
  if (!FORMATTERS.has(name)) return undefined;
  const [pattern, time] = first.kind === 'string' ? [first, second] : [second, first];
  const found = pattern.kind === 'string' ? PATTERNS.find(([shape]) => shape.test(pattern.value)) : undefined;
  const column = columnIn(time)?.column;
  if (found === undefined || column === undefined) return undefined;
  return { column, periodFor: (value) => (found[1](String(value)) ? String(value) : undefined) };
}

function yearOf(operand: Expr | undefined): ReturnType<typeof cutTime> {
  const column = operand && columnIn(operand)?.column;
  return column && { column, periodFor: (value) => (/^\d{4}$/.test(String(value)) ? String(value) : undefined) };
}

/** The period that begins at a time, which has to be its start: of `2026-03-01`, the month. */
function startOf(text: string, length: number): string | undefined {
  const [day = '', time] = text.split(/[ T]/);
  const isStart = /^\d{4}-\d\d-\d\d$/.test(day) && day.slice(length).replaceAll('-01', '') === '';
  return isStart && (time === undefined || /^00:00(:00(\.0+)?)?$/.test(time)) ? day.slice(0, length) : undefined;
}
