/** Reads operands: literals, columns, calls, CASE, CAST, and what stands in parentheses. */
import { fold, isOwnCatalog } from '../ast/names.ts';
import { Level } from '../ast/precedence.ts';
import type { Call, Case, Cast, ColumnRef, Expr, OrderTerm, Select } from '../ast/tree.ts';
import { continuesSelect, parseOrderBy, parseParenthesizedSelect, startsSelect } from './clauses.ts';
import type { Cursor } from './cursor.ts';
import { parseOver } from './window.ts';

const CONSTANTS = new Set(['NULL', 'TRUE', 'FALSE', 'CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP']);

/** An operand: literal, name, call, CASE, CAST, or anything in parentheses. */
export function parsePrimary(cursor: Cursor): Expr {
  const special = cursor.dialect.syntax.primary?.(cursor);
  if (special !== undefined) return special;
  const { token } = cursor;
  const { start: at, value } = token;
  switch (token.kind) {
    case 'number':
    case 'blob':
      cursor.advance();
      return { kind: token.kind, at, value };
    case 'string':
      if (cursor.dialect.syntax.textIsName && cursor.peekOperator('.')) return parseColumn(cursor);
      cursor.advance();
      return { kind: 'string', at, value };
    case 'name':
      return parseColumnOrCall(cursor);
    case 'operator':
      if (value === '(') return parseParenthesized(cursor);
      throw cursor.unexpected();
    case 'word':
      return parseWord(cursor);
    default:
      throw cursor.unexpected('an expression');
  }
}

/** What begins with a word: TRUE and the like, CASE, CAST, EXISTS, a column or a call. */
function parseWord(cursor: Cursor): Expr {
  const { keyword, value, start: at } = cursor.token;
  switch (keyword) {
    case '': {
      const upper = value.length <= 5 ? value.toUpperCase() : '';
      if ((upper === 'TRUE' || upper === 'FALSE') && !cursor.peekOperator('.') && !cursor.peekOperator('(')) {
        cursor.advance();
        return { kind: 'constant', at, value: upper };
      }
      return parseColumnOrCall(cursor);
    }
    case 'CASE':
      return parseCase(cursor);
    case 'CAST':
      return cursor.isName() && !cursor.peekOperator('(') ? parseColumn(cursor) : parseCast(cursor);
    case 'EXISTS':
      if (cursor.isName() && !cursor.peekOperator('(')) return parseColumn(cursor);
      cursor.advance();
      return { kind: 'exists', at, select: parseParenthesizedSelect(cursor) };
    case 'RAISE':
      if (cursor.isName()) return parseColumnOrCall(cursor);
      throw cursor.fail('function', 'RAISE belongs to triggers');
  }
  if (CONSTANTS.has(keyword)) {
    cursor.advance();
    return { kind: 'constant', at, value: keyword };
  }
  if (!cursor.isName()) throw cursor.unexpected('an expression');
  return parseColumnOrCall(cursor);
}

function parseColumnOrCall(cursor: Cursor): Expr {
  return cursor.peekOperator('(') ? parseCall(cursor) : parseColumn(cursor);
}

/** `column`, `table.column` or `schema.table.column`. */
function parseColumn(cursor: Cursor): Expr {
  const at = cursor.token.start;
  skipCatalog(cursor);
  const parts = [cursor.name('a column')];
  while (parts.length < 3 && cursor.acceptOperator('.')) parts.push(cursor.anyName('a column'));
  if (cursor.isOperator('(')) {
    if (cursor.dialect.hasFields && !(parts.length === 2 && SCHEMAS.has(parts[0]!.toLowerCase()))) {
      const method = parts.pop()!;
      return parseMethod(cursor, columnOf(at, parts), method);
    }
    throw cursor.fail(
      'function',
      `"${parts.join('.')}" is not the plain name of a function`,
      `Write ${parts.at(-1)}(…).`,
      at,
    );
  }
  const ref = columnOf(at, parts);
  return ref.schema !== undefined && cursor.dialect.hasFields && cursor.isOperator('.')
    ? parseFields(cursor, ref)
    : ref;
}

