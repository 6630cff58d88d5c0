/** Reads the names of ClickHouse's types. */
import type { Cursor } from '../../parse/cursor.ts';
import { printName, printText } from './names.ts';

/** Types that a value can be cast to; states of aggregates are none of them, as their bytes come from elsewhere. */
const EXACT = new Set(
  `Array BFloat16 Dynamic Enum16 Enum8 FixedString Float32 Float64 Geometry IPv4 IPv6 Int128 Int16 Int256 Int32 Int64 Int8
  IntervalDay IntervalHour IntervalMicrosecond IntervalMillisecond IntervalMinute IntervalMonth IntervalNanosecond
  IntervalQuarter IntervalSecond IntervalWeek IntervalYear LineString LowCardinality Map MultiLineString MultiPolygon Nested
  Nothing Nullable Point Polygon Ring String Tuple UInt128 UInt16 UInt256 UInt32 UInt64 UInt8 UUID Variant`.split(
    /\s+/,
  ),
);
const IN_ANY_CASE = new Set(
  `BIGINT BINARY BLOB BOOL BOOLEAN BYTEA CHAR CHARACTER CLOB DATE DATE32 DATETIME DATETIME32 DATETIME64 DEC DECIMAL DECIMAL128
  DECIMAL256 DECIMAL32 DECIMAL64 DOUBLE ENUM FLOAT INT INTEGER JSON MEDIUMINT NUMERIC NVARCHAR REAL SIGNED SMALLINT TEXT TIME
  TIME64 TIMESTAMP TINYINT UNSIGNED VARBINARY VARCHAR`.split(/\s+/),
);
/** Words that go on with the name of a type. */
const SUFFIXES = new Set(['PRECISION', 'SIGNED', 'UNSIGNED', 'VARYING']);

/** Whether a type that is written as a text is, or holds, the state of an aggregate. */
export const namesState = (type: string): boolean => /AggregateFunction/i.test(type);

/** The name of a time zone of the engine's own: not one of its endless offsets to the second, nor of a file. */
export const isZone = (name: string): boolean =>
  /^[A-Z][A-Za-z_]*(?:\/[A-Za-z0-9_+-]+){0,2}$/.test(name) && !name.startsWith('Fixed/');

/** Whether a text is a type that a value may be cast to: no state, no name in quotes, in which escapes could hide any. */
export function isTypeText(text: string): boolean {
  const plain = text.replaceAll(/'[^'\\]*'/g, '');
  if (namesState(text) || /["`\\]/.test(plain)) return false;
  const texts = Array.from(text.matchAll(/'([^']*)'(?!\s*=)/g), ([, zone]) => zone!);
  return !/time/i.test(plain) || texts.every(isZone);
}

/** Whether the word is the name of a type. */
const isType = (word: string): boolean => EXACT.has(word) || IN_ANY_CASE.has(word.toUpperCase());

/** A type in its canonical spelling: `Array(Nullable(Decimal(10, 2)))`. Throws for one that is not known. */
export function parseType(cursor: Cursor): string {
  const { kind, value } = cursor.token;
  if (kind !== 'word' || !isType(value)) throw cursor.unexpected('the name of a type');
  cursor.advance();
  let text = value;
  if (SUFFIXES.has(cursor.token.value.toUpperCase()) && cursor.token.kind === 'word')
    text += ` ${cursor.advance().value}`;
  if (!cursor.acceptOperator('(')) return text;
  const parts = cursor.isOperator(')')
    ? []
    : cursor.nested(() => cursor.list(() => parsePart(cursor, /time/i.test(value))));
  cursor.expectOperator(')');
  return `${text}(${parts.join(', ')})`;
}

/** A size, a time zone, `'a' = 1` of an enumeration, `name Type` of a tuple, or a type. */
function parsePart(cursor: Cursor, isTime: boolean): string {
  const { kind, value } = cursor.token;
  if (kind === 'number') {
    if (!/^\d{1,9}$/.test(value)) throw cursor.unexpected('a number');
    return cursor.advance().value;
  }
  if (kind === 'string') {
    const text = printText(cursor.advance().value);
    if (!cursor.acceptOperator('=')) {
      if (isTime && !isZone(value)) throw cursor.unexpected('the name of a time zone');
      return text;
    }
    const sign = cursor.acceptOperator('-') ? '-' : '';
    if (!/^\d{1,5}$/.test(cursor.token.value)) throw cursor.unexpected('a number');
    return `${text} = ${sign}${cursor.advance().value}`;
  }
  const next = cursor.peek();
  const isNamed =
    kind === 'name' || (kind === 'word' && next.kind === 'word' && !SUFFIXES.has(next.value.toUpperCase()));
  if (!isNamed) return parseType(cursor);
  cursor.advance();
  return `${printName(value)} ${parseType(cursor)}`;
}
