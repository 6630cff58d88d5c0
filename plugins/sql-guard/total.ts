/** Which expressions never fail, whatever rows they meet: by engine, and only what may decide whether an index is used. */
import type { Dialect } from '../semantic-query/plan.ts';
import type { Call, Chain, Expr, Form, Select } from './ast.ts';
import { fold } from './dialect.ts';
import { Level } from './precedence.ts';
import { forEachOperand } from './walk.ts';

interface Engine {
  /** A comparison converts a text to the other side's type, and fails where it cannot. */
  readonly comparisonsFail?: boolean;
  /** Conversions give NULL, or what they can, rather than fail. */
  readonly castsSucceed?: boolean;
  /** Of several rows of a scalar subquery the first is taken. */
  readonly takesFirstRow?: boolean;
  readonly operators?: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  readonly forms: RegExp;
}

/** Operands are written as `§`. */
const IS_TEST = '§ IS (?:NOT )?(?:TRUE|FALSE|UNKNOWN|NULL)';

const engines: Readonly<Record<Dialect, Engine>> = {
  postgres: {
    functions: new Set(['lower', 'upper', 'now']),
    forms: new RegExp(
      `^(?:${IS_TEST}|(?:COALESCE|GREATEST|LEAST)\\(§(?:, §)*\\)|ARRAY\\[§(?:, §)*\\]|§ (?:=|<>) (?:ANY|ALL) \\(§\\)|§ (?:NOT )?BETWEEN (?:SYMMETRIC )?§ AND §)$`,
    ),
  },
  duckdb: { comparisonsFail: true, functions: new Set(), forms: new RegExp(`^(?:${IS_TEST})$`) },
  mysql: {
    castsSucceed: true,
    functions: new Set(
      'lower upper now curdate date year month day quarter date_format date_add date_sub coalesce ifnull nullif if'.split(
        ' ',
      ),
    ),
    forms: new RegExp(
      `^(?:${IS_TEST}|INTERVAL § [A-Z_]+|EXTRACT\\([A-Z]+ FROM §\\)|CAST\\(§ AS [A-Z]+(?:\\([\\d, ]+\\))?\\)|MATCH \\(§(?:, §)*\\) AGAINST \\(§[A-Z ]*\\))$`,
    ),
  },
  sqlite: {
    castsSucceed: true,
    takesFirstRow: true,
    operators: new Set(['+', '-', '*', '/', '%']),
    functions: new Set(
      'lower upper length coalesce ifnull nullif iif if date time datetime julianday strftime unixepoch round'.split(
        ' ',
      ),
    ),
    forms: /^$/,
  },
};

/** Their arguments are worked out after every filter below them. */
const AGGREGATES = new Set('count sum avg min max total group_concat string_agg array_agg list median'.split(' '));

const COMPARES = new Set([
  '=',
  '==',
  '<>',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '<=>',
  'IS',
  'IS NOT',
  'IS DISTINCT FROM',
  'IS NOT DISTINCT FROM',
]);
const CONNECTS = new Set(['AND', 'OR', 'XOR']);
const UNITS = /^(?:day|week|month|quarter|year)$/i;
/** Within the years that every engine has. */
const SHORT_INTERVAL = /^\d{1,4} (?:second|minute|hour|day|week|month|year)s?$/i;

/** Whether the expression may fail for some row. Subqueries within it are the caller's to look into. */
export const canFail = (expr: Expr, dialect: Dialect): boolean => fails(expr, engines[dialect]);

function fails(expr: Expr, engine: Engine): boolean {
  switch (expr.kind) {
    case 'string':
    case 'number':
    case 'blob':
    case 'constant':
    case 'name':
    case 'exists':
      return false;
    case 'scalar':
      return !engine.takesFirstRow && !hasOneRow(expr.select);
    case 'prefix':
      return (expr.operator !== 'NOT' && expr.operand.kind !== 'number') || fails(expr.operand, engine);
    case 'collate':
    case 'case':
    case 'row':
      return anyFails(expr, engine);
    case 'between':
    case 'in':
      return engine.comparisonsFail === true || anyFails(expr, engine);
    case 'like':
      return !isPlainLike(expr.operator, expr.pattern, expr.escape) || anyFails(expr, engine);
    case 'cast':
      return engine.castsSucceed !== true || fails(expr.operand, engine);
    case 'chain':
      return (
        !isMoment(expr) && (!isTotalChain(expr, engine) || expr.operands.some((operand) => fails(operand, engine)))
      );
    case 'call':
      if (isAggregate(expr) || isMoment(expr)) return false;
      return !engine.functions.has(fold(expr.name)) || anyFails(expr, engine);
    case 'form': {
      const shape = shapeOf(expr);
      if (isDateForm(expr, shape) || isIntervalForm(expr, shape) || isLikeForm(expr, shape)) return false;
      return !engine.forms.test(shape) || anyFails(expr, engine);
    }
    case 'lambda':
      return true;
  }
}

