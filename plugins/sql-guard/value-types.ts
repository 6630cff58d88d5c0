/** Says which types of values go together: they compare, and convert to each other, without failing. */
import type { ValueType } from '../sql-kit/index.ts';

const NUMBERS: ReadonlySet<ValueType> = new Set(['digits', 'integer', 'numeric', 'float']);
const TIMES: ReadonlySet<ValueType> = new Set(['date', 'timestamp', 'timestamptz', 'moment']);

export const isNumber = (type: ValueType | undefined): boolean => type !== undefined && NUMBERS.has(type);

/** Whether no comparison of such values fails. */
export function areComparable(one: ValueType | undefined, other: ValueType | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if ((one === 'scaled' && other === 'moment') || (one === 'moment' && other === 'scaled')) return true;
  return (TIMES.has(one) && TIMES.has(other)) || commonType([one, other]) !== undefined;
}

/** The type to which values of all these convert without failing; a numeric may be too large for a float. */
export function commonType(types: readonly (ValueType | undefined)[]): ValueType | undefined {
  let common: ValueType | undefined = 'literal';
  for (const type of types) {
    if (type === undefined || common === undefined) return undefined;
    common = joined(common, type);
  }
  return common;
}

function joined(one: ValueType, other: ValueType): ValueType | undefined {
  // One value may lie beyond the range of the other's scale.
  if (one === 'scaled' && other === 'scaled') return undefined;
  if (one === other || other === 'literal') return one;
  if (one === 'literal') return other;
  if (!NUMBERS.has(one) || !NUMBERS.has(other)) return undefined;
  if (one !== 'float' && other !== 'float') return 'numeric';
  // A number of the statement is converted when that is planned.
  return one === 'digits' || other === 'digits' ? 'float' : undefined;
}
