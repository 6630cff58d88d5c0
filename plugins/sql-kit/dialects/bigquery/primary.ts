/** Reads operands that BigQuery has and SQLite has not: typed literals, arrays, structs, casts, paths, and calls with what they take. */
import { form, listForm } from '../../ast/forms.ts';
import { fold } from '../../ast/names.ts';
import { Level } from '../../ast/precedence.ts';
import type { Call, ColumnRef, Expr, Form } from '../../ast/tree.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { parseCallRest } from '../../parse/primary.ts';
import { parseText } from '../../parse/shared-syntax.ts';
import { parseOver } from '../../parse/window.ts';
import { FUNCTION_GROUPS } from './functions.ts';
import { printBytes, printName } from './names.ts';
import { datePart, intervalUnit, isLiteralType, parseType, typeArguments } from './types.ts';

/** Reserved words that are called like functions. */
const CALLED = new Set(['COLLATE', 'GROUPING', 'IF', 'LEFT', 'RANGE', 'RIGHT']);

/** `undefined`, with nothing consumed, for all that every engine has. */
export function parseBigqueryPrimary(cursor: Cursor): Expr | undefined {
  const { kind, value, start: at, keyword } = cursor.token;
  if (kind === 'blob') {
    cursor.advance();
    return form(at, printBytes(value));
  }
  if (cursor.isOperator('[')) return parseItems(cursor, at, '');
  if (kind === 'name') return parsePath(cursor, at);
  if (kind !== 'word') return undefined;
  if (/^\d/.test(value)) return digits(cursor, at);
  const special = SPECIAL[keyword]?.(cursor, at);
  if (special !== undefined) return special;
  if (isLiteralType(value) && cursor.peek().kind === 'string') return parseTyped(cursor, at, value.toUpperCase());
  if (keyword.startsWith('CURRENT_')) return parseMoment(cursor, at, keyword);
  const isCalled = CALLED.has(keyword) && cursor.peekOperator('(');
  return isCalled || cursor.isName() ? parsePath(cursor, at) : undefined;
}

const SPECIAL: Readonly<Record<string, (cursor: Cursor, at: number) => Expr | undefined>> = {
  ARRAY: parseArray,
  AS: parseValueTable,
  CAST: parseCast,
  EXTRACT: parseExtract,
  INTERVAL: parseInterval,
  RANGE: (cursor, at) => (cursor.peekOperator('<') ? parseTyped(cursor, at, 'RANGE') : undefined),
  SAFE_CAST: (cursor, at) => (cursor.peekOperator('(') ? parseCast(cursor, at) : undefined),
  STRUCT: parseStruct,
};

/** What the lexer took for a part of a name with dashes, in `a-1-b`. */
function digits(cursor: Cursor, at: number): Expr {
  const { value } = cursor.token;
  if (!/^(?:\d+(?:e\d+)?|0x[\da-f]+)$/i.test(value)) throw cursor.unexpected('an expression');
  cursor.advance();
  return { kind: 'number', at, value };
}

// ── literals ────────────────────────────────────────────────────────────────────────────────────────────────────

/** `DATE '2024-01-31'`, `JSON '{}'`, `RANGE<DATE> '[2024-01-01, UNBOUNDED)'`. */
function parseTyped(cursor: Cursor, at: number, word: string): Form {
  cursor.advance();
  const type = word === 'RANGE' ? word + typeArguments(cursor, word) : word;
  return form(at, `${type} `, parseText(cursor));
}

/** `CURRENT_DATE`, with empty parentheses or none; with a time zone it is a call. */
function parseMoment(cursor: Cursor, at: number, word: string): Expr {
  if (cursor.peekOperator('(') && !cursor.peekOperator(')', 2)) return parsePath(cursor, at);
  cursor.advance();
  if (cursor.acceptOperator('(')) cursor.advance();
  return { kind: 'constant', at, value: word };
}

/** `INTERVAL 1 DAY`, `INTERVAL '1-2' YEAR TO MONTH`. */
function parseInterval(cursor: Cursor, at: number): Form {
  cursor.advance();
  const amount = cursor.expression();
  return form(at, 'INTERVAL ', amount, ` ${intervalUnit(cursor)}`);
}

