/** MySQL's values, which arrive typed, by what the server says of their column. */
import mysql, { type FieldPacket } from 'mysql2';
import { Converted, decimal, decimalType, integer, json, type SinkType, type Value } from '../datasource-kit/index.ts';

/** What the library hands over for a value that is not null. */
export type Raw = string | number | Buffer;
export type Decoder = (raw: Raw, maxCellBytes: number) => Value;

/** Number of the character set of columns that are bytes rather than text. */
const BINARY = 63;

const { Types } = mysql;
const ZERO_DATE = new Converted(null, 4, 'has zero dates, given as null');

/** Types whose values are bytes with a length before them: read as bytes, so that a long one is cut before it is text. */
const BYTE_TYPES = [
  'VARCHAR',
  'VAR_STRING',
  'STRING',
  'ENUM',
  'SET',
  'TINY_BLOB',
  'BLOB',
  'MEDIUM_BLOB',
  'LONG_BLOB',
  'JSON',
  'BIT',
  'GEOMETRY',
  'VECTOR',
] as const;
const BYTE_NAMES: ReadonlySet<string> = new Set(BYTE_TYPES);
const BYTE_NUMBERS: ReadonlySet<number | undefined> = new Set(BYTE_TYPES.map((name) => Types[name]));

/** How the library is to read a value. */
export function readValue(field: { readonly type: string; buffer(): Buffer | null }, next: () => unknown): unknown {
  return BYTE_NAMES.has(field.type) ? field.buffer() : next();
}

const asIs: Decoder = (raw) => raw;
const asDecimal: Decoder = (raw) => decimal(String(raw));
const asBits: Decoder = (raw) => integer(BigInt(`0x${(raw as Buffer).toString('hex') || '0'}`));
/** What is beyond the limit is not even decoded; the collector cuts the rest. */
const asText: Decoder = (raw, maxCellBytes) => (raw as Buffer).toString('utf8', 0, maxCellBytes + 4);
const asJson: Decoder = (raw, maxCellBytes) => json(asText(raw, maxCellBytes) as string, maxCellBytes);

/** The shortest decimal that is this number of single precision. */
function asSingle(raw: Raw): Value {
  const number = Number(raw);
  for (let digits = 6; digits < 9; digits += 1) {
    const shorter = Number(number.toPrecision(digits));
    if (Math.fround(shorter) === number) return shorter;
  }
  return number;
}

/** `2024-02-29`; a day, month or year of zero is no date. */
function asDate(raw: Raw): Value {
  const text = String(raw).slice(0, 10);
  return /^0000|-00/.test(text) ? ZERO_DATE : text;
}

function isoDateTime(raw: Raw, zone: '' | 'Z'): Value {
  const [date = '', time = ''] = String(raw).split(' ');
  if (asDate(date) === ZERO_DATE) return ZERO_DATE;
  // Fractions as short as they are exact: PostgreSQL gives no zeros either.
  return `${date}T${time.replace(/\.?0+$/, (zeros) => (time.includes('.') ? '' : zeros))}${zone}`;
}

export function decoderOf(field: FieldPacket): Decoder {
  const type = field.columnType ?? field.type;
  if (field.extendedFormat === 'json' || type === Types.JSON) return asJson;
  switch (type) {
    case Types.LONGLONG:
    case Types.DECIMAL:
    case Types.NEWDECIMAL:
      return asDecimal;
    case Types.FLOAT:
      return asSingle;
    case Types.DATE:
    case Types.NEWDATE:
      return asDate;
    case Types.DATETIME:
      return (raw) => isoDateTime(raw, '');
    case Types.TIMESTAMP:
      return (raw) => isoDateTime(raw, 'Z');
    case Types.BIT:
      return asBits;
    case Types.GEOMETRY:
    case Types.VECTOR:
      return asIs;
    default:
      if (!BYTE_NUMBERS.has(type)) return asIs;
      return field.characterSet === BINARY && field.extendedTypeName === undefined ? asIs : asText;
  }
}

/** Bits of a column's flags. */
const UNSIGNED = 32;
const UNSIGNED_64 = decimalType(20, 0);

/** What the values of the column are, handed on. */
export function sinkType(field: FieldPacket): SinkType {
  const type = field.columnType ?? field.type;
  if (field.extendedFormat === 'json' || type === Types.JSON) return 'json';
  const isUnsigned = (Number(field.flags) & UNSIGNED) !== 0;
  switch (type) {
    case Types.TINY:
    case Types.SHORT:
    case Types.INT24:
    case Types.LONG:
    case Types.YEAR:
      return 'integer';
    case Types.LONGLONG:
      return isUnsigned ? UNSIGNED_64 : 'integer';
    case Types.BIT:
      return UNSIGNED_64;
    case Types.DECIMAL:
    case Types.NEWDECIMAL: {
      // The length counts the point and the sign.
      const { columnLength = 0, decimals = 0 } = field;
      return decimalType(columnLength - (decimals > 0 ? 1 : 0) - (isUnsigned ? 0 : 1), decimals);
    }
    case Types.FLOAT:
    case Types.DOUBLE:
      return 'double';
    case Types.DATE:
    case Types.NEWDATE:
      return 'date';
    case Types.DATETIME:
      return 'timestamp';
    case Types.TIMESTAMP:
      return 'timestamptz';
    case Types.GEOMETRY:
    case Types.VECTOR:
      return 'binary';
    default:
      return BYTE_NUMBERS.has(type) && decoderOf(field) === asIs ? 'binary' : 'text';
  }
}
