/** BigQuery's values, which arrive as texts in rows of `f` and `v`, by the type of their column. */
import {
  type Cell,
  Converted,
  decimal,
  fitting,
  integer,
  json,
  real,
  shortFraction,
  toCell,
  type Value,
} from '../../datasource-kit/index.ts';
import { type Field, typeName } from './fields.ts';
import { isoDatetime, isoInstant, isoInterval } from './times.ts';

export type Decoder = (value: unknown, maxCellBytes: number) => Value;

/** Longer integers may not be exact as numbers. */
const SHORT_INTEGER = 15;
/** Values that are nested more deeply are given as JSON has them. */
const MAX_DEPTH = 100;

const SCALARS: Readonly<Record<string, (text: string, maxCellBytes: number) => Value>> = {
  BIGNUMERIC: decimal,
  BOOL: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  BYTES: (text) => Buffer.from(text, 'base64'),
  DATETIME: isoDatetime,
  FLOAT64: real,
  INT64: (text) => (text.length <= SHORT_INTEGER ? Number(text) : /^-?\d+$/.test(text) ? integer(BigInt(text)) : text),
  INTERVAL: isoInterval,
  JSON: json,
  NUMERIC: decimal,
  TIME: shortFraction,
  TIMESTAMP: isoInstant,
};

export function decoderOf(field: Field, depth = 0): Decoder {
  const decode = depth > MAX_DEPTH ? asJson : field.mode === 'REPEATED' ? repeated(field, depth) : single(field, depth);
  return (value, maxCellBytes) => (value === null || value === undefined ? null : decode(value, maxCellBytes));
}

function single(field: Field, depth: number): Decoder {
  const type = typeName(field);
  if (type === 'STRUCT') return struct(field.fields ?? [], depth);
  const scalar = SCALARS[type];
  return (value, maxCellBytes) => {
    if (typeof value === 'object') return asJson(value, maxCellBytes);
    return scalar === undefined ? String(value) : scalar(String(value), maxCellBytes);
  };
}

/** Texts, dates, geographies and ranges are what they are; what has another shape than its type is given as it came. */
const asJson: Decoder = (value, maxCellBytes) => fitting(new Converted(value as Cell, 0), maxCellBytes);

const whole =
  (make: (value: unknown) => Cell): Decoder =>
  (value, maxCellBytes) =>
    fitting(new Converted(make(value), 0), maxCellBytes);

const cellBy = (decode: Decoder) => (item: unknown) =>
  toCell(decode((item as { readonly v?: unknown } | null)?.v, Number.MAX_SAFE_INTEGER));

function repeated(field: Field, depth: number): Decoder {
  const item = cellBy(single({ ...field, mode: 'NULLABLE' }, depth + 1));
  return whole((value) => listOf(value).map((one) => (isNull(one) ? null : item(one))));
}

const isNull = (item: unknown) => ((item as { readonly v?: unknown } | null)?.v ?? null) === null;

/** An object, unless one name stands for two fields or one has none. */
function struct(fields: readonly Field[], depth: number): Decoder {
  const items = fields.map((field) => cellBy(decoderOf(field, depth + 1)));
  const names = fields.map(({ name }) => name);
  const isNamed = new Set(names).size === names.length && !names.includes('');
  return whole((value) => {
    const cells = listOf((value as { readonly f?: unknown }).f);
    const read = items.map((item, at) => item(cells[at]));
    return isNamed ? Object.fromEntries(names.map((name, at) => [name, read[at] ?? null])) : read;
  });
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
