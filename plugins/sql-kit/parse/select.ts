/** Reads SELECT and VALUES with WITH, set operations, ORDER BY and LIMIT. */
import { Level } from '../ast/precedence.ts';
import type { CommonTable, Core, Expr, ResultColumn, Select, SelectCore, SetOperator, With } from '../ast/tree.ts';
import { parseArguments, parseNameList, parseOrderBy, parseParenthesizedSelect, parseValues } from './clauses.ts';
import type { Cursor } from './cursor.ts';
import { parseFrom, parseSource } from './from.ts';
import { parseNamedWindows } from './window.ts';

/** `[WITH …] core [UNION core]… [ORDER BY …] [LIMIT …]`; the first core may have been read already. */
export function parseSelect(cursor: Cursor, known?: Core): Select {
  cursor.enter();
  const at = known?.at ?? cursor.token.start;
  const withClause = known === undefined && cursor.accept('WITH') ? parseWith(cursor) : undefined;
  const first = known ?? parseCore(cursor);
  const rest: { operator: SetOperator; core: Core }[] = [];
  for (let operator = setOperator(cursor); operator !== undefined; operator = setOperator(cursor)) {
    rest.push({ operator, core: parseCore(cursor) });
  }
  const orderBy = parseOrderBy(cursor);
  const end = cursor.dialect.syntax.rows?.(cursor) ?? parseLimit(cursor);
  cursor.leave();
  return { kind: 'select', at, with: withClause, first, rest, orderBy, ...end };
}

