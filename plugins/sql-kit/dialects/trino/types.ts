/** Reads the names of Trino's types, as its documentation lists them under "Data types". */
import type { Cursor } from '../../parse/cursor.ts';
import { parseDigits, parseTypeParts } from '../../parse/shared-syntax.ts';
import { standardRendering } from '../rendering.ts';

/** States of aggregates, such as HyperLogLog, are none of these: their bytes could come from elsewhere. */
const TYPES = new Set(
  `BIGINT BOOLEAN CHAR DATE DECIMAL DOUBLE INT INTEGER IPADDRESS JSON NUMBER REAL SMALLINT TIME TIMESTAMP TINYINT UUID
  VARBINARY VARCHAR ARRAY MAP ROW INTERVAL GEOMETRY SPHERICALGEOGRAPHY BINGTILE`.split(/\s+/),
);
const HAS_SIZE = new Set(['CHAR', 'DECIMAL', 'TIME', 'TIMESTAMP', 'VARCHAR']);

/** Whether a text may stand behind the word: `DATE '2024-01-31'`. */
export const isLiteralType = (word: string): boolean =>
  TYPES.has(word.toUpperCase()) && !/^(?:array|map|row|interval)$/i.test(word);

/** Units of `INTERVAL '3' DAY` and `INTERVAL DAY TO SECOND`. */
const FIELDS = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND'];

/** `DAY` or `YEAR TO MONTH`. */
export function intervalFields(cursor: Cursor): string {
  const field = () => {
    const one = FIELDS.find((word) => cursor.accept(word));
    if (one === undefined) throw cursor.unexpected('a unit such as DAY or MONTH, without s');
    return one;
  };
  const from = field();
  return cursor.accept('TO') ? `${from} TO ${field()}` : from;
}

/** A type in its canonical spelling: `ARRAY(ROW("a" DECIMAL(10, 2)))`. Throws for one that is not known. */
export function parseType(cursor: Cursor): string {
  const { kind, value } = cursor.token;
  const word = value.toUpperCase();
  if ((kind !== 'word' && kind !== 'name') || !TYPES.has(word)) {
    throw cursor.unexpected('the name of a type, such as VARCHAR, BIGINT, DOUBLE or DATE');
  }
  cursor.advance();
  let text = word;
  if (word === 'INTERVAL') text = `INTERVAL ${intervalFields(cursor)}`;
  else if (word === 'ARRAY' || word === 'MAP') text += elements(cursor, word === 'MAP' ? 2 : 1);
  else if (word === 'ROW') text += parseTypeParts(cursor, () => rowField(cursor));
  else if (word === 'DOUBLE') cursor.accept('PRECISION');
  else if (HAS_SIZE.has(word) && cursor.isOperator('(')) text += parseTypeParts(cursor, () => parseDigits(cursor));
  if (word === 'TIME' || word === 'TIMESTAMP') {
    if (cursor.acceptWords('WITH', 'TIME', 'ZONE')) text += ' WITH TIME ZONE';
    else cursor.acceptWords('WITHOUT', 'TIME', 'ZONE');
  }
  for (; cursor.accept('ARRAY'); cursor.stack()) text = `ARRAY(${text})`;
  return text;
}

/** In parentheses, or in angle brackets as earlier versions wrote them. */
function elements(cursor: Cursor, count: number): string {
  const isOld = cursor.acceptOperator('<');
  if (!isOld) cursor.expectOperator('(');
  const types = cursor.nested(() => cursor.list(() => parseType(cursor)));
  if (types.length !== count) throw cursor.unexpected(count === 1 ? 'one type' : 'two types');
  cursor.expectOperator(isOld ? '>' : ')');
  return `(${types.join(', ')})`;
}

/** `name type`, or a type alone. */
function rowField(cursor: Cursor): string {
  const next = cursor.peek();
  const isSuffix = next.keyword === 'ARRAY' && !cursor.peekOperator('(', 2) && !cursor.peekOperator('<', 2);
  const isTyped = next.kind === 'word' && TYPES.has(next.value.toUpperCase()) && !isSuffix;
  if (TYPES.has(cursor.token.value.toUpperCase()) && !isTyped) return parseType(cursor);
  return `${standardRendering.quoteName(cursor.anyName('the name of a field'))} ${parseType(cursor)}`;
}
