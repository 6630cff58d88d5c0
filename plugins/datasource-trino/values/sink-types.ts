/** What values of Trino's types are when they are handed on, by the name of the type. */
import { decimalType, type SinkType } from '../../datasource-kit/index.ts';
import { parseType } from './types.ts';

const PLAIN: Readonly<Record<string, SinkType>> = {
  boolean: 'boolean',
  tinyint: 'integer',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  real: 'double',
  double: 'double',
  number: 'decimal',
  varbinary: 'binary',
  date: 'date',
  json: 'json',
  array: 'json',
  map: 'json',
  row: 'json',
};
/** Parts of a second that a timestamp holds elsewhere: microseconds. */
const MAX_FRACTION = 6;

export function sinkType(text: string): SinkType {
  const { name, args } = parseType(text);
  if (name === 'decimal') return decimalType(Number(args[0]), Number(args[1] ?? 0));
  const isShort = Number(args[0] ?? 3) <= MAX_FRACTION;
  if (name === 'timestamp') return isShort ? 'timestamp' : 'text';
  if (name === 'timestamp with time zone') return isShort ? 'timestamptz' : 'text';
  return PLAIN[name] ?? 'text';
}