/** `ARRAY[a, b]`, `ARRAY<INT64>[]`, `ARRAY(SELECT …)`. */
function parseArray(cursor: Cursor, at: number): Form {
  cursor.advance();
  if (cursor.acceptOperator('(')) {
    const select = cursor.select();
    cursor.expectOperator(')');
    // A subquery brings its own parentheses.
    return form(at, 'ARRAY', { kind: 'scalar', at, select });
  }
  return parseItems(cursor, at, cursor.isOperator('<') ? `ARRAY${typeArguments(cursor, 'ARRAY')}` : 'ARRAY');
}

function parseItems(cursor: Cursor, at: number, opening: string): Form {
  cursor.expectOperator('[');
  const items = cursor.isOperator(']') ? [] : cursor.list(() => cursor.expression());
  cursor.expectOperator(']');
  return listForm(at, `${opening}[`, items, ']');
}

/** `STRUCT(1 AS a, b)`, `STRUCT<a INT64>(1)`. */
function parseStruct(cursor: Cursor, at: number): Form {
  cursor.advance();
  const opening = cursor.isOperator('<') ? `STRUCT${typeArguments(cursor, 'STRUCT')}(` : 'STRUCT(';
  cursor.expectOperator('(');
  const items = cursor.isOperator(')') ? [] : cursor.list(() => named(cursor));
  cursor.expectOperator(')');
  return listForm(at, opening, items, ')');
}

/** `expression AS name`. */
function named(cursor: Cursor): Expr {
  const expr = cursor.expression();
  const name = cursor.accept('AS') ? cursor.anyName('a name after AS') : undefined;
  return name === undefined ? expr : form(expr.at, expr, ` AS ${printName(name)}`);
}

// ── what has words inside ───────────────────────────────────────────────────────────────────────────────────────

/** `AS STRUCT a, b` or `AS VALUE a` right after SELECT: the words are printed with the first column. */
function parseValueTable(cursor: Cursor, at: number): Form | undefined {
  if (!['SELECT', 'DISTINCT', 'ALL'].includes(cursor.peek(-1).keyword)) return undefined;
  const word = ['STRUCT', 'VALUE'].find((choice) => cursor.acceptWords('AS', choice));
  if (word === undefined) throw cursor.unexpected('an expression');
  if (cursor.isOperator('*')) {
    throw cursor.fail('syntax', `SELECT AS ${word} with a star is not read here`, 'Name each column.');
  }
  return form(at, `AS ${word} `, cursor.expression());
}

/** `CAST(a AS type FORMAT 'YYYY')`, `SAFE_CAST(…)`. */
function parseCast(cursor: Cursor, at: number): Form {
  const { keyword } = cursor.advance();
  cursor.expectOperator('(');
  const operand = cursor.expression();
  cursor.expect('AS');
  const type = parseType(cursor);
  const parts = cursor.accept('FORMAT') ? [` AS ${type} FORMAT `, cursor.expression()] : [` AS ${type}`];
  cursor.expectOperator(')');
  return form(at, `${keyword}(`, operand, ...parts, ')');
}

/** `EXTRACT(WEEK(MONDAY) FROM a)`. */
function parseExtract(cursor: Cursor, at: number): Form {
  cursor.advance();
  cursor.expectOperator('(');
  const part = datePart(cursor);
  if (part === undefined) throw cursor.unexpected('a part of a date, such as YEAR');
  cursor.expect('FROM');
  const operand = cursor.expression();
  cursor.expectOperator(')');
  return form(at, `EXTRACT(${part} FROM `, operand, ')');
}

// ── names and calls ─────────────────────────────────────────────────────────────────────────────────────────────

/** `column.field.field`, `NET.HOST(…)`, `SAFE.SUBSTR(…)`. */
function parsePath(cursor: Cursor, at: number): Expr {
  const parts = [pathPart(cursor)];
  while (cursor.isOperator('.') && !cursor.peekOperator('*')) {
    cursor.advance();
    parts.push(pathPart(cursor));
  }
  return cursor.isOperator('(') ? parseCall(cursor, at, parts) : reference(at, parts);
}

