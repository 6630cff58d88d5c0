import type { Case, Cast, Expr } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { parseExpr } from './parse-expression.ts';
import { parseOrderBy, parseParenthesizedSelect, parseSelect, startsSelect } from './parse-select.ts';
import { parseOver } from './parse-window.ts';

const CONSTANTS = new Set(['NULL', 'CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP']);

/** An operand: literal, name, call, CASE, CAST, or anything in parentheses. */
export function parsePrimary(cursor: Cursor): Expr {
  const { token } = cursor;
  const { start: at, value } = token;
  switch (token.kind) {
    case 'number':
    case 'blob':
      cursor.advance();
      return { kind: token.kind, at, value };
    case 'string':
      if (cursor.peekOperator('.')) return parseColumn(cursor);
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
      return parseCast(cursor);
    case 'EXISTS':
      cursor.advance();
      return { kind: 'exists', at, select: parseParenthesizedSelect(cursor) };
    case 'RAISE':
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
  const parts = [cursor.name('a column')];
  while (parts.length < 3 && cursor.acceptOperator('.')) parts.push(cursor.name('a column'));
  const name = parts.pop()!;
  const table = parts.pop();
  return { kind: 'name', at, schema: parts.pop(), table, name };
}

/** `name(*)` or `name([DISTINCT] args [ORDER BY …])`, with FILTER and OVER. */
function parseCall(cursor: Cursor): Expr {
  const { start: at, value: name } = cursor.advance();
  cursor.expectOperator('(');
  const star = cursor.acceptOperator('*');
  const distinct = !star && cursor.accept('DISTINCT');
  if (!star && !distinct) cursor.accept('ALL');
  const args = star || cursor.isOperator(')') || cursor.is('ORDER') ? [] : cursor.list(() => parseExpr(cursor));
  const orderBy = parseOrderBy(cursor);
  cursor.expectOperator(')');
  const filter = parseFilter(cursor);
  return { kind: 'call', at, name, distinct, star, args, orderBy, filter, over: parseOver(cursor) };
}

/** FILTER is a keyword only between `)` and `(`. */
function parseFilter(cursor: Cursor): Expr | undefined {
  if (!cursor.is('FILTER') || !cursor.peekOperator('(')) return undefined;
  cursor.advance();
  cursor.advance();
  cursor.expect('WHERE');
  const condition = parseExpr(cursor);
  cursor.expectOperator(')');
  return condition;
}

/** `(SELECT …)`, `(a, b)`, or an expression, whose parentheses leave no trace. */
function parseParenthesized(cursor: Cursor): Expr {
  const at = cursor.advance().start;
  if (startsSelect(cursor)) {
    const select = parseSelect(cursor);
    cursor.expectOperator(')');
    return { kind: 'scalar', at, select };
  }
  const items = cursor.list(() => parseExpr(cursor));
  cursor.expectOperator(')');
  return items.length === 1 ? items[0]! : { kind: 'row', at, items };
}

/** `CASE [operand] WHEN … THEN … [ELSE …] END`. */
function parseCase(cursor: Cursor): Case {
  const at = cursor.advance().start;
  const operand = cursor.is('WHEN') ? undefined : parseExpr(cursor);
  const branches: { condition: Expr; result: Expr }[] = [];
  do {
    cursor.expect('WHEN');
    const condition = parseExpr(cursor);
    cursor.expect('THEN');
    branches.push({ condition, result: parseExpr(cursor) });
  } while (cursor.is('WHEN'));
  const otherwise = cursor.accept('ELSE') ? parseExpr(cursor) : undefined;
  cursor.expect('END');
  return { kind: 'case', at, operand, branches, otherwise };
}

/** `CAST(… AS type)`; a type is any words, perhaps with sizes. */
function parseCast(cursor: Cursor): Cast {
  const at = cursor.advance().start;
  cursor.expectOperator('(');
  const operand = parseExpr(cursor);
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
