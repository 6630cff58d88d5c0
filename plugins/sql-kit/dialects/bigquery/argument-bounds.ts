/** Arguments with which a harmless function of BigQuery allocates without bound. */
import { fold } from '../../ast/names.ts';
import type { Call, Expr } from '../../ast/tree.ts';
import { formatProblem } from '../format-width.ts';
import type { ArgumentProblem } from '../sql-dialect.ts';

/** Longest text that is made by a length or a count, and most parts of a sketch. */
const MAX_SIZE = 10_000;
/** Functions that allocate what one of their arguments says. */
const SIZES: ReadonlyMap<string, number> = new Map([
  ['lpad', 1],
  ['rpad', 1],
  ['repeat', 1],
  ['approx_quantiles', 1],
  ['approx_top_count', 1],
  ['approx_top_sum', 2],
]);

export function argumentProblem(call: Call): ArgumentProblem | undefined {
  const size = call.args[SIZES.get(fold(call.name)) ?? call.args.length];
  if (size !== undefined && !isBounded(size)) {
    return {
      what: `The size that ${call.name} takes must be a number of at most ${MAX_SIZE}, written out`,
      hint: "For example LPAD(CAST(id AS STRING), 8, '0'), or APPROX_QUANTILES(total, 100).",
    };
  }
  return formatProblem(call);
}

const isBounded = (size: Expr) => size.kind === 'number' && Number(size.value) <= MAX_SIZE;
