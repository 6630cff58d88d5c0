/** Arguments with which a harmless function of Trino allocates without bound. Lists are bounded by the engine itself. */
import { fold } from '../../ast/names.ts';
import type { Call, Expr } from '../../ast/tree.ts';
import { formatProblem } from '../format-width.ts';
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

export function argumentProblem(call: Call): ArgumentProblem | undefined {
  const sizes = SIZES.get(fold(call.name))?.flatMap((at) => call.args[at] ?? []) ?? [];
  if (!sizes.every(isBounded)) {
    return {
      what: `The size that ${call.name} takes must be a number of at most ${MAX_SIZE}, written out`,
      hint: "For example lpad(CAST(id AS VARCHAR), 8, '0'), or numeric_histogram(10, total).",
    };
  }
  return formatProblem(call);
}

const isBounded = (size: Expr) => size.kind === 'number' && Number(size.value.replaceAll('_', '')) <= MAX_SIZE;
