/** Arguments with which a harmless function of DuckDB allocates without bound: the engine's memory limit counts none of it. */
import { fold } from '../../ast/names.ts';
import type { Call, Expr } from '../../ast/tree.ts';

/** Longest text or list that one call makes of a constant length. */
const MAX_LENGTH = 1_000_000;
/** Longest that nested calls make. */
const MAX_NESTED = 10_000_000;

interface Problem {
  readonly what: string;
  readonly hint: string;
}

/** A length of the data is as bounded as the data; one that the statement makes up must be small. */
export function argumentProblem(call: Call): Problem | undefined {
  const name = fold(call.name);
  if (name === 'printf' || name === 'format') return formatProblem(call);
  if (!LENGTHS.has(name) && !SERIES.has(name)) return undefined;
  const own = SERIES.has(name) ? seriesLength(call.args) : constantOf(call.args[1]);
  const isLong = own !== undefined && own > MAX_LENGTH;
  if (!isLong && madeLength(call) <= MAX_NESTED) return undefined;
  return {
    what: `The length of ${call.name} is more than ${isLong ? MAX_LENGTH : MAX_NESTED}`,
    hint: SERIES.has(name) ? `Use a shorter series, or ${name}(…) in FROM.` : 'Use a smaller length.',
  };
}

/** Functions whose second argument is a length. */
const LENGTHS = new Set(['array_resize', 'bitstring', 'list_resize', 'lpad', 'repeat', 'rpad']);
const SERIES = new Set(['generate_series', 'range']);

/** A width of three digits, in the style of C or of braces. */
const WIDE = /[%{][^%{}A-Za-z]*\d{3}|[%{][^%{}A-Za-z]*\*/;

function formatProblem({ name, args: [template] }: Call): Problem | undefined {
  if (template === undefined || (template.kind === 'string' && !WIDE.test(template.value))) return undefined;
  return {
    what: `The format of ${name} must be a text literal, with widths of at most two digits`,
    hint: "For example printf('%.2f', amount).",
  };
}

/** How long a text or list the statement itself makes; what the data are counts as one. */
function madeLength(expr: Expr): number {
  if (expr.kind === 'string') return Math.max(1, expr.value.length);
  if (expr.kind === 'chain') return expr.operands.reduce((sum, operand) => sum + madeLength(operand), 0);
  if (expr.kind === 'form') {
    return expr.parts.reduce((sum, part) => sum + (typeof part === 'string' ? 0 : madeLength(part.expr)), 1);
  }
  if (expr.kind !== 'call') return 1;
  const name = fold(expr.name);
  if (SERIES.has(name)) return seriesLength(expr.args) ?? 1;
  const [text, length] = expr.args;
  const count = LENGTHS.has(name) ? constantOf(length) : undefined;
  if (count !== undefined) return name === 'repeat' && text !== undefined ? madeLength(text) * count : count;
  // What makes one value of several may put one of them in each place of another: replace, list_transform.
  return expr.args.reduce((product, arg) => product * madeLength(arg.kind === 'lambda' ? arg.body : arg), 1);
}

function seriesLength([first, last, step]: readonly Expr[]): number | undefined {
  const [from, to, by] = last === undefined ? [0, constantOf(first), 1] : [constantOf(first), constantOf(last), 1];
  const size = step === undefined ? by : constantOf(step);
  if (from === undefined || to === undefined || size === undefined || size === 0) return undefined;
  return Math.max(0, Math.floor((to - from) / size));
}

/** The value of a constant number; `undefined` for everything that is not one. */
function constantOf(expr: Expr | undefined): number | undefined {
  if (expr?.kind === 'number') return Number(expr.value.replaceAll('_', ''));
  if (expr?.kind === 'string') {
    const value = Number(expr.value);
    return Number.isNaN(value) ? undefined : value;
  }
  if (expr?.kind === 'prefix') {
    const value = constantOf(expr.operand);
    return value === undefined || expr.operator === 'NOT' ? undefined : expr.operator === '-' ? -value : value;
  }
  if (expr?.kind === 'form') {
    // A cast is the only one with a number in it.
    const [open, operand, close] = expr.parts;
    const isCast = expr.parts.length === 3 && typeof open === 'string' && /^(?:TRY_)?CAST\($/.test(open);
    return isCast && typeof operand === 'object' && typeof close === 'string' ? constantOf(operand.expr) : undefined;
  }
  if (expr?.kind !== 'chain') return undefined;
  return expr.operands.slice(1).reduce<number | undefined>((left, operand, index) => {
    const right = constantOf(operand);
    const calculate = OPERATORS[expr.operators[index] ?? ''];
    return left === undefined || right === undefined ? undefined : calculate?.(left, right);
  }, constantOf(expr.operands[0]));
}

const OPERATORS: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '//': (left, right) => Math.trunc(left / right),
  '**': (left, right) => left ** right,
  '^': (left, right) => left ** right,
  '<<': (left, right) => left * 2 ** right,
};