/** The database's own name in `database.main.table.column`. */
function skipCatalog(cursor: Cursor): void {
  const { dialect, token } = cursor;
  const hasFour = [1, 3, 5].every((ahead) => cursor.peekOperator('.', ahead));
  if (!hasFour || !isOwnCatalog(token.value, dialect) || fold(cursor.peek(2).value) !== dialect.defaultSchema) return;
  cursor.advance();
  cursor.advance();
}

/** The last of one to three parts is the column's name. */
function columnOf(at: number, parts: string[]): ColumnRef {
  const name = parts.pop()!;
  const table = parts.pop();
  return { kind: 'name', at, schema: parts.pop(), table, name };
}

/** Schemas of DuckDB: before a call they are no columns. */
const SCHEMAS = new Set(['information_schema', 'main', 'pg_catalog', 'system', 'temp']);

/** `value.name(more)` is `name(value, more)`. */
export function parseMethod(cursor: Cursor, operand: Expr, name: string): Call {
  cursor.expectOperator('(');
  const argument = () => cursor.dialect.syntax.argument?.(cursor) ?? cursor.expression();
  const args = [operand, ...(cursor.isOperator(')') ? [] : cursor.list(argument))];
  cursor.expectOperator(')');
  const nothing = { distinct: false, star: false, orderBy: [], filter: undefined, over: undefined };
  return { kind: 'call', at: operand.at, name, args, ...nothing };
}

/** Parts of a column's value, after `schema.table.column`. */
function parseFields(cursor: Cursor, column: Expr): Expr {
  let path = '';
  while (cursor.acceptOperator('.')) path += `."${cursor.anyName('the name of a part').replaceAll('"', '""')}"`;
  return { kind: 'form', at: column.at, level: Level.primary, parts: [{ expr: column, minimum: Level.primary }, path] };
}

/** `name(*)` or `name([DISTINCT] args [ORDER BY …])`, with FILTER and OVER. */
function parseCall(cursor: Cursor): Expr {
  const { start, value } = cursor.advance();
  cursor.expectOperator('(');
  return parseCallRest(cursor, start, value);
}

/** A call from its arguments on, the first of which may have been read already. */
export function parseCallRest(cursor: Cursor, at: number, name: string, known?: Expr): Expr {
  const star = known === undefined && cursor.peekOperator(')') && cursor.acceptOperator('*');
  const distinct = known === undefined && !star && cursor.accept('DISTINCT');
  if (known === undefined && !star && !distinct) cursor.accept('ALL');
  const argument = () => cursor.dialect.syntax.argument?.(cursor) ?? cursor.expression();
  const isEmpty = star || cursor.isOperator(')') || cursor.is('ORDER');
  let args: Expr[] = [];
  if (known !== undefined) args = cursor.acceptOperator(',') ? [known, ...cursor.list(argument)] : [known];
  else if (!isEmpty) args = cursor.list(argument);
  const within = parseOrderBy(cursor);
  const tail = cursor.dialect.syntax.tail?.(cursor);
  cursor.expectOperator(')');
  const afterwards = within.length === 0 ? parseWithinGroup(cursor) : [];
  const orderBy = afterwards.length > 0 ? afterwards : within;
  const filter = parseFilter(cursor);
  const call: Call = { kind: 'call', at, name, distinct, star, args, orderBy, filter, over: parseOver(cursor) };
  if (tail === undefined && afterwards.length === 0) return call;
  return { ...call, tail, withinGroup: afterwards.length > 0 };
}

/** `WITHIN GROUP (ORDER BY …)`. */
function parseWithinGroup(cursor: Cursor): OrderTerm[] {
  if (!cursor.dialect.syntax.isStandard || !cursor.acceptWords('WITHIN', 'GROUP')) return [];
  cursor.expectOperator('(');
  const orderBy = parseOrderBy(cursor);
  cursor.expectOperator(')');
  return orderBy;
}

