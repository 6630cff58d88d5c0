/** Bounds the lengths of texts, arrays and series that PostgreSQL functions make. */
import type { Call, Expr } from '../../ast/tree.ts';
import { someOperand } from '../../ast/walk.ts';

/** Most rows of one series, and the longest text or array that one call makes of a constant length. */
const MAX_ROWS = 1_000_000;
const MAX_LENGTH = 100_000;
/** Longest text that nested calls make. */
const MAX_TEXT = 10_000_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface Problem {
  readonly what: string;
  readonly hint: string;
}

/** Arguments with which a harmless function of Postgres allocates without bound. */
export function argumentProblem(call: Call): Problem | undefined {
  switch (call.name) {
    case 'generate_series':
      return seriesProblem(call.args);
    case 'format':
      return formatProblem(call.args[0]);
    case 'repeat':
    case 'lpad':
    case 'rpad':
      return lengthProblem(call);
    case 'array_fill': {
      const lengths = call.args[1];
      return lengths?.kind === 'form' ? dimensionsProblem(lengths.parts) : undefined;
    }
    default:
      return undefined;
  }
}

// ── lengths ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A length of the data is as bounded as the data; one that the statement makes up must be small. */
function lengthProblem(call: Call): Problem | undefined {
  const [text, length] = call.args;
  const value = length === undefined ? undefined : numberOf(length);
  const isMadeUp = length !== undefined && value === undefined && !readsData(length);
  if (isMadeUp) return { what: `The length of ${call.name} is not known`, hint: 'Write it as a number.' };
  const isLong = value !== undefined && value > MAX_LENGTH;
  if (!isLong && (text === undefined || madeLength(call) <= MAX_TEXT)) return undefined;
  const most = isLong ? MAX_LENGTH : MAX_TEXT;
  return { what: `The length of ${call.name} is more than ${most}`, hint: 'Use a smaller length.' };
}

/** How long a text the statement itself makes; what the data are is not counted. */
function madeLength(expr: Expr): number {
  if (expr.kind === 'string') return expr.value.length;
  if (expr.kind === 'chain') return expr.operands.reduce((sum, operand) => sum + madeLength(operand), 0);
  if (expr.kind !== 'call') return castOf(expr) === undefined ? 1 : madeLength(castOf(expr)!.operand);
  const [text, length] = expr.args;
  const count = length === undefined ? undefined : numberOf(length);
  if (text === undefined || count === undefined) return 1;
  if (expr.name === 'repeat') return madeLength(text) * count;
  return expr.name === 'lpad' || expr.name === 'rpad' ? count : 1;
}

function dimensionsProblem(parts: readonly (string | { readonly expr: Expr })[]): Problem | undefined {
  const sizes = parts.flatMap((part) => (typeof part === 'string' ? [] : [numberOf(part.expr) ?? 1]));
  return sizes.reduce((product, size) => product * size, 1) <= MAX_LENGTH
    ? undefined
    : { what: `The array of array_fill has more than ${MAX_LENGTH} elements`, hint: 'Use smaller dimensions.' };
}

/** Widths of at most two digits; none that comes from an argument. */
const BOUNDED_FORMAT = /^(?:[^%]|%%|%(?:\d{1,2}\$)?-?\d{0,2}[sIL])*$/;

function formatProblem(template: Expr | undefined): Problem | undefined {
  if (template === undefined || (template.kind === 'string' && BOUNDED_FORMAT.test(template.value))) return undefined;
  return {
    what: 'The format of format must be a text literal, with widths of at most two digits',
    hint: "For example format('%s: %s', name, total), or to_char(…) for numbers.",
  };
}

// ── series ──────────────────────────────────────────────────────────────────────────────────────────────────────

const NUMBER_HINT = `Write bounds as numbers at most ${MAX_ROWS} steps apart, or as columns, min(…), max(…) and the like.`;
const TIME_HINT = "For example generate_series(CURRENT_DATE - INTERVAL '30 days', CURRENT_DATE, INTERVAL '1 day').";

/**
 * Bounds are constants, or come from the data, as the least and greatest id do: then the series is as long as the data
 * say, and the server's timeout ends it as it ends any other long statement. Times need a constant step; bounds that
 * only the data know need a step of at least a minute.
 */
