/** Reads the clauses and lists that statements, sources, calls and windows have in common. */
import type { Expr, OrderTerm, Select, Values } from '../ast/tree.ts';
import type { Cursor } from './cursor.ts';

/** Whether a reading statement begins here. */
export function startsSelect(cursor: Cursor): boolean {
  return cursor.dialect.syntax.openers.has(cursor.token.keyword);
}

const CONTINUATIONS = new Set(['UNION', 'INTERSECT', 'EXCEPT', 'ORDER', 'LIMIT', 'OFFSET', 'FETCH']);

/** Whether what follows a SELECT in parentheses makes it a part of a larger one. */
export function continuesSelect(cursor: Cursor): boolean {
  return CONTINUATIONS.has(cursor.token.keyword);
}

/** `(SELECT …)`. */
export function parseParenthesizedSelect(cursor: Cursor): Select {
  cursor.expectOperator('(');
  const select = cursor.select();
  cursor.expectOperator(')');
  return select;
}

/** `(name, name)`. */
export function parseNameList(cursor: Cursor): string[] {
  cursor.expectOperator('(');
  const names = cursor.list(() => cursor.name('a column name'));
  cursor.expectOperator(')');
  return names;
}

/** `VALUES (a, b), (c, d)`. */
export function parseValues(cursor: Cursor): Values {
  const at = cursor.token.start;
  const { isStandard, isFriendly } = cursor.dialect.syntax;
  cursor.expect('VALUES');
  const rowWord = isStandard && cursor.is('ROW');
  const rows = [parseValuesRow(cursor, rowWord)];
  // A comma may end them where the engine lets it.
  while (cursor.isOperator(',') && !(isFriendly && !cursor.peekOperator('('))) {
    cursor.advance();
    rows.push(parseValuesRow(cursor, rowWord));
  }
  if (isFriendly) cursor.acceptOperator(',');
  return rowWord ? { kind: 'values', at, rows, rowWord } : { kind: 'values', at, rows };
}

function parseValuesRow(cursor: Cursor, rowWord: boolean): Expr[] {
  if (rowWord) cursor.expect('ROW');
  cursor.expectOperator('(');
  const row = cursor.list(() => cursor.expression());
  cursor.expectOperator(')');
  return row;
}

/** Empty when there is no ORDER BY. */
export function parseOrderBy(cursor: Cursor): OrderTerm[] {
  if (!cursor.accept('ORDER')) return [];
  cursor.expect('BY');
  return cursor.list(() => parseOrderTerm(cursor));
}

/** `expr [ASC | DESC] [NULLS FIRST | LAST]`. */
function parseOrderTerm(cursor: Cursor): OrderTerm {
  const expr = cursor.dialect.syntax.ordering?.(cursor) ?? cursor.expression();
  const direction = cursor.accept('ASC') ? 'ASC' : cursor.accept('DESC') ? 'DESC' : undefined;
  if (!cursor.accept('NULLS')) return { expr, direction, nulls: undefined };
  if (cursor.accept('FIRST')) return { expr, direction, nulls: 'FIRST' };
  cursor.expect('LAST');
  return { expr, direction, nulls: 'LAST' };
}

/** `(a, b)`, possibly empty. */
export function parseArguments(cursor: Cursor): Expr[] {
  cursor.expectOperator('(');
  if (cursor.acceptOperator(')')) return [];
  const args = cursor.list(() => cursor.dialect.syntax.argument?.(cursor) ?? cursor.expression());
  cursor.expectOperator(')');
  return args;
}