function anyFails(expr: Expr, engine: Engine): boolean {
  let found = false;
  forEachOperand(expr, (operand) => {
    found ||= fails(operand, engine);
  });
  return found;
}

/** Whether an aggregate stands in the expression, outside of windows: it decides over groups rather than rows. */
export function hasAggregate(expr: Expr): boolean {
  if (expr.kind === 'call' && isAggregate(expr)) return expr.over === undefined;
  let found = false;
  forEachOperand(expr, (operand) => {
    found ||= hasAggregate(operand);
  });
  return found;
}

const isAggregate = ({ name, over }: Call) => over !== undefined || AGGREGATES.has(fold(name));

function isTotalChain({ operators, operands }: Chain, engine: Engine): boolean {
  return operators.every(
    (operator) =>
      CONNECTS.has(operator) ||
      (COMPARES.has(operator) && engine.comparisonsFail !== true) ||
      (operator.startsWith('IS') && operands.at(-1)?.kind === 'constant') ||
      engine.operators?.has(operator) === true ||
      // In MySQL a date beyond all dates is NULL.
      (engine.castsSucceed === true && /^[+-]$/.test(operator) && operands.slice(1).every(isInterval)),
  );
}

const isInterval = (expr: Expr) => expr.kind === 'form' && shapeOf(expr).startsWith('INTERVAL §');

/** A pattern is read row by row, and a wrong one fails only at a row that gets so far. */
function isPlainLike(operator: string, pattern: Expr, escapedBy: Expr | undefined): boolean {
  const { kind } = pattern;
  if (!/^I?LIKE$|^GLOB$/.test(operator) || escapedBy !== undefined || kind !== 'string') return false;
  return pattern.value.length < 1_000 && !pattern.value.endsWith('\\');
}

const LIKE_FORM = /^§ (?:NOT )?I?LIKE §$/;

function isLikeForm(form: Form, shape: string): boolean {
  if (!LIKE_FORM.test(shape)) return false;
  const [operand, pattern] = operandsOf(form);
  return operand?.kind === 'name' && pattern !== undefined && isPlainLike('LIKE', pattern, undefined);
}

/** A subquery that cannot have a second row. */
function hasOneRow({ first, rest, limit }: Select): boolean {
  if (limit?.kind === 'number' && /^[01]$/.test(limit.value)) return true;
  if (rest.length > 0 || first.kind !== 'core' || first.groupBy.length > 0) return false;
  return first.columns.every((column) => column.kind === 'column' && hasAggregate(column.expr));
}

const operandsOf = ({ parts }: Form): Expr[] => parts.flatMap((part) => (typeof part === 'string' ? [] : [part.expr]));

function shapeOf({ parts }: Form): string {
  let shape = '';
  for (const part of parts) shape += typeof part === 'string' ? part : '§';
  return shape;
}

// ── points in time that no row takes part in ────────────────────────────────────────────────────────────────────

const DATE_CAST = /^(?:§::pg_catalog\.(?:date|timestamp|timestamptz)|CAST\(§ AS (?:DATE|TIMESTAMP)\))$/;
const INTERVAL_CAST = /^(?:§::pg_catalog\.interval|CAST\(§ AS INTERVAL\))$/;

/** Such as `now()`, `CURRENT_DATE - 7`, `date_trunc('month', now()) - interval '1 year'`, `date '2024-01-01'`. */
function isMoment(expr: Expr): boolean {
  if (expr.kind === 'constant') return expr.value.startsWith('CURRENT_');
  if (expr.kind === 'form') return isDateForm(expr, shapeOf(expr));
  if (expr.kind === 'call') return isNow(expr) || isTruncated(expr);
  if (expr.kind !== 'chain' || expr.level !== Level.sum || expr.operands.length > 4) return false;
  const [start, ...steps] = expr.operands;
  return start !== undefined && isMoment(start) && steps.every(isStep);
}

const isNow = ({ name, args }: Call) => fold(name) === 'now' && args.every((arg) => arg.kind === 'number');

/** A third argument is a time zone, of which there may be no such one. */
function isTruncated({ name, args }: Call): boolean {
  const [unit, moment, zone] = args;
  if (fold(name) !== 'date_trunc' || unit?.kind !== 'string' || moment === undefined || zone !== undefined)
    return false;
  return UNITS.test(unit.value) && isMoment(moment);
}

const isStep = (expr: Expr) =>
  expr.kind === 'number' ? /^\d{1,5}$/.test(expr.value) : expr.kind === 'form' && isIntervalForm(expr, shapeOf(expr));

function isDateForm(form: Form, shape: string): boolean {
  if (!DATE_CAST.test(shape)) return false;
  const [operand] = operandsOf(form);
  return operand !== undefined && (isMoment(operand) || (operand.kind === 'string' && isDate(operand.value)));
}

function isIntervalForm(form: Form, shape: string): boolean {
  if (!INTERVAL_CAST.test(shape)) return false;
  const [text] = operandsOf(form);
  return text?.kind === 'string' && SHORT_INTERVAL.test(text.value);
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
