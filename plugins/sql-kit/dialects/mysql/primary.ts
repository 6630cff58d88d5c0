/** Reads operands that only MySQL and MariaDB have. */
import { form, listForm } from '../../ast/forms.ts';
import { fold } from '../../ast/names.ts';
import { Level } from '../../ast/precedence.ts';
import type { Expr, Form } from '../../ast/tree.ts';
import { parseCallInWords, parseCastCall } from '../../parse/call-words.ts';
import { parseArguments } from '../../parse/clauses.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseCallRest, parseContent } from '../../parse/primary.ts';
import { parseDigits } from '../../parse/shared-syntax.ts';
import { mysqlFunctions, mysqlRefusedFunctions } from './functions.ts';

const UNITS = new Set(
  `MICROSECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR SECOND_MICROSECOND MINUTE_MICROSECOND MINUTE_SECOND
  HOUR_MICROSECOND HOUR_SECOND HOUR_MINUTE DAY_MICROSECOND DAY_SECOND DAY_MINUTE DAY_HOUR YEAR_MONTH`.split(/\s+/),
);
/** What is a function with or without parentheses. */
const CLOCKS = new Set(
  'CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP UTC_DATE UTC_TIME UTC_TIMESTAMP'.split(' '),
);
const CAST_TYPES = new Set(
  'BINARY CHAR NCHAR VARCHAR DATE DATETIME TIME YEAR DECIMAL DEC DOUBLE FLOAT REAL JSON SIGNED UNSIGNED INTEGER INT'.split(
    ' ',
  ),
);

/** Operands that MySQL has and SQLite has not; `undefined`, with nothing consumed, for all others. */
export function parseMysqlPrimary(cursor: Cursor): Expr | undefined {
  const { kind, start: at, keyword } = cursor.token;
  if (kind === 'string') return parseTexts(cursor, at);
  if (kind !== 'word') return undefined;
  if (CLOCKS.has(keyword)) return parseClock(cursor, at);
  const isCall = cursor.peekOperator('(');
  switch (keyword) {
    case 'INTERVAL':
      return parseInterval(cursor, at);
    case 'BINARY':
      return parseBinary(cursor, at);
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
      return cursor.peek().kind === 'string' ? parseTypedText(cursor, at) : undefined;
    case 'CAST':
      return isCall ? parseCastCall(cursor, parseType) : undefined;
    case 'CONVERT':
      return isCall ? parseConvert(cursor, at) : undefined;
    case 'TIMESTAMPDIFF':
    case 'TIMESTAMPADD':
    case 'GET_FORMAT':
      return isCall ? parseWithUnit(cursor, at) : undefined;
    case 'MATCH':
      return isCall ? parseMatch(cursor, at) : undefined;
    case 'CURRENT_USER':
    case 'CURRENT_ROLE':
      throw cursor.fail('function', `${keyword} tells about the session`, 'Leave it out.');
  }
  const inWords = parseCallInWords(cursor);
  if (inWords !== undefined) return inWords;
  // Some functions are named like reserved words, and those that are refused are so by name.
  const name = fold(keyword);
  if (isCall && keyword !== '' && (mysqlFunctions.has(name) || mysqlRefusedFunctions.has(name))) {
    const { value } = cursor.advance();
    cursor.expectOperator('(');
    return parseCallRest(cursor, at, value);
  }
  return undefined;
}

/** Texts side by side are one. */
function parseTexts(cursor: Cursor, at: number): Expr {
  let value = '';
  while (cursor.token.kind === 'string') value += cursor.advance().value;
  return { kind: 'string', at, value };
}

/** `CURRENT_TIMESTAMP`, `CURRENT_TIMESTAMP(6)`. */
function parseClock(cursor: Cursor, at: number): Expr {
  const { keyword } = cursor.advance();
  if (!cursor.acceptOperator('(')) return { kind: 'constant', at, value: keyword };
  const digits = cursor.isOperator(')') ? '' : parseDigits(cursor, 3);
  cursor.expectOperator(')');
  return { kind: 'constant', at, value: `${keyword}(${digits})` };
}

function parseUnit(cursor: Cursor): string | undefined {
  const word = cursor.token.kind === 'word' ? cursor.token.value.toUpperCase().replace(/^SQL_TSI_/, '') : '';
  if (!UNITS.has(word)) return undefined;
  cursor.advance();
  return word;
}

/** `INTERVAL 1 DAY`, or the function `INTERVAL(a, b, …)`. */
function parseInterval(cursor: Cursor, at: number): Expr {
  const { value: name } = cursor.advance();
  let amount: Expr;
  if (cursor.isOperator('(')) {
    const content = parseContent(cursor);
    const items = content.kind === 'select' ? [] : content.items;
    if (items.length > 1) return listForm(at, `${name.toUpperCase()}(`, items, ')');
    amount = content.kind === 'select' ? { kind: 'scalar', at, select: content } : items[0]!;
  } else amount = cursor.expression();
  const unit = parseUnit(cursor);
  if (unit === undefined) throw cursor.unexpected('a unit such as DAY or MONTH');
  return {
    kind: 'form',
    at,
    level: Level.primary,
    parts: ['INTERVAL ', { expr: amount, minimum: Level.primary }, ` ${unit}`],
  };
}

