/** Where the SELECT of a common table reads the table itself. */
import type { Select } from '../sql-kit/index.ts';

/** Index, in the set operations after the first core, of the UNION that joins all the others; Infinity for none. */
export function lastUnion({ rest }: Select): number {
  // INTERSECT binds more tightly than the others.
  const last = rest.findLastIndex(({ operator }) => !operator.startsWith('INTERSECT'));
  return rest[last]?.operator.startsWith('UNION') ? last : Number.POSITIVE_INFINITY;
}

/** Without the parentheses around the whole. */
export function unwrapped(select: Select): Select {
  const { first, rest, with: common, orderBy, limit, offset } = select;
  const isBare = rest.length === 0 && common === undefined && orderBy.length === 0 && !limit && !offset;
  return isBare && first.kind === 'nested' ? unwrapped(first.select) : select;
}