function seriesProblem([first, last, step]: readonly Expr[]): Problem | undefined {
  if (first === undefined || last === undefined) return undefined;
  const stepMs = step === undefined ? undefined : intervalOf(step);
  if (stepMs === undefined) return numbersProblem(first, last, step);
  const [from, to] = [timeOf(first), timeOf(last)];
  if (from === undefined || to === undefined) {
    if (Math.abs(stepMs) >= MINUTE_MS && !isEndless(first) && !isEndless(last)) return undefined;
    return { what: 'The bounds of generate_series are not known', hint: TIME_HINT };
  }
  return Math.abs(to - from) / Math.abs(stepMs) <= MAX_ROWS
    ? undefined
    : { what: `generate_series makes more than ${MAX_ROWS} rows`, hint: TIME_HINT };
}

function numbersProblem(first: Expr, last: Expr, step: Expr | undefined): Problem | undefined {
  const [from, to, by] = [numberOf(first), numberOf(last), step === undefined ? 1 : numberOf(step)];
  if (from === undefined || to === undefined || by === undefined) {
    if (isOfData(first) && isOfData(last) && Math.abs(by ?? 0) >= 1) return undefined;
    return {
      what: 'The bounds of generate_series are neither constants nor of the data',
      hint: `${NUMBER_HINT} ${TIME_HINT}`,
    };
  }
  return Math.abs(to - from) <= MAX_ROWS * Math.abs(by)
    ? undefined
    : { what: `generate_series makes more than ${MAX_ROWS} rows`, hint: NUMBER_HINT };
}

/** Functions whose result is no greater than what is in the data. */
const OF_DATA = new Set(
  `abs array_length array_lower array_upper cardinality ceil char_length count floor json_array_length jsonb_array_length
  length max min round trunc`.split(/\s+/),
);
const OF_OPERANDS = /^(?:COALESCE|GREATEST|LEAST|NULLIF|EXTRACT\((?:year|month|day|week|quarter|hour|minute|doy|dow) )/;

/** Whether a number is made of columns and small constants, and of nothing that makes it much greater. */
function isOfData(expr: Expr): boolean {
  switch (expr.kind) {
    case 'name':
      return true;
    case 'number':
      return Number(expr.value) <= MAX_ROWS;
    case 'prefix':
      return isOfData(expr.operand);
    case 'chain':
      return expr.operators.every((operator) => '+-/%'.includes(operator)) && expr.operands.every(isOfData);
    case 'call':
      return OF_DATA.has(expr.name) && expr.args.every((arg) => expr.name === 'count' || isOfData(arg));
    case 'scalar': {
      const { first, rest } = expr.select;
      const [column, another] = first.kind === 'core' ? first.columns : [];
      return rest.length === 0 && another === undefined && column?.kind === 'column' && isOfData(column.expr);
    }
    case 'form': {
      const [text] = expr.parts;
      const isSum = castOf(expr) !== undefined || (typeof text === 'string' && OF_OPERANDS.test(text));
      const ofTimes = typeof text === 'string' && text.startsWith('EXTRACT');
      return isSum && expr.parts.every((part) => typeof part === 'string' || ofTimes || isOfData(part.expr));
    }
    default:
      return false;
  }
}

/** Whether the data take part in it. */
function readsData(expr: Expr): boolean {
  if (expr.kind === 'name') return true;
  if (expr.kind === 'scalar') return expr.select.first.kind !== 'core' || expr.select.first.from !== undefined;
  return someOperand(expr, readsData);
}

/** The operand and the type of `operand::type`. */
function castOf(expr: Expr): { operand: Expr; type: string } | undefined {
  if (expr.kind !== 'form' || expr.parts.length !== 2) return undefined;
  const [operand, type] = expr.parts;
  if (typeof operand !== 'object' || typeof type !== 'string' || !type.startsWith('::')) return undefined;
  return { operand: operand.expr, type: type.slice('::pg_catalog.'.length) };
}

/** The value of a constant number; `undefined` for everything that is not one. */
function numberOf(expr: Expr): number | undefined {
  if (expr.kind === 'number') return Number(expr.value);
  if (expr.kind === 'prefix') {
    const value = numberOf(expr.operand);
    if (value === undefined) return undefined;
    return expr.operator === '-' ? -value : expr.operator === '+' ? value : undefined;
  }
  if (expr.kind === 'chain') {
    const values = expr.operands.map(numberOf);
    return values.every((value) => value !== undefined) ? calculate(values, expr.operators) : undefined;
  }
  const cast = castOf(expr);
  if (cast === undefined) return undefined;
  return cast.operand.kind === 'string' ? Number(cast.operand.value) : numberOf(cast.operand);
}

function calculate(values: readonly number[], operators: readonly string[]): number | undefined {
  return values.reduce<number | undefined>((left, right, index) => {
    if (left === undefined || index === 0) return index === 0 ? right : undefined;
    switch (operators[index - 1]) {
      case '+':
        return left + right;
      case '-':
        return left - right;
      case '*':
        return left * right;
      case '/':
        return right === 0 ? undefined : Math.trunc(left / right);
      default:
        return undefined;
    }
  }, undefined);
}

const UNITS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
  mon: 28 * DAY_MS,
  year: 365 * DAY_MS,
};
const INTERVAL = /^\s*(-?\d+)\s*(second|minute|hour|day|week|month|mon|year)s?\s*$/i;

