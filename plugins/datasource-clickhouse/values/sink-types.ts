/** What values of ClickHouse's types are when they are handed on, by the name of the type. */
import { decimalType, type SinkType } from '../../datasource-kit/index.ts';
import { parseType } from './types.ts';

const INTEGERS = /^(?:Int(?:8|16|32|64)|UInt(?:8|16|32))$/;
const WIDE_INTEGERS = /^U?Int(?:128|256)$/;
/** Digits that decimals have by their names. */
const DIGITS: Readonly<Record<string, number>> = { Decimal32: 9, Decimal64: 18, Decimal128: 38, Decimal256: 76 };
/** Parts of a second that a timestamp holds elsewhere: microseconds. */
const MAX_FRACTION = 6;

export function sinkType(text: string): SinkType {
  const { name, args } = parseType(text);
  if (name === 'Nullable' || name === 'LowCardinality') return sinkType(args[0] ?? '');
  if (name === 'SimpleAggregateFunction') return sinkType(args.at(-1) ?? '');
  if (INTEGERS.test(name)) return 'integer';
  if (name === 'UInt64') return decimalType(20, 0);
  if (WIDE_INTEGERS.test(name)) return 'decimal';
  if (/^B?Float/.test(name)) return 'double';
  if (name === 'Bool') return 'boolean';
  if (name === 'Decimal') return decimalType(Number(args[0]), Number(args[1] ?? 0));
  if (DIGITS[name] !== undefined) return decimalType(DIGITS[name], Number(args[0]));
  if (name === 'Date' || name === 'Date32') return 'date';
  const hasZone = args.some((arg) => arg.startsWith("'"));
  if (name === 'DateTime') return hasZone ? 'timestamptz' : 'timestamp';
  if (name === 'DateTime64' && Number(args[0]) <= MAX_FRACTION) return hasZone ? 'timestamptz' : 'timestamp';
  if (/^(?:Array|Map|Tuple|Nested|JSON|Object)$/.test(name)) return 'json';
  // Texts may be bytes; what Variant and Dynamic hold differs from row to row.
  return 'any';
}
