/** Reads the names of Snowflake's types, as its documentation lists them under "Data types". */
import type { Cursor } from '../../parse/cursor.ts';
import { parseDigits, parseTypeParts } from '../../parse/shared-syntax.ts';
import { quoteName } from './names.ts';

const SIZED = new Set(
  `BINARY CHAR CHARACTER DEC DECIMAL NCHAR NUMBER NUMERIC NVARCHAR NVARCHAR2 STRING TEXT TIME TIMESTAMP TIMESTAMP_LTZ
  TIMESTAMP_NTZ TIMESTAMP_TZ TIMESTAMPLTZ TIMESTAMPNTZ TIMESTAMPTZ DATETIME VARBINARY VARCHAR`.split(/\s+/),
);
const PLAIN = new Set(
  `BIGINT BOOLEAN BYTEINT DATE DECFLOAT DOUBLE FLOAT FLOAT4 FLOAT8 GEOGRAPHY GEOMETRY INT INTEGER REAL SMALLINT TINYINT UUID
  VARIANT`.split(/\s+/),
);

/** A type in its canonical spelling: `NUMBER(10, 2)`, `ARRAY(VARCHAR)`. Throws for one that is not known. */
export function parseType(cursor: Cursor): string {
  const { kind, value: word } = cursor.token;
  const isNested = word === 'ARRAY' || word === 'OBJECT' || word === 'MAP' || word === 'VECTOR';
  if (kind !== 'word' || !(isNested || SIZED.has(word) || PLAIN.has(word))) {
    throw cursor.unexpected('the name of a type, such as VARCHAR, NUMBER, FLOAT or DATE');
  }
  cursor.advance();
  if (isNested) return word + (cursor.isOperator('(') ? parseTypeParts(cursor, () => part(cursor, word)) : '');
  if (word === 'DOUBLE' && cursor.token.value === 'PRECISION') cursor.advance();
  const isVarying = /CHAR/.test(word) && cursor.token.kind === 'word' && cursor.token.value === 'VARYING';
  if (isVarying) cursor.advance();
  const size = SIZED.has(word) && cursor.isOperator('(') ? parseTypeParts(cursor, () => parseDigits(cursor)) : '';
  if (word !== 'TIMESTAMP') return word + size;
  return `${word}${zone(cursor)}${size}`;
}

/** `WITH TIME ZONE` and the like, as the suffix of the type that they mean. */
function zone(cursor: Cursor): string {
  const words = (...wanted: string[]) => wanted.every((word, at) => cursor.peek(at).value === word);
  const [suffix, count] = words('WITH', 'LOCAL', 'TIME', 'ZONE')
    ? ['_LTZ', 4]
    : words('WITH', 'TIME', 'ZONE')
      ? ['_TZ', 3]
      : words('WITHOUT', 'TIME', 'ZONE')
        ? ['_NTZ', 3]
        : ['', 0];
  for (let left = count; left > 0; left -= 1) cursor.advance();
  return suffix;
}

/** A type, `name type` of an object, or the length of a vector. */
function part(cursor: Cursor, of: string): string {
  if (of === 'VECTOR' && cursor.token.kind === 'number') return parseDigits(cursor);
  const name = of === 'OBJECT' ? `${key(cursor)} ` : '';
  const type = parseType(cursor);
  return `${name}${type}${cursor.acceptWords('NOT', 'NULL') ? ' NOT NULL' : ''}`;
}

/** Keys of objects keep the case that they are written in, without quotes too. */
function key(cursor: Cursor): string {
  const { kind, start, end } = cursor.token;
  const name = cursor.anyName('the name of a key');
  const written = kind === 'word' ? cursor.text.slice(start, end) : name;
  return /^[a-z_]\w*$/i.test(written) && kind === 'word' ? written : quoteName(written);
}