/** FILTER is a keyword only between `)` and `(`. */
export function parseFilter(cursor: Cursor): Expr | undefined {
  if (!cursor.is('FILTER') || !cursor.peekOperator('(')) return undefined;
  cursor.advance();
  cursor.advance();
  if (!cursor.dialect.syntax.isFriendly || cursor.is('WHERE')) cursor.expect('WHERE');
  const condition = cursor.expression();
  cursor.expectOperator(')');
  return condition;
}

/** `(SELECT …)`, `(a, b)`, or an expression, whose parentheses leave no trace. */
function parseParenthesized(cursor: Cursor): Expr {
  const at = cursor.token.start;
  const content = parseContent(cursor);
  if (content.kind === 'select') return { kind: 'scalar', at, select: content };
  const { items } = content;
  return items.length === 1 ? items[0]! : { kind: 'row', at, items };
}

/** What stands in parentheses: a SELECT, whose own parts may be in parentheses, or expressions. */
export function parseContent(cursor: Cursor): Select | { readonly kind: 'list'; readonly items: readonly Expr[] } {
  cursor.expectOperator('(');
  const select = startsSelect(cursor) ? cursor.select() : undefined;
  if (select !== undefined) {
    cursor.expectOperator(')');
    return select;
  }
  const { isStandard, argument } = cursor.dialect.syntax;
  if (isStandard && cursor.isOperator(')')) throw cursor.unexpected('an expression');
  const first = argument?.(cursor) ?? cursor.expression();
  if (isStandard && first.kind === 'scalar' && continuesSelect(cursor)) {
    const whole = cursor.select({ kind: 'nested', at: first.at, select: first.select });
    cursor.expectOperator(')');
    return whole;
  }
  const items = cursor.acceptOperator(',') ? [first, ...cursor.list(() => cursor.expression())] : [first];
  cursor.expectOperator(')');
  // More parentheses around a SELECT mean nothing.
  return isStandard && items.length === 1 && first.kind === 'scalar' ? first.select : { kind: 'list', items };
}

/** `CASE [operand] WHEN … THEN … [ELSE …] END`. */
function parseCase(cursor: Cursor): Case {
  const at = cursor.advance().start;
  const operand = cursor.is('WHEN') ? undefined : cursor.expression();
  const branches: { condition: Expr; result: Expr }[] = [];
  do {
    cursor.expect('WHEN');
    const condition = cursor.expression();
    cursor.expect('THEN');
    branches.push({ condition, result: cursor.expression() });
  } while (cursor.is('WHEN'));
  const otherwise = cursor.accept('ELSE') ? cursor.expression() : undefined;
  cursor.expect('END');
  return { kind: 'case', at, operand, branches, otherwise };
}

/** `CAST(… AS type)`; a type is any words, perhaps with sizes. */
function parseCast(cursor: Cursor): Cast {
  const at = cursor.advance().start;
  cursor.expectOperator('(');
  const operand = cursor.expression();
  cursor.expect('AS');
  const words: string[] = [];
  while (cursor.isName()) words.push(cursor.advance().value);
  const sizes = words.length > 0 && cursor.acceptOperator('(') ? parseSizes(cursor) : [];
  cursor.expectOperator(')');
  return { kind: 'cast', at, operand, type: { words, sizes } };
}

function parseSizes(cursor: Cursor): string[] {
  const sizes = cursor.list(() => {
    const negative = cursor.acceptOperator('-');
    if (!negative) cursor.acceptOperator('+');
    if (cursor.token.kind !== 'number') throw cursor.unexpected('a number');
    const { value } = cursor.advance();
    return negative ? `-${value}` : value;
  });
  cursor.expectOperator(')');
  return sizes;
}