/** `BINARY text` compares byte by byte. */
function parseBinary(cursor: Cursor, at: number): Form {
  cursor.advance();
  const operand = { expr: cursor.expression(Level.prefix), minimum: Level.primary };
  return { kind: 'form', at, level: Level.prefix, parts: ['BINARY ', operand] };
}

function parseTypedText(cursor: Cursor, at: number): Form {
  const { keyword } = cursor.advance();
  const { value, start } = cursor.advance();
  return form(at, `${keyword} `, { kind: 'string', at: start, value });
}

/** `CONVERT(value, type)`, which is a cast, or `CONVERT(text USING charset)`. */
function parseConvert(cursor: Cursor, at: number): Form {
  cursor.advance();
  cursor.expectOperator('(');
  const operand = cursor.expression();
  if (cursor.accept('USING')) {
    const charset = parseCharset(cursor);
    cursor.expectOperator(')');
    return form(at, 'CONVERT(', operand, ` USING ${charset})`);
  }
  cursor.expectOperator(',');
  const type = parseType(cursor);
  cursor.expectOperator(')');
  return form(at, 'CAST(', operand, ` AS ${type})`);
}

function parseType(cursor: Cursor): string {
  const word = cursor.token.kind === 'word' ? cursor.token.value.toUpperCase() : '';
  if (!CAST_TYPES.has(word)) throw cursor.unexpected('a type such as SIGNED, CHAR, DECIMAL or DATE');
  cursor.advance();
  if (word === 'SIGNED' || word === 'UNSIGNED') {
    if (!cursor.accept('INTEGER')) cursor.accept('INT');
    return word;
  }
  let text = word;
  if (cursor.acceptOperator('(')) {
    text += `(${cursor.list(() => parseDigits(cursor, 3)).join(', ')})`;
    cursor.expectOperator(')');
  }
  const hasCharset = cursor.token.value.toUpperCase() === 'CHARSET' || cursor.is('CHARACTER');
  if ((word !== 'CHAR' && word !== 'VARCHAR') || !hasCharset) return text;
  if (cursor.advance().keyword === 'CHARACTER') cursor.expect('SET');
  return `${text} CHARACTER SET ${parseCharset(cursor)}`;
}

/** The plain name of a character set. */
export function parseCharset(cursor: Cursor): string {
  const { kind, value } = cursor.token;
  if (kind !== 'word' || !/^[A-Za-z0-9_]+$/.test(value)) throw cursor.unexpected('a character set');
  cursor.advance();
  return value.toLowerCase();
}

/** `TIMESTAMPDIFF(DAY, earlier, later)`. */
function parseWithUnit(cursor: Cursor, at: number): Expr {
  const { value: name } = cursor.advance();
  cursor.expectOperator('(');
  const unitAt = cursor.token.start;
  const unit = fold(name) === 'get_format' ? parseKind(cursor) : parseUnit(cursor);
  if (unit === undefined) throw cursor.unexpected('a unit such as DAY or MONTH');
  return parseCallRest(cursor, at, name, { kind: 'constant', at: unitAt, value: unit });
}

/** What a format of GET_FORMAT is for. */
function parseKind(cursor: Cursor): string | undefined {
  return ['DATE', 'TIME', 'DATETIME', 'TIMESTAMP'].find((kind) => cursor.accept(kind));
}

const MATCH_MODES: readonly (readonly [string, ...string[]])[] = [
  ['IN', 'NATURAL', 'LANGUAGE', 'MODE', 'WITH', 'QUERY', 'EXPANSION'],
  ['IN', 'NATURAL', 'LANGUAGE', 'MODE'],
  ['IN', 'BOOLEAN', 'MODE'],
  ['WITH', 'QUERY', 'EXPANSION'],
];

/** `MATCH (column, …) AGAINST (text [mode])`. */
function parseMatch(cursor: Cursor, at: number): Form {
  cursor.advance();
  const columns = listForm(at, 'MATCH (', parseArguments(cursor), ')');
  cursor.expect('AGAINST');
  cursor.expectOperator('(');
  const text = cursor.expression(Level.predicate + 1);
  const mode = MATCH_MODES.find((words) => cursor.acceptWords(...words));
  cursor.expectOperator(')');
  const operand = { expr: text, minimum: Level.predicate + 1 };
  const end = mode === undefined ? ')' : ` ${mode.join(' ')})`;
  return { kind: 'form', at, level: Level.primary, parts: [...columns.parts, ' AGAINST (', operand, end] };
}
