/** Arguments with which a harmless function of Snowflake allocates without bound, or reads columns that it does not name. */
import type { Call, Expr } from '../../ast/tree.ts';
import type { ArgumentProblem } from '../sql-dialect.ts';

/** Longest text or list that is made of a length. */
const MAX_SIZE = 10_000;
/** Functions to the argument that is a length, or the end of a list. */
const SIZES: ReadonlyMap<string, number> = new Map([
  ['ARRAY_GENERATE_RANGE', 1],
  ['LPAD', 1],
  ['RANDSTR', 0],
  ['REPEAT', 1],
  ['RPAD', 1],
  ['SPACE', 0],
]);

export function argumentProblem({ name, args, star }: Call): ArgumentProblem | undefined {
  if (star && name !== 'COUNT') return { what: `${name} takes no list of columns`, hint: 'Name each column.' };
  const at = SIZES.get(name);
  const size = at === undefined ? undefined : args[at];
  if (size === undefined || isBounded(size)) return undefined;
  return {
    what: `The size that ${name} takes must be a number of at most ${MAX_SIZE}, written out`,
    hint: "For example LPAD(TO_CHAR(ID), 8, '0').",
  };
}

const isBounded = (size: Expr) => size.kind === 'number' && Number(size.value) <= MAX_SIZE;
