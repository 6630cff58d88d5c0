/** Reads the names of DuckDB's types. */
import type { Cursor } from '../../parse/cursor.ts';
import { parseDigits, parseTypeParts } from '../../parse/shared-syntax.ts';

/** Types that a value can be cast to, by every name the engine has for them. */
const TYPES = new Set(
  `BIGINT BIGNUM BINARY BIT BITSTRING BLOB BOOL BOOLEAN BPCHAR BYTEA CHAR CHARACTER DATE DATETIME DEC DECIMAL DOUBLE ENUM
  FLOAT FLOAT4 FLOAT8 GUID HUGEINT INT INT1 INT128 INT16 INT2 INT32 INT4 INT64 INT8 INTEGER INTEGRAL INTERVAL JSON LOGICAL
  LONG MAP NUMERIC NVARCHAR REAL ROW SHORT SIGNED SMALLINT STRING STRUCT TEXT TIME TIMESTAMP TIMESTAMPTZ TIMESTAMP_MS
  TIMESTAMP_NS TIMESTAMP_S TIMESTAMP_US TIMETZ TIME_NS TINYINT UBIGINT UHUGEINT UINT128 UINT16 UINT32 UINT64 UINT8
  UINTEGER UNION USMALLINT UTINYINT UUID VARBINARY VARCHAR VARIANT VARINT`.split(/\s+/),
);

/** Whether the word is the name of a type of the engine. */
export const isDuckdbType = (word: string): boolean => TYPES.has(word.toUpperCase());

/** A type in its canonical spelling: `DECIMAL(10, 2)[]`, `STRUCT("a" INTEGER)`. Throws for one that is not known. */
export function parseType(cursor: Cursor): string {
  const { token } = cursor;
  const word = token.value.toUpperCase();
  if (token.kind !== 'word' || !TYPES.has(word)) {
    throw cursor.unexpected('the name of a type');
  }
  cursor.advance();
  let text = word;
  if (word === 'STRUCT' || word === 'ROW' || word === 'UNION') text += parseFields(cursor);
  else if (word === 'MAP') text += parseTypeParts(cursor, () => parseType(cursor));
  else if (word === 'ENUM') text += parseTypeParts(cursor, () => parseEnumValue(cursor));
  else if (word === 'DOUBLE' && cursor.accept('PRECISION')) text = 'DOUBLE';
  else {
    // One word for both: the engine reads the size of the one and not of the other.
    if (word === 'CHARACTER' && (cursor.accept('VARYING') || cursor.isOperator('('))) text = 'VARCHAR';
    if (cursor.isOperator('(')) text += parseTypeParts(cursor, () => parseDigits(cursor));
  }
  if (word === 'TIME' || word === 'TIMESTAMP') text += parseZone(cursor);
  return text + parseArrays(cursor);
}

/** `name TYPE, …` in parentheses. */
function parseFields(cursor: Cursor): string {
  return parseTypeParts(
    cursor,
    () => `"${cursor.anyName('the name of a part').replaceAll('"', '""')}" ${parseType(cursor)}`,
  );
}

function parseEnumValue(cursor: Cursor): string {
  if (cursor.token.kind !== 'string') throw cursor.unexpected('a text');
  return `'${cursor.advance().value.replaceAll("'", "''")}'`;
}

function parseZone(cursor: Cursor): string {
  if (cursor.acceptWords('WITH', 'TIME', 'ZONE')) return ' WITH TIME ZONE';
  cursor.acceptWords('WITHOUT', 'TIME', 'ZONE');
  return '';
}

/** `[]` and `[3]`, as often as they stand there. */
function parseArrays(cursor: Cursor): string {
  let text = '';
  while (cursor.acceptOperator('[')) {
    const size = cursor.isOperator(']') ? '' : parseDigits(cursor);
    cursor.expectOperator(']');
    text += `[${size}]`;
  }
  return text;
}
