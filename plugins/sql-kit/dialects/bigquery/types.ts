/** Reads the names of GoogleSQL's types, as its documentation lists them under "Data types". */
import type { Cursor } from '../../parse/cursor.ts';
import { parseDigits } from '../../parse/shared-syntax.ts';
import { printName } from './names.ts';

const TYPES = new Set(
  `BIGDECIMAL BIGINT BIGNUMERIC BOOL BOOLEAN BYTEINT BYTES DATE DATETIME DECIMAL FLOAT64 GEOGRAPHY INT INT64 INTEGER INTERVAL JSON
  NUMERIC SMALLINT STRING TIME TIMESTAMP TINYINT`.split(/\s+/),
);
const HAS_SIZE = new Set(['BIGDECIMAL', 'BIGNUMERIC', 'BYTES', 'DECIMAL', 'NUMERIC', 'STRING']);
/** Types of which a text behind the name is a value. */
const LITERALS = new Set('BIGDECIMAL BIGNUMERIC DATE DATETIME DECIMAL JSON NUMERIC TIME TIMESTAMP'.split(' '));

/** Whether a text may stand behind the word: `DATE '2024-01-31'`. */
export const isLiteralType = (word: string): boolean => LITERALS.has(word.toUpperCase());

/** A type in its canonical spelling: `ARRAY<STRUCT<a INT64, b STRING(10)>>`. Throws for one that is not known. */
export function parseType(cursor: Cursor): string {
  const { kind, value } = cursor.token;
  const word = value.toUpperCase();
  if (kind === 'word' && ['ARRAY', 'RANGE', 'STRUCT'].includes(word)) {
    cursor.advance();
    return word + typeArguments(cursor, word);
  }
  if (kind !== 'word' || !TYPES.has(word)) {
    throw cursor.unexpected('the name of a type, such as STRING, INT64, FLOAT64 or DATE');
  }
  cursor.advance();
  if (!HAS_SIZE.has(word) || !cursor.acceptOperator('(')) return word;
  const sizes = cursor.list(() => parseDigits(cursor));
  cursor.expectOperator(')');
  return `${word}(${sizes.join(', ')})`;
}

/** `<INT64>`, or the fields of a STRUCT. */
export function typeArguments(cursor: Cursor, word: string): string {
  cursor.expectOperator('<');
  const types = cursor.nested(() => (word === 'STRUCT' ? cursor.list(() => field(cursor)) : [parseType(cursor)]));
  cursor.expectOperator('>');
  return `<${types.join(', ')}>`;
}

/** `name type`, or a type alone. */
function field(cursor: Cursor): string {
  const next = cursor.peek();
  const isNamed =
    next.kind === 'word' && (TYPES.has(next.value.toUpperCase()) || /^(?:array|range|struct)$/i.test(next.value));
  if (!isNamed) return parseType(cursor);
  return `${printName(cursor.anyName('the name of a field'))} ${parseType(cursor)}`;
}

const WEEKDAYS = 'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY'.split(' ');
const PARTS = new Set(
  `MICROSECOND MILLISECOND SECOND MINUTE HOUR DAYOFWEEK DAY DAYOFYEAR WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR DATE TIME DATETIME`.split(
    ' ',
  ),
);
const UNITS = new Set('MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR'.split(' '));

/** `MONTH` or `WEEK(MONDAY)` where a function takes a part of a date; `undefined`, with nothing consumed, for all else. */
export function datePart(cursor: Cursor): string | undefined {
  const { kind, value } = cursor.token;
  const part = value.toUpperCase();
  if (kind !== 'word' || !PARTS.has(part)) return undefined;
  const isWeek = part === 'WEEK' && cursor.peekOperator('(');
  const weekday = isWeek ? cursor.peek(2).value.toUpperCase() : '';
  if (isWeek && (!WEEKDAYS.includes(weekday) || !cursor.peekOperator(')', 3))) return undefined;
  for (let count = isWeek ? 4 : 1; count > 0; count -= 1) cursor.advance();
  return isWeek ? `WEEK(${weekday})` : part;
}

/** `DAY`, or `YEAR TO MONTH` behind a text. */
export function intervalUnit(cursor: Cursor): string {
  const unit = () => {
    const { kind, value } = cursor.token;
    const word = value.toUpperCase();
    if (kind !== 'word' || !UNITS.has(word)) throw cursor.unexpected('a unit such as DAY or MONTH, without s');
    cursor.advance();
    return word;
  };
  const from = unit();
  return cursor.accept('TO') ? `${from} TO ${unit()}` : from;
}
