/** Tells which expressions are points in time, or intervals, that no row takes part in and that cannot fail. */
import { type Call, type Expr, type Form, fold, Level, operandsOf, shapeOf } from '../sql-kit/index.ts';

const UNITS = /^(?:day|week|month|quarter|year)$/i;
/** Within the years that every engine has. */
const SHORT_INTERVAL = /^\d{1,4} (?:second|minute|hour|day|week|month|year)s?$/i;
const DATE_CAST = /^(?:§::pg_catalog\.(?:date|timestamp|timestamptz)|CAST\(§ AS (?:DATE|TIMESTAMP)\)|DATE §)$/;
/** As standard SQL has it. */
const UNIT_INTERVAL = /^INTERVAL § (?:SECOND|MINUTE|HOUR|DAY|MONTH|YEAR)$/;
const INTERVAL_CAST = /^(?:§::pg_catalog\.interval|CAST\(§ AS INTERVAL\))$/;

export const isInterval = (expr: Expr) => expr.kind === 'form' && shapeOf(expr).startsWith('INTERVAL §');

/** Such as `now()`, `CURRENT_DATE - 7`, `date_trunc('month', now()) - interval '1 year'`, `date '2024-01-01'`. */
export function isConstantTime(expr: Expr): boolean {
  if (expr.kind === 'constant') return expr.value.startsWith('CURRENT_');
  if (expr.kind === 'form') return isDateForm(expr, shapeOf(expr));
  if (expr.kind === 'call') return isNow(expr) || isTruncated(expr);
  if (expr.kind !== 'chain' || expr.level !== Level.sum || expr.operands.length > 4) return false;
  const [start, ...steps] = expr.operands;
  return start !== undefined && isConstantTime(start) && steps.every(isStep);
}

const isNow = ({ name, args }: Call) => fold(name) === 'now' && args.every((arg) => arg.kind === 'number');

/** A third argument is a time zone, of which there may be no such one. */
function isTruncated({ name, args }: Call): boolean {
  const [unit, moment, zone] = args;
  if (fold(name) !== 'date_trunc' || unit?.kind !== 'string' || moment === undefined || zone !== undefined)
    return false;
  return UNITS.test(unit.value) && isConstantTime(moment);
}

const isStep = (expr: Expr) =>
  expr.kind === 'number' ? /^\d{1,5}$/.test(expr.value) : expr.kind === 'form' && isIntervalForm(expr, shapeOf(expr));

export function isDateForm(form: Form, shape: string): boolean {
  if (!DATE_CAST.test(shape)) return false;
  const [operand] = operandsOf(form);
  return operand !== undefined && (isConstantTime(operand) || (operand.kind === 'string' && isDate(operand.value)));
}

export function isIntervalForm(form: Form, shape: string): boolean {
  const [text] = operandsOf(form);
  if (text?.kind !== 'string') return false;
  if (UNIT_INTERVAL.test(shape)) return /^\d{1,4}$/.test(text.value);
  return INTERVAL_CAST.test(shape) && SHORT_INTERVAL.test(text.value);
}

const DATE = /^[12]\d{3}-\d\d-\d\d(?:$|[ T]00:00(?::00)?$)/;

/** A day that exists, or its midnight. */
function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))];
  // A day too many is one of the next month.
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
