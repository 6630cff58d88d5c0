import type { CommonTable, Core, OrderTerm, ResultColumn, Select, SetOperator, With } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { parseExpr } from './parse-expression.ts';
import { parseFrom } from './parse-from.ts';
import { parseNamedWindows } from './parse-window.ts';

/** Whether a reading statement begins here. */
export function startsSelect(cursor: Cursor): boolean {
  return cursor.is('SELECT') || cursor.is('VALUES') || cursor.is('WITH');
}

/** `[WITH …] core [UNION core]… [ORDER BY …] [LIMIT …]`. */
export function parseSelect(cursor: Cursor): Select {
  cursor.enter();
  const at = cursor.token.start;
  const withClause = cursor.accept('WITH') ? parseWith(cursor) : undefined;
  const first = parseCore(cursor);
  const rest: { operator: SetOperator; core: Core }[] = [];
  for (let operator = setOperator(cursor); operator !== undefined; operator = setOperator(cursor)) {
    rest.push({ operator, core: parseCore(cursor) });
  }
  const orderBy = parseOrderBy(cursor);
  const { limit, offset } = parseLimit(cursor);
  cursor.leave();
  return { kind: 'select', at, with: withClause, first, rest, orderBy, limit, offset };
}

/** `(SELECT …)`. */
export function parseParenthesizedSelect(cursor: Cursor): Select {
  cursor.expectOperator('(');
  const select = parseSelect(cursor);
  cursor.expectOperator(')');
  return select;
}

function parseWith(cursor: Cursor): With {
  const recursive = cursor.accept('RECURSIVE');
  return { recursive, tables: cursor.list(() => parseCommonTable(cursor)) };
}

/** `name [(columns)] AS [[NOT] MATERIALIZED] (SELECT …)`. */
function parseCommonTable(cursor: Cursor): CommonTable {
  const at = cursor.token.start;
  const name = cursor.name('the name of a common table');
  const columns = cursor.isOperator('(') ? parseNameList(cursor) : [];
  cursor.expect('AS');
  let materialized: boolean | undefined;
  if (cursor.accept('MATERIALIZED')) materialized = true;
  else if (cursor.accept('NOT')) {
    cursor.expect('MATERIALIZED');
    materialized = false;
  }
  return { at, name, columns, materialized, select: parseParenthesizedSelect(cursor) };
}

/** `(name, name)`. */
export function parseNameList(cursor: Cursor): string[] {
  cursor.expectOperator('(');
  const names = cursor.list(() => cursor.name('a column name'));
  cursor.expectOperator(')');
  return names;
}

function setOperator(cursor: Cursor): SetOperator | undefined {
  if (cursor.accept('UNION')) return cursor.accept('ALL') ? 'UNION ALL' : 'UNION';
  if (cursor.accept('INTERSECT')) return 'INTERSECT';
  return cursor.accept('EXCEPT') ? 'EXCEPT' : undefined;
}

/** One SELECT or VALUES, without what orders and limits the whole. */
function parseCore(cursor: Cursor): Core {
  const at = cursor.token.start;
  if (cursor.accept('VALUES')) {
    return { kind: 'values', at, rows: cursor.list(() => parseValuesRow(cursor)) };
  }
  if (!cursor.accept('SELECT')) throw cursor.unexpected('SELECT or VALUES');
  const distinct = cursor.accept('DISTINCT');
  if (!distinct) cursor.accept('ALL');
  const columns = cursor.list(() => parseResultColumn(cursor));
  const from = cursor.accept('FROM') ? parseFrom(cursor) : undefined;
  const where = cursor.accept('WHERE') ? parseExpr(cursor) : undefined;
  const groupBy = cursor.is('GROUP') ? parseGroupBy(cursor) : [];
  const having = cursor.accept('HAVING') ? parseExpr(cursor) : undefined;
  const windows = cursor.startsWindowClause() ? parseNamedWindows(cursor) : [];
  return { kind: 'core', at, distinct, columns, from, where, groupBy, having, windows };
}

function parseValuesRow(cursor: Cursor) {
  cursor.expectOperator('(');
  const row = cursor.list(() => parseExpr(cursor));
  cursor.expectOperator(')');
  return row;
}

/** `*`, `table.*`, or an expression with or without a name. */
function parseResultColumn(cursor: Cursor): ResultColumn {
  const at = cursor.token.start;
  if (cursor.acceptOperator('*')) return { kind: 'star', at, table: undefined };
  if (cursor.isName() && cursor.peekOperator('.') && cursor.peekOperator('*', 2)) {
    const table = cursor.advance().value;
    cursor.advance();
    cursor.advance();
    return { kind: 'star', at, table };
  }
  const expr = parseExpr(cursor);
  const end = cursor.peek(-1).end;
  const alias = cursor.alias();
  const text = alias === undefined && expr.kind !== 'name' ? cursor.text.slice(at, end) : undefined;
  return { kind: 'column', expr, alias, text };
}

function parseGroupBy(cursor: Cursor) {
  cursor.expect('GROUP');
  cursor.expect('BY');
  return cursor.list(() => parseExpr(cursor));
}

/** Empty when there is no ORDER BY. */
export function parseOrderBy(cursor: Cursor): OrderTerm[] {
  if (!cursor.accept('ORDER')) return [];
  cursor.expect('BY');
  return cursor.list(() => parseOrderTerm(cursor));
}

/** `expr [ASC | DESC] [NULLS FIRST | LAST]`. */
function parseOrderTerm(cursor: Cursor): OrderTerm {
  const expr = parseExpr(cursor);
  const direction = cursor.accept('ASC') ? 'ASC' : cursor.accept('DESC') ? 'DESC' : undefined;
  if (!cursor.accept('NULLS')) return { expr, direction, nulls: undefined };
  if (cursor.accept('FIRST')) return { expr, direction, nulls: 'FIRST' };
  cursor.expect('LAST');
  return { expr, direction, nulls: 'LAST' };
}

/** `LIMIT n [OFFSET m]`, or `LIMIT m, n`. */
function parseLimit(cursor: Cursor): Pick<Select, 'limit' | 'offset'> {
  if (!cursor.accept('LIMIT')) return { limit: undefined, offset: undefined };
  const first = parseExpr(cursor);
  if (cursor.accept('OFFSET')) return { limit: first, offset: parseExpr(cursor) };
  if (cursor.acceptOperator(',')) return { limit: parseExpr(cursor), offset: first };
  return { limit: first, offset: undefined };
}
