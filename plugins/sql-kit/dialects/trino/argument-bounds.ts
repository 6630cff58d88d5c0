/** Arguments with which a harmless function of Trino allocates without bound. Lists are bounded by the engine itself. */
import { fold } from '../../ast/names.ts';
import type { Call, Expr } from '../../ast/tree.ts';
import type { ArgumentProblem } from '../sql-dialect.ts';

/** Longest text that is filled up to a length, and most parts of a histogram. */
const MAX_SIZE = 10_000;
/** Functions that allocate what some of their arguments say. */
const SIZES: ReadonlyMap<string, readonly number[]> = new Map([
  ['lpad', [1]],
  ['rpad', [1]],
  ['numeric_histogram', [0]],
  ['approx_most_frequent', [0, 2]],
]);
/** A format of Java, its widths and precisions of at most two digits. */
const BOUNDED_FORMAT = /^(?:[^%]|%(?:\d{1,2}\$|<)?[-#+ 0,(]*\d{0,2}(?:\.\d{1,2})?[tT]?[a-zA-Z%])*$/;

export function argumentProblem(call: Call): ArgumentProblem | undefined {
  const name = fold(call.name);
  const [first] = call.args;
  const sizes = SIZES.get(name)?.flatMap((at) => call.args[at] ?? []) ?? [];
  if (!sizes.every(isBounded)) {
    return {
      what: `The size that ${call.name} takes must be a number of at most ${MAX_SIZE}, written out`,
      hint: "For example lpad(CAST(id AS VARCHAR), 8, '0'), or numeric_histogram(10, total).",
    };
  }
  if (name !== 'format' || first === undefined) return undefined;
  if (first.kind === 'string' && BOUNDED_FORMAT.test(first.value)) return undefined;
  return {
    what: `The format of ${call.name} must be a text literal, with widths of at most two digits`,
    hint: "For example format('%.2f', amount).",
  };
}

const isBounded = (size: Expr) => size.kind === 'number' && Number(size.value.replaceAll('_', '')) <= MAX_SIZE;
