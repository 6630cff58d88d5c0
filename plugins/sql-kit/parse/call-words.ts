/** Functions whose arguments standard SQL separates by words: `TRIM(BOTH 'x' FROM y)`. */
import { form } from '../ast/forms.ts';
import { Level } from '../ast/precedence.ts';
import type { Expr, Form } from '../ast/tree.ts';
import type { Cursor } from './cursor.ts';
import { parseCallRest } from './primary.ts';

/** A call of one of these functions, in words or plain; `undefined`, with nothing consumed, for all others. */
export function parseCallInWords(cursor: Cursor): Expr | undefined {
  if (!cursor.peekOperator('(')) return undefined;
  switch (cursor.token.value.toUpperCase()) {
    case 'EXTRACT':
      return parseExtract(cursor);
    case 'TRIM':
      return parseTrim(cursor);
    case 'POSITION':
      return parsePosition(cursor);
    case 'SUBSTRING':
    case 'SUBSTR':
    case 'MID':
      return parseSubstring(cursor);
    default:
      return undefined;
  }
}

/** `CAST(value AS type)` or `TRY_CAST`, with the word at the cursor; `parseType` reads a type in its canonical spelling. */
export function parseCastCall(cursor: Cursor, parseType: (cursor: Cursor) => string): Form {
  const { start: at, keyword } = cursor.advance();
  cursor.expectOperator('(');
  const operand = cursor.expression();
  cursor.expect('AS');
  const type = parseType(cursor);
  cursor.expectOperator(')');
  return form(at, `${keyword}(`, operand, ` AS ${type})`);
}

function parseExtract(cursor: Cursor): Form {
  const at = cursor.advance().start;
  cursor.expectOperator('(');
  const { kind, value } = cursor.token;
  if ((kind !== 'word' && kind !== 'string') || !/^[A-Za-z_]+$/.test(value))
    throw cursor.unexpected('a part of a date');
  cursor.advance();
  cursor.expect('FROM');
  const operand = cursor.expression();
  cursor.expectOperator(')');
  return form(at, `EXTRACT(${value.toUpperCase()} FROM `, operand, ')');
}

/** `TRIM([BOTH | LEADING | TRAILING] [what] FROM text)`. */
function parseTrim(cursor: Cursor): Expr {
  const { start: at, value: name } = cursor.advance();
  cursor.expectOperator('(');
  const side = ['BOTH', 'LEADING', 'TRAILING'].find((word) => cursor.accept(word));
  const what = cursor.is('FROM') ? undefined : cursor.expression();
  if (side === undefined && !cursor.is('FROM')) return parseCallRest(cursor, at, name, what);
  const opening = side === undefined ? 'TRIM(' : `TRIM(${side} `;
  if (!cursor.accept('FROM')) {
    cursor.expectOperator(')');
    return form(at, opening, what!, ')');
  }
  const text = cursor.expression();
  cursor.expectOperator(')');
  return what === undefined ? form(at, opening, 'FROM ', text, ')') : form(at, opening, what, ' FROM ', text, ')');
}

/** `POSITION(part IN text)`. */
function parsePosition(cursor: Cursor): Expr {
  const { start: at, value: name } = cursor.advance();
  cursor.expectOperator('(');
  const part = cursor.expression(Level.bits);
  if (!cursor.accept('IN')) return parseCallRest(cursor, at, name, part);
  const text = cursor.expression();
  cursor.expectOperator(')');
  const operand = { expr: part, minimum: Level.bits };
  return { ...form(at), parts: ['POSITION(', operand, ' IN ', { expr: text, minimum: Level.primary }, ')'] };
}

/** `SUBSTRING(text FROM start [FOR length])`. */
function parseSubstring(cursor: Cursor): Expr {
  const { start: at, value: name } = cursor.advance();
  cursor.expectOperator('(');
  const text = cursor.expression();
  if (!cursor.accept('FROM')) return parseCallRest(cursor, at, name, text);
  const from = cursor.expression();
  const length = cursor.accept('FOR') ? cursor.expression() : undefined;
  cursor.expectOperator(')');
  const end = length === undefined ? [')'] : [' FOR ', length, ')'];
  return form(at, 'SUBSTRING(', text, ' FROM ', from, ...end);
}