/** The shortest time, in milliseconds, that a constant interval of one unit may be. */
function intervalOf(expr: Expr): number | undefined {
  const cast = castOf(expr);
  const constant = cast?.type.startsWith('interval') ? cast.operand : expr;
  if (constant.kind !== 'string' || cast?.type.includes('(') === true) return undefined;
  const [, count, unit = ''] = INTERVAL.exec(constant.value) ?? [];
  return count === undefined || Number(count) === 0 ? undefined : Number(count) * UNITS[unit.toLowerCase()]!;
}

const DATE = /^\s*\d{4}-\d{1,2}(?:-\d{1,2})?(?:[ T][\d:.]+)?(?:Z|[+-]\d\d(?::?\d\d)?)?\s*$/;

/** A constant time, or one so far from now, in milliseconds. */
function timeOf(expr: Expr): number | undefined {
  if (expr.kind === 'string') return DATE.test(expr.value) ? timeOfText(expr.value) : undefined;
  if (expr.kind === 'constant')
    return /^(?:CURRENT_DATE|(?:CURRENT_|LOCAL)TIMESTAMP)/.test(expr.value) ? Date.now() : undefined;
  if (expr.kind === 'call') {
    if (expr.name === 'date_trunc' && expr.args[1] !== undefined) return timeOf(expr.args[1]);
    return expr.name === 'now' ? Date.now() : undefined;
  }
  if (expr.kind === 'chain' && expr.operators.every((operator) => operator === '+' || operator === '-')) {
    const [first, ...spans] = expr.operands;
    const values = spans.map((span) => intervalOf(span) ?? days(span));
    const start = first === undefined ? undefined : timeOf(first);
    return start === undefined || values.some((value) => value === undefined)
      ? undefined
      : calculate([start, ...values.map((value) => value!)], expr.operators);
  }
  const cast = castOf(expr);
  return cast !== undefined && /^(?:date|timestamp)/.test(cast.type) ? timeOf(cast.operand) : undefined;
}

const days = (expr: Expr) => {
  const value = numberOf(expr);
  return value === undefined ? undefined : value * DAY_MS;
};

function timeOfText(text: string): number | undefined {
  const [date = ''] = text.trim().split(/[ T]/);
  const ms = Date.parse(date.length === 7 ? `${date}-01` : date);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Whether a constant that is no date stands in the bound: `infinity`, or a year that no calendar has. */
function isEndless(expr: Expr): boolean {
  if (expr.kind === 'string') return timeOf(expr) === undefined;
  if (expr.kind === 'number') return Number(expr.value) > 100_000;
  const cast = castOf(expr);
  if (cast !== undefined) {
    if (cast.type.startsWith('interval'))
      return Math.abs(intervalOf(expr) ?? Number.POSITIVE_INFINITY) > 1_000 * 365 * DAY_MS;
    return isEndless(cast.operand);
  }
  return expr.kind === 'chain' && expr.operands.some(isEndless);
}