/** The common tables after WITH; `undefined` where it names values only. */
function parseWith(cursor: Cursor): With | undefined {
  // Only before a name: a common table may be called so.
  const recursive = cursor.is('RECURSIVE') && cursor.isName(cursor.peek()) && cursor.accept('RECURSIVE');
  const isValue = () => cursor.dialect.syntax.namedValue?.(cursor) === true;
  const tables = cursor.list(() => (isValue() ? [] : [parseCommonTable(cursor)])).flat();
  return tables.length === 0 ? undefined : { recursive, tables };
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

function setOperator(cursor: Cursor): SetOperator | undefined {
  const { isStandard } = cursor.dialect.syntax;
  const all = (operator: 'UNION' | 'INTERSECT' | 'EXCEPT'): SetOperator => {
    if (isStandard && cursor.accept('DISTINCT')) return operator;
    return (isStandard || operator === 'UNION') && cursor.accept('ALL') ? `${operator} ALL` : operator;
  };
  if (cursor.accept('UNION')) {
    const operator = all('UNION') as 'UNION' | 'UNION ALL';
    return isStandard && cursor.acceptWords('BY', 'NAME') ? `${operator} BY NAME` : operator;
  }
  if (cursor.accept('INTERSECT')) return all('INTERSECT');
  return cursor.accept('EXCEPT') ? all('EXCEPT') : undefined;
}

/** One SELECT or VALUES, without what orders and limits the whole. */
function parseCore(cursor: Cursor): Core {
  const at = cursor.token.start;
  const { isStandard, isFriendly, openers } = cursor.dialect.syntax;
  if (isStandard && cursor.isOperator('(')) return { kind: 'nested', at, select: parseParenthesizedSelect(cursor) };
  const special = cursor.dialect.syntax.core?.(cursor);
  if (special !== undefined) return special;
  if (cursor.is('VALUES')) return parseValues(cursor);
  const everything: ResultColumn[] = [{ kind: 'star', at, table: undefined }];
  if (openers.has('TABLE') && cursor.accept('TABLE')) {
    const nothing = { distinct: false, where: undefined, groupBy: [], having: undefined, windows: [] };
    return { kind: 'core', at, columns: everything, from: { first: parseSource(cursor), joins: [] }, ...nothing };
  }
  const before = isFriendly && cursor.accept('FROM') ? parseFrom(cursor) : undefined;
  const selects = cursor.accept('SELECT');
  if (!selects && before === undefined) throw cursor.unexpected('SELECT or VALUES');
  const { selectWords } = cursor.dialect.syntax;
  const skipWords = () => {
    while (selectWords?.has(cursor.token.keyword) && !cursor.peekOperator('.')) cursor.advance();
  };
  if (selects) skipWords();
  const distinct =
    selects && (cursor.accept('DISTINCT') || (selectWords !== undefined && cursor.accept('DISTINCTROW')));
  if (selects) skipWords();
  const distinctOn = distinct && cursor.is('ON') && isFriendly ? parseDistinctOn(cursor) : undefined;
  if (selects && !distinct) cursor.accept('ALL');
  const columns = selects ? parseColumns(cursor) : everything;
  const from = before ?? (cursor.accept('FROM') ? parseFrom(cursor) : undefined);
  const { condition } = cursor.dialect.syntax;
  const where = condition ? condition(cursor, from) : cursor.accept('WHERE') ? cursor.expression() : undefined;
  const groupBy = cursor.is('GROUP') ? parseGroupBy(cursor) : [];
  const withRollup = isStandard && groupBy.length > 0 && cursor.acceptWords('WITH', 'ROLLUP');
  const having = cursor.accept('HAVING') ? cursor.expression() : undefined;
  const windows = cursor.startsWindowClause() ? parseNamedWindows(cursor) : [];
  const core: SelectCore = { kind: 'core', at, distinct, columns, from, where, groupBy, having, windows };
  if (!isStandard) return core;
  const qualify = isFriendly && cursor.accept('QUALIFY') ? cursor.expression() : undefined;
  return { ...core, distinctOn, withRollup, qualify, sample: cursor.dialect.syntax.sample?.(cursor) };
}

function parseDistinctOn(cursor: Cursor) {
  cursor.expect('ON');
  return parseArguments(cursor);
}

/** The result's columns; a comma may end them where the engine lets it. */
function parseColumns(cursor: Cursor): ResultColumn[] {
  const columns = [parseResultColumn(cursor)];
  while (cursor.acceptOperator(',')) {
    if (cursor.is('FROM') && cursor.dialect.syntax.isFriendly) break;
    columns.push(parseResultColumn(cursor));
  }
  return columns;
}

/** `*`, `table.*`, or an expression with or without a name. */
function parseResultColumn(cursor: Cursor): ResultColumn {
  const at = cursor.token.start;
  const { star, isFriendly, longestNamingText } = cursor.dialect.syntax;
  if (cursor.acceptOperator('*')) return star?.(cursor, { kind: 'star', at, table: undefined }) ?? whole(at);
  if (isFriendly && cursor.isName() && cursor.peekOperator(':')) {
    const alias = cursor.advance().value;
    cursor.advance();
    return { kind: 'column', expr: cursor.expression(), alias, text: undefined };
  }
  if (cursor.isName() && cursor.peekOperator('.') && cursor.peekOperator('*', 2)) {
    const table = cursor.advance().value;
    cursor.advance();
    cursor.advance();
    return star?.(cursor, { kind: 'star', at, table }) ?? { kind: 'star', at, table };
  }
  const expr = cursor.expression();
  const end = cursor.peek(-1).end;
  const alias = cursor.alias(true);
  const isNamed =
    alias !== undefined || expr.kind === 'name' || end - at > longestNamingText || namesItself(cursor, expr);
  const written = cursor.text.slice(at, end);
  const label = alias !== undefined || expr.kind === 'name' ? undefined : labelOf(written);
  return { kind: 'column', expr, alias, text: isNamed ? undefined : written, label };
}

/** Shorter than the longest alias of any engine, and without comments. */
const labelOf = (text: string) => (/--|\/\*|#/.test(text) ? 'value' : text.slice(0, 200));

/** Outside SQLite texts and constants name their columns by what they are, however they are written. */
function namesItself(cursor: Cursor, expr: Expr): boolean {
  if (!cursor.dialect.syntax.isStandard) return false;
  return expr.kind === 'string' || (expr.kind === 'constant' && /^(?:TRUE|FALSE|NULL)$/.test(expr.value));
}

const whole = (at: number): ResultColumn => ({ kind: 'star', at, table: undefined });

function parseGroupBy(cursor: Cursor) {
  cursor.expect('GROUP');
  cursor.expect('BY');
  return cursor.list(() => cursor.dialect.syntax.grouping?.(cursor) ?? cursor.expression());
}

/** `LIMIT n [OFFSET m]`, or `LIMIT m, n`. */
function parseLimit(cursor: Cursor): Pick<Select, 'limit' | 'offset'> {
  const { isStandard } = cursor.dialect.syntax;
  if (isStandard && (cursor.is('OFFSET') || cursor.is('FETCH'))) return parseFetch(cursor);
  if (!cursor.accept('LIMIT')) return { limit: undefined, offset: undefined };
  if (isStandard && cursor.accept('ALL')) return parseFetch(cursor);
  const first = cursor.dialect.syntax.limit?.(cursor) ?? cursor.expression();
  if (cursor.accept('OFFSET')) return { limit: first, offset: parseOffset(cursor) };
  if (cursor.acceptOperator(',')) return { limit: cursor.expression(), offset: first };
  return { limit: first, offset: undefined };
}

/** `OFFSET m ROWS FETCH FIRST n ROWS ONLY`, or `OFFSET m LIMIT n`. */
function parseFetch(cursor: Cursor): Pick<Select, 'limit' | 'offset'> {
  const offset = cursor.accept('OFFSET') ? parseOffset(cursor) : undefined;
  if (cursor.accept('LIMIT')) return { limit: cursor.dialect.syntax.limit?.(cursor) ?? cursor.expression(), offset };
  if (!cursor.accept('FETCH')) return { limit: undefined, offset };
  if (!cursor.accept('FIRST')) cursor.expect('NEXT');
  const at = cursor.token.start;
  const limit: Expr =
    cursor.is('ROW') || cursor.is('ROWS') ? { kind: 'number', at, value: '1' } : cursor.expression(Level.primary);
  if (!cursor.accept('ROWS')) cursor.expect('ROW');
  cursor.expect('ONLY');
  return { limit, offset };
}

function parseOffset(cursor: Cursor): Expr {
  const offset = cursor.expression();
  if (cursor.dialect.syntax.isStandard && !cursor.accept('ROWS')) cursor.accept('ROW');
  return offset;
}
