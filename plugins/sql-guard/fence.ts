/**
 * An engine may try a condition of the statement on rows before the policy has left them out; one that fails there, a
 * division by zero, a cast, would tell of rows that are not shown, one question at a time. Where something may fail,
 * the subquery in a table's place gets a limit that no table reaches: engines work such a subquery out by itself.
 */
import type { Core, Expr, From, Select, SelectSource, Source } from './ast.ts';
import type { SqlDialect } from './dialect.ts';
import { Level } from './precedence.ts';
import type { AllowedTable } from './tables.ts';
import { canFail, hasAggregate } from './total.ts';
import { forEachInWindow, forEachOperand, forEachTerm } from './walk.ts';

/** Nothing else may follow inside the subquery. */
const FENCES = {
  postgres: ' OFFSET 0',
  sqlite: ' LIMIT -1',
  duckdb: ' LIMIT 9223372036854775807',
  mysql: ' LIMIT 18446744073709551615',
} as const;

/** Changes, in a resolved statement that reads `tables`, what stands for those with policies, if anything may fail. */
export function fenceRows(statement: Select, tables: Iterable<AllowedTable>, { name }: SqlDialect): void {
  if (!Array.from(tables).some(({ rows = [] }) => rows.length > 0)) return;
  const finder = new FailureFinder(name);
  finder.select(statement, true);
  if (finder.parts.length === 0 || !finder.found) return;
  for (const part of finder.parts) {
    const { texts, params } = part.printed!;
    const printed = { texts: [...texts.slice(0, -1), texts.at(-1) + FENCES[name]], params };
    Object.assign(part, { printed });
  }
}

class FailureFinder {
  /** What stands for a table of which some rows are left out. */
  readonly parts: SelectSource[] = [];
  found = false;
  private readonly dialect: SqlDialect['name'];

  constructor(dialect: SqlDialect['name']) {
    this.dialect = dialect;
  }

  /** `isTop`: nothing around the result columns could use them as a condition. */
  select(select: Select, isTop: boolean): void {
    if (select.with !== undefined) for (const table of select.with.tables) this.select(table.select, false);
    this.core(select.first, isTop);
    for (const { core } of select.rest) this.core(core, isTop);
    forEachTerm(select.orderBy, this.inside);
    if (select.limit !== undefined) this.inside(select.limit);
    if (select.offset !== undefined) this.inside(select.offset);
  }

  private core(core: Core, isTop: boolean): void {
    if (core.kind === 'nested') this.select(core.select, isTop);
    if (core.kind === 'values') for (const expr of core.rows.flat()) this.condition(expr);
    if (core.kind !== 'core') return;
    const conditions = [core.where, core.having, core.qualify].filter((expr) => expr !== undefined);
    const named = isTop ? namesIn(conditions) : undefined;
    for (const column of core.columns) {
      if (column.kind === 'star') for (const { expr } of column.replace ?? []) this.condition(expr);
      else if (named?.has(column.alias?.toLowerCase() ?? '') === false) this.inside(column.expr);
      else this.condition(column.expr);
    }
    if (core.from !== undefined) this.from(core.from);
    for (const condition of conditions) this.condition(condition);
    core.groupBy.forEach(this.inside);
    core.distinctOn?.forEach(this.inside);
    for (const { window } of core.windows) forEachInWindow(window, this.inside);
  }

  private from({ first, joins }: From): void {
    this.source(first);
    for (const { source, on, using, natural } of joins) {
      this.source(source);
      if (on !== undefined) this.condition(on);
      // Columns of one name may have two types.
      if ((natural || using.length > 0) && this.dialect === 'duckdb') this.found = true;
    }
  }

  private source(source: Source): void {
    if (source.kind === 'join') this.from(source.from);
    if (source.kind === 'function') this.call(source.args);
    if (source.kind === 'rows') for (const { call } of source.calls) this.call(call.args);
    if (source.kind !== 'subquery') return;
    const { first, limit } = source.select;
    if (!source.isPart || first.kind !== 'core') {
      this.select(source.select, false);
      return;
    }
    // Its own mask is tried on every row too.
    for (const column of first.columns) {
      if (column.kind === 'column' && column.expr.kind !== 'name') this.condition(column.expr);
    }
    if (first.where !== undefined && limit === undefined) this.parts.push(source);
  }

  /** A function in FROM meets the rows of the sources before it, if it reads them. */
  private call(args: readonly Expr[]): void {
    for (const arg of args) this.inside(arg);
    this.found ||= args.some(readsColumns);
  }

  /** What may decide over rows. */
  private condition(expr: Expr): void {
    const terms = expr.kind === 'chain' && expr.level === Level.and ? expr.operands : [expr];
    this.found ||= terms.some((term) => canFail(term, this.dialect) && !hasAggregate(term));
    this.inside(expr);
  }

  /** Subqueries decide over rows of their own wherever they stand. */
  private readonly inside = (expr: Expr): void => {
    if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select, false);
    if (expr.kind === 'in' && expr.set.kind !== 'list') this.source(expr.set);
    forEachOperand(expr, this.inside);
  };
}

function readsColumns(expr: Expr): boolean {
  if (expr.kind === 'name' || expr.kind === 'scalar') return true;
  let found = false;
  forEachOperand(expr, (operand) => {
    found ||= readsColumns(operand);
  });
  return found;
}

/** Names without a table, in lower case: they may be those of result columns. */
function namesIn(exprs: readonly Expr[]): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (expr: Expr): void => {
    if (expr.kind === 'name' && expr.table === undefined) names.add(expr.name.toLowerCase());
    forEachOperand(expr, visit);
  };
  exprs.forEach(visit);
  return names;
}
