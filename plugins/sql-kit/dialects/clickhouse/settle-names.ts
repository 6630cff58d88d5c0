/**
 * Has names mean in ClickHouse what the guard took them for. A name in a SELECT is that of a column of its result or of a
 * source of its FROM, never of both, but for a table as it stands, `SELECT count() AS orders FROM orders`: what stands in
 * such a table's place gets another name. And a WITH before a set operation is copied into each of its parts behind the
 * part's own, and without RECURSIVE, so that names in it are looked up as tables: the whole is put into a subquery.
 */
import type { Core, Expr, From, Select, SelectSource, Source } from '../../ast/tree.ts';
import { forEachInWindow, forEachOperand, forEachTerm } from '../../ast/walk.ts';
import { OWN_PREFIX } from './names.ts';

/** Names of sources to the names that they have now, and names that the SELECTs around give to columns. */
interface Names {
  readonly renamed: ReadonlyMap<string, string>;
  readonly columns: ReadonlySet<string | undefined>;
}

export function settleNames(select: Select, outer: Names = { renamed: new Map(), columns: new Set() }): void {
  if (select.with !== undefined && (select.rest.length > 0 || select.first.kind === 'nested')) enclose(select);
  for (const table of select.with?.tables ?? []) settleNames(table.select, outer);
  const first = inCore(select.first, outer);
  for (const { core } of select.rest) inCore(core, outer);
  forEachTerm(select.orderBy, (expr) => inExpr(expr, first));
  for (const expr of [select.limit, select.offset]) if (expr !== undefined) inExpr(expr, first);
}

/**
 * `WITH … SELECT * FROM (a UNION ALL b …)`: order and limit belong to the last part, and stay with it; those behind a
 * SELECT in parentheses belong to the whole.
 */
function enclose(select: Select): void {
  const { at, first, rest, orderBy, limit, offset } = select;
  const none = { orderBy: [], limit: undefined, offset: undefined };
  const [outside, inside] = rest.length > 0 ? [none, { orderBy, limit, offset }] : [{}, none];
  const inner: Select = { kind: 'select', at, with: undefined, first, rest, ...inside };
  const from: From = { first: { kind: 'subquery', at, select: inner, alias: undefined }, joins: [] };
  const nothing = { distinct: false, where: undefined, groupBy: [], having: undefined, windows: [] };
  const whole: Core = { kind: 'core', at, columns: [{ kind: 'star', at, table: undefined }], from, ...nothing };
  Object.assign(select, { first: whole, rest: [], ...outside });
}

/** What the names of the SELECT's sources, and of those around it, are within it. */
function inCore(core: Core, outer: Names): Names {
  if (core.kind === 'nested') settleNames(core.select, outer);
  if (core.kind === 'values') for (const expr of core.rows.flat()) inExpr(expr, outer);
  if (core.kind !== 'core') return outer;
  const sources = core.from === undefined ? [] : sourcesOf(core.from);
  const columns = new Set(outer.columns);
  for (const column of core.columns) if (column.kind === 'column') columns.add(column.alias);
  const renamed = new Map(outer.renamed);
  const own: Names = { renamed, columns };
  for (const source of sources) {
    const name = source.alias ?? (source.kind === 'table' ? source.name : undefined);
    if (name === undefined) continue;
    renamed.delete(name);
    if (source.kind !== 'subquery' || !source.isPart || !columns.has(name)) continue;
    const alias = OWN_PREFIX + name;
    renamed.set(name, alias);
    Object.assign(source, { alias } satisfies Partial<SelectSource>);
  }
  const visit = (expr: Expr) => inExpr(expr, own);
  for (const source of sources) inSource(source, own);
  for (const join of joinsOf(core.from)) if (join.on !== undefined) visit(join.on);
  for (const column of core.columns) {
    if (column.kind === 'column') visit(column.expr);
    else if (renamed.has(column.table ?? '')) Object.assign(column, { table: renamed.get(column.table!) });
  }
  for (const expr of [core.where, core.having, core.qualify]) if (expr !== undefined) visit(expr);
  for (const expr of [...core.groupBy, ...(core.distinctOn ?? [])]) visit(expr);
  for (const { window } of core.windows) forEachInWindow(window, visit);
  return own;
}

function joinsOf(from: From | undefined): From['joins'] {
  if (from === undefined) return [];
  const own = [from.first, ...from.joins.map(({ source }) => source)];
  return [...from.joins, ...own.flatMap((source) => (source.kind === 'join' ? joinsOf(source.from) : []))];
}

const sourcesOf = ({ first, joins }: From): Source[] =>
  [first, ...joins.map(({ source }) => source)].flatMap((source) =>
    source.kind === 'join' ? [source, ...sourcesOf(source.from)] : [source],
  );

function inSource(source: Source, names: Names): void {
  if (source.kind === 'subquery' && !source.isPart) settleNames(source.select, names);
  if (source.kind === 'function') for (const arg of source.args) inExpr(arg, names);
  if (source.kind === 'arrays') for (const { expr } of source.arrays) inExpr(expr, names);
}

function inExpr(expr: Expr, names: Names): void {
  if (expr.kind === 'name') {
    const { schema, table } = expr;
    const renamed = names.renamed.get(schema ?? table ?? '');
    if (renamed !== undefined) Object.assign(expr, schema === undefined ? { table: renamed } : { schema: renamed });
  }
  if (expr.kind === 'scalar' || expr.kind === 'exists') settleNames(expr.select, names);
  if (expr.kind === 'in' && expr.set.kind !== 'list') inSource(expr.set, names);
  forEachOperand(expr, (operand) => inExpr(operand, names));
}
