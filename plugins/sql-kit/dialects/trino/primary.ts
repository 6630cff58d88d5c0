/** Reads operands that Trino has and SQLite has not: typed literals, arrays, rows, casts, and calls with what may follow. */
import { form, listForm } from '../../ast/forms.ts';
import type { Call, Expr, Form } from '../../ast/tree.ts';
import { parseCallInWords, parseCastCall } from '../../parse/call-words.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseCallRest } from '../../parse/primary.ts';
import { parseInParentheses, parseText, refuseQualifiedCall } from '../../parse/shared-syntax.ts';
import { withNulls } from '../../parse/window.ts';
import { standardRendering } from '../rendering.ts';
import { intervalFields, isLiteralType, parseType } from './types.ts';

const TIMES = new Set(['CURRENT_TIME', 'CURRENT_TIMESTAMP', 'LOCALTIME', 'LOCALTIMESTAMP']);
const NORMAL_FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'];
/** Reserved words that are called like functions. */
const CALLED = new Set(['GROUPING', 'LISTAGG', 'TRIM']);

/** `undefined`, with nothing consumed, for all that every engine has. */
export function parseTrinoPrimary(cursor: Cursor): Expr | undefined {
  const { kind, value, start: at, keyword } = cursor.token;
  if (kind !== 'word' && kind !== 'name') return undefined;
  if (kind === 'word') {
    if (/^CURRENT_(?:USER|CATALOG|SCHEMA|PATH|ROLE)$/.test(keyword)) {
      throw cursor.fail('function', `${keyword} tells about the session`, 'Leave it out.');
    }
    if (/^JSON_(?:ARRAY|EXISTS|OBJECT|QUERY|VALUE)$/.test(keyword)) {
      const hint = "Write json_extract_scalar(column, '$.path') or json_extract(column, '$.path').";
      throw cursor.fail('function', `${keyword} with a path of SQL/JSON is not read here`, hint);
    }
    if (TIMES.has(keyword)) return currentTime(cursor, at, keyword);
    if (keyword === 'INTERVAL') return parseInterval(cursor, at);
    if (keyword === 'ARRAY' && cursor.peekOperator('[')) return parseArray(cursor, at);
    const typed = parseTyped(cursor, at);
    if (typed !== undefined) return typed;
  }
  if (!cursor.peekOperator('(')) {
    refuseQualifiedCall(cursor);
    return undefined;
  }
  if (kind === 'word') {
    if (keyword === 'CAST' || keyword === 'TRY_CAST') return parseCastCall(cursor, parseType);
    if (keyword === 'ROW') return parseRow(cursor, at);
    if (keyword === 'NORMALIZE') return parseNormalize(cursor, at);
    const inWords = parseCallInWords(cursor);
    if (inWords !== undefined) return inWords;
    if (!cursor.isName() && !CALLED.has(keyword)) return undefined;
  }
  cursor.advance();
  cursor.expectOperator('(');
  return withNulls(cursor, parseCallRest(cursor, at, value) as Call);
}

/** `DATE '2024-01-31'`, `DECIMAL '1.50'`, `DOUBLE PRECISION '1'`. */
function parseTyped(cursor: Cursor, at: number): Form | undefined {
  const { value } = cursor.token;
  const isPrecise = cursor.isWords('DOUBLE', 'PRECISION') && cursor.peek(2).kind === 'string';
  if (!isPrecise && (cursor.peek().kind !== 'string' || !isLiteralType(value))) return undefined;
  for (let count = isPrecise ? 2 : 1; count > 0; count -= 1) cursor.advance();
  return form(at, `${value.toUpperCase()} `, parseText(cursor));
}

/** `CURRENT_TIMESTAMP(3)`. */
function currentTime(cursor: Cursor, at: number, word: string): Expr {
  cursor.advance();
  if (!cursor.acceptOperator('(')) return { kind: 'constant', at, value: word };
  const { value } = cursor.token;
  if (!/^\d{1,2}$/.test(value)) throw cursor.unexpected('a precision');
  cursor.advance();
  cursor.expectOperator(')');
  return { kind: 'constant', at, value: `${word}(${value})` };
}

/** `INTERVAL '3' DAY`, `INTERVAL - '1-2' YEAR TO MONTH`; a column may be called so too. */
function parseInterval(cursor: Cursor, at: number): Form | undefined {
  const isSigned = cursor.peekOperator('-') || cursor.peekOperator('+');
  const amount = cursor.peek(isSigned ? 2 : 1);
  if (amount.kind === 'number' && cursor.peek(isSigned ? 3 : 2).kind === 'word') {
    throw cursor.fail('syntax', 'The number of an interval stands in quotes', "For example INTERVAL '1' DAY.", at);
  }
  if (amount.kind !== 'string') return undefined;
  cursor.advance();
  const sign = isSigned && cursor.advance().value === '-' ? '-' : '';
  const value = parseText(cursor);
  return form(at, `INTERVAL ${sign}`, value, ` ${intervalFields(cursor)}`);
}

/** `ARRAY[a, b]`. */
function parseArray(cursor: Cursor, at: number): Form {
  cursor.advance();
  cursor.expectOperator('[');
  const items = cursor.isOperator(']') ? [] : cursor.list(() => cursor.expression());
  cursor.expectOperator(']');
  return listForm(at, 'ARRAY[', items, ']');
}

/** `ROW(a, b)`. */
function parseRow(cursor: Cursor, at: number): Form {
  cursor.advance();
  const items = parseInParentheses(cursor, () => cursor.expression());
  return listForm(at, 'ROW(', items, ')');
}

/** `NORMALIZE(text, NFC)`. */
function parseNormalize(cursor: Cursor, at: number): Form {
  cursor.advance();
  cursor.expectOperator('(');
  const operand = cursor.expression();
  const normalForm = cursor.acceptOperator(',') ? NORMAL_FORMS.find((word) => cursor.accept(word)) : '';
  if (normalForm === undefined) throw cursor.unexpected('NFC, NFD, NFKC or NFKD');
  cursor.expectOperator(')');
  return form(at, 'NORMALIZE(', operand, normalForm === '' ? ')' : `, ${normalForm})`);
}

/** `ON OVERFLOW TRUNCATE '…' WITH COUNT`, inside the parentheses of LISTAGG. */
export function listaggTail(cursor: Cursor): Form | undefined {
  const at = cursor.token.start;
  if (!cursor.acceptWords('ON', 'OVERFLOW')) return undefined;
  if (cursor.accept('ERROR')) return form(at, ' ON OVERFLOW ERROR');
  cursor.expect('TRUNCATE');
  const filler = cursor.token.kind === 'string' ? ` ${standardRendering.text(cursor.advance().value)}` : '';
  const word = ['WITH', 'WITHOUT'].find((choice) => cursor.acceptWords(choice, 'COUNT'));
  if (word === undefined) throw cursor.unexpected('WITH COUNT');
  return form(at, ` ON OVERFLOW TRUNCATE${filler} ${word} COUNT`);
}