function pathPart(cursor: Cursor): string {
  const { value, kind } = cursor.token;
  if (kind === 'name' && value.includes('.')) {
    throw cursor.fail(
      'syntax',
      `"${value.slice(0, 60)}" holds a dot, as only names of tables do`,
      'Quote each part by itself.',
    );
  }
  cursor.anyName('a column');
  return value;
}

/** A column and the fields of its value. */
export function reference(at: number, parts: readonly string[]): Expr {
  const [name, table, schema] = parts.slice(0, 3).reverse();
  const column: ColumnRef = { kind: 'name', at, schema, table, name: name! };
  if (parts.length <= 3) return column;
  const fields = parts.slice(3).map((part) => `.${printName(part)}`);
  return { kind: 'form', at, level: Level.primary, parts: [{ expr: column, minimum: Level.primary }, fields.join('')] };
}

/** Which argument of a function is a part of a date. */
const PART_PLACES: ReadonlyMap<string, number> = new Map([
  ...['date', 'datetime', 'timestamp', 'time'].flatMap((type): [string, number][] => [
    [`${type}_trunc`, 1],
    [`${type}_diff`, 2],
  ]),
  ['last_day', 1],
]);

function parseCall(cursor: Cursor, at: number, parts: readonly string[]): Expr {
  const isSafe = parts.length > 1 && fold(parts[0]!) === 'safe';
  const [name, group, other] = parts.slice(isSafe ? 1 : 0).reverse();
  if (other !== undefined || (group !== undefined && !FUNCTION_GROUPS.has(fold(group)))) {
    const hint = 'Functions of datasets, models and keys are not called here: write the plain name of a function.';
    throw cursor.fail('function', `"${parts.join('.')}" is not the plain name of a function`, hint, at);
  }
  cursor.expectOperator('(');
  const place = group === undefined ? PART_PLACES.get(fold(name!)) : undefined;
  let call = place === undefined ? (parseCallRest(cursor, at, name!) as Call) : callWithPart(cursor, at, name!, place);
  if (group !== undefined) call = { ...call, schema: fold(group), name: fold(name!) };
  return isSafe ? form(at, 'SAFE.', call) : call;
}

/** `DATE_TRUNC(a, MONTH)`: the word is no column. */
function callWithPart(cursor: Cursor, at: number, name: string, place: number): Call {
  const args: Expr[] = [];
  do {
    const { start } = cursor.token;
    const part = args.length === place ? datePart(cursor) : undefined;
    args.push(part === undefined ? cursor.expression() : { kind: 'constant', at: start, value: part });
  } while (cursor.acceptOperator(','));
  cursor.expectOperator(')');
  const plain = { distinct: false, star: false, orderBy: [], filter: undefined };
  return { kind: 'call', at, name, args, ...plain, over: parseOver(cursor) };
}

/** `a IGNORE NULLS`, `a HAVING MAX b`, `name => a`, or a plain expression. */
export function argument(cursor: Cursor): Expr {
  const { start: at, value } = cursor.token;
  if (cursor.isName() && cursor.peekOperator('=>')) {
    cursor.advance();
    cursor.advance();
    return form(at, `${printName(value)} => `, cursor.expression());
  }
  const expr = cursor.expression();
  const parts: (string | Expr)[] = [expr];
  for (const word of ['IGNORE', 'RESPECT']) if (cursor.acceptWords(word, 'NULLS')) parts.push(` ${word} NULLS`);
  if (cursor.accept('HAVING')) {
    const extreme = cursor.token.value.toUpperCase();
    if (extreme !== 'MAX' && extreme !== 'MIN') throw cursor.unexpected('MAX or MIN');
    cursor.advance();
    parts.push(` HAVING ${extreme} `, cursor.expression());
  }
  return parts.length === 1 ? expr : form(at, ...parts);
}

/** `LIMIT 3`, inside the parentheses of ARRAY_AGG. */
export function tail(cursor: Cursor): Form | undefined {
  const at = cursor.token.start;
  if (!cursor.accept('LIMIT')) return undefined;
  const { kind, value } = cursor.token;
  if (kind !== 'number' || !/^\d+$/.test(value)) throw cursor.unexpected('a number');
  cursor.advance();
  return form(at, ` LIMIT ${value}`);
}
