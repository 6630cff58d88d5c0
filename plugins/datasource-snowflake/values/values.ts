/** Snowflake's values, which arrive as texts, by the type of their column as `resultSetMetaData` names it. */
import { Converted, decimal, decimalType, json, real, type SinkType, type Value } from '../../datasource-kit/index.ts';
import type { Column } from '../wire/statement.ts';
import { isoDate, isoInstant, isoTime, isoTimestamp, isoZoned } from './times.ts';

export type Decoder = (value: unknown, maxCellBytes: number) => Value;

const DECODERS: Readonly<Record<string, (text: string, maxCellBytes: number) => Value>> = {
  fixed: (text) => decimal(text),
  decfloat: (text) => decimal(text),
  real: (text) => real(text),
  boolean: (text) => (/^(?:true|1)$/i.test(text) ? true : /^(?:false|0)$/i.test(text) ? false : text),
  date: (text) => isoDate(text),
  time: (text) => isoTime(text),
  timestamp_ntz: (text) => isoTimestamp(text),
  timestamp_ltz: (text) => isoInstant(text),
  timestamp_tz: (text) => isoZoned(text),
  binary: (text) => Buffer.from(text, 'hex'),
  variant: json,
  object: json,
  array: json,
  map: json,
  vector: json,
  geography: json,
  geometry: json,
};

export function decoderOf({ type }: Column): Decoder {
  const decode = DECODERS[type];
  return (value, maxCellBytes) => {
    if (value === null || value === undefined) return null;
    // The API gives texts alone.
    if (typeof value !== 'string') return new Converted(String(value), String(value).length);
    return decode === undefined ? value : decode(value, maxCellBytes);
  };
}

const SINK_TYPES: Readonly<Record<string, SinkType>> = {
  boolean: 'boolean',
  real: 'double',
  decfloat: 'decimal',
  date: 'date',
  binary: 'binary',
  variant: 'json',
  object: 'json',
  array: 'json',
  map: 'json',
  vector: 'json',
  geography: 'json',
  geometry: 'json',
};
/** Digits of the largest integer that eight bytes hold all of, and of a second that a timestamp holds elsewhere. */
const [MAX_DIGITS, MAX_FRACTION] = [18, 6];

export function sinkType({ type, precision, scale }: Column): SinkType {
  if (type === 'fixed') return scale === 0 && precision <= MAX_DIGITS ? 'integer' : decimalType(precision, scale);
  const isShort = scale <= MAX_FRACTION;
  if (type === 'timestamp_ntz') return isShort ? 'timestamp' : 'text';
  if (type === 'timestamp_ltz' || type === 'timestamp_tz') return isShort ? 'timestamptz' : 'text';
  return SINK_TYPES[type] ?? 'text';
}
