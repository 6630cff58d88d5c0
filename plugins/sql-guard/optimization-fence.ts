/**
 * An engine may try a condition of the statement on rows before the policy has left them out; one that fails there, a
 * division by zero, a cast, would tell of rows that are not shown, one question at a time. Where something may fail,
 * the subquery in a table's place gets a limit that no table reaches: engines work such a subquery out by itself.
 */

import {
  type Core,
  type Expr,
  type From,
  forEachInWindow,
  forEachOperand,
  forEachPart,
  forEachTerm,
  Level,
  type Select,
  type SelectSource,
  type Source,
  SqlRefusal,
  someOperand,
} from '../sql-kit/index.ts';
import type { AllowedTable, AllowedTables } from './allowed-tables.ts';
import { type ClauseScope, type ClauseScopes, NO_SCOPE } from './clause-scope.ts';
import { Failures } from './infallible-expressions.ts';

/** Changes, in a resolved statement that reads some of the `tables`, what stands for those with policies. */
export function fenceRows(statement: Select, read: Iterable<AllowedTable>, tables: AllowedTables): void {
  if (!Array.from(read).some(({ rows = [] }) => rows.length > 0)) return;
  const finder = new FailureFinder(tables);
  finder.select(statement, NO_SCOPE, true);
  if (finder.parts.length === 0 || !finder.found) return;
  const { optimizationFence: fence, label } = tables.dialect;
  if (fence === undefined) {
    const what = `Under row security, ${label} may try a condition or value that can fail on rows that are not shown`;
    const hint =
      'Compare columns only with columns and constants of their own type, and calculate in the columns of the outermost SELECT.';
    throw new SqlRefusal('unchecked', what, { line: 1, column: 1 }, hint);
  }
  for (const part of finder.parts) {
    const { texts, params } = part.printed!;
    const printed = { texts: [...texts.slice(0, -1), texts.at(-1) + fence], params };
    Object.assign(part, { printed });
  }
}

class FailureFinder {
  /** What stands for a table of which some rows are left out. */
  readonly parts: SelectSource[] = [];
  found = false;
  readonly #failures: Failures;
  readonly #filtersRows: boolean;
  readonly #scopes: ClauseScopes;

  constructor(tables: AllowedTables) {
    this.#failures = new Failures(tables);
    this.#filtersRows = tables.dialect.infallible.filtersRows === true;
    this.#scopes = this.#failures.scopes;
  }

  /** `isTop`: nothing around the result columns could use them as a condition. */
  select(select: Select, outside: ClauseScope, isTop: boolean): void {
    const around = this.#scopes.with(select, outside, (own, seen) => this.select(own, seen, false));
    this.#core(select.first, around, isTop);
    for (const { core } of select.rest) this.#core(core, around, isTop);
    const scope = this.#scopes.core(select.first, around);
    forEachTerm(select.orderBy, (expr) => this.#inside(expr, scope));
    if (select.limit !== undefined) this.#inside(select.limit, scope);
    if (select.offset !== undefined) this.#inside(select.offset, scope);
  }

  #core(core: Core, around: ClauseScope, isTop: boolean): void {
    const scope = this.#scopes.core(core, around);
    if (core.kind === 'nested') this.select(core.select, around, isTop);
    if (core.kind === 'values') for (const expr of core.rows.flat()) this.#value(expr, scope);
    if (core.kind !== 'core') return;
    const conditions = [core.where, core.having, core.qualify].filter((expr) => expr !== undefined);
    const named = isTop ? namesIn(conditions) : undefined;
    for (const column of core.columns) {
      if (column.kind === 'star') for (const { expr } of column.replace ?? []) this.#value(expr, scope);
      else if (named?.has(column.alias?.toLowerCase() ?? '') === false) this.#inside(column.expr, scope);
      else this.#value(column.expr, scope);
    }
    if (core.from !== undefined) this.#from(core.from, scope);
    for (const condition of conditions) this.#condition(condition, scope);
    for (const expr of [...core.groupBy, ...(core.distinctOn ?? [])]) this.#inside(expr, scope);
    for (const { window } of core.windows) forEachInWindow(window, (expr) => this.#inside(expr, scope));
  }

  #from({ first, joins }: From, scope: ClauseScope): void {
    this.#source(first, scope);
    for (const join of joins) {
      this.#source(join.source, scope);
      if (join.on !== undefined) this.#condition(join.on, this.#scopes.on(join));
      // Columns of one name may have two types.
      if (join.natural || join.using.length > 0) this.found ||= this.#failures.inMerged(join);
    }
  }

  #source(source: Source, scope: ClauseScope): void {
    if (source.kind === 'join') this.#from(source.from, scope);
    if (source.kind === 'function') this.#call(source.args, scope);
    if (source.kind === 'arrays') for (const { expr } of source.arrays) this.#value(expr, scope);
    if (source.kind === 'rows') for (const { call } of source.calls) this.#call(call.args, scope);
    if (source.kind !== 'subquery') return;
    const { first, limit } = source.select;
    if (!source.isPart || first.kind !== 'core') {
      this.select(source.select, this.#scopes.outside(source, scope), false);
      return;
    }
    // Its own mask is tried on every row too.
    for (const column of first.columns) {
      if (column.kind === 'column' && column.expr.kind !== 'name') {
        this.#value(column.expr, this.#scopes.inside(source.select));
      }
    }
    if (first.where !== undefined && limit === undefined) this.parts.push(source);
  }

  /** A function in FROM meets the rows of the sources before it, if it reads them. */
  #call(args: readonly Expr[], scope: ClauseScope): void {
    for (const arg of args) this.#inside(arg, scope);
    this.found ||= args.some(readsColumns);
  }

  /** What may decide over rows. */
  #condition(expr: Expr, scope: ClauseScope): void {
    const terms = expr.kind === 'chain' && expr.level === Level.and ? expr.operands : [expr];
    this.found ||= terms.some((term) => this.#failures.inCondition(term, scope));
    this.#inside(expr, scope);
  }

  /** What a condition around it may read. */
  #value(expr: Expr, scope: ClauseScope): void {
    this.found ||= this.#failures.inValue(expr, scope);
    this.#inside(expr, scope);
  }

  /** Subqueries decide over their rows wherever they stand. */
  #inside(expr: Expr, scope: ClauseScope): void {
    if (this.#filtersRows && expr.kind === 'call' && expr.filter !== undefined) {
      this.found ||= this.#failures.inCondition(expr.filter, scope);
    }
    if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select, scope, false);
    if (expr.kind === 'in' && expr.set.kind === 'subquery' && expr.set.isPart !== true) {
      this.select(expr.set.select, scope, false);
    } else if (expr.kind === 'in' && expr.set.kind !== 'list') this.#source(expr.set, scope);
    forEachOperand(expr, (operand) => this.#inside(operand, scope));
  }
}

function readsColumns(expr: Expr): boolean {
  if (expr.kind === 'name' || expr.kind === 'scalar') return true;
  return someOperand(expr, readsColumns);
}

/** Names without a table, in lower case: they may be those of result columns. */
function namesIn(exprs: readonly Expr[]): ReadonlySet<string> {
  const names = new Set<string>();
  forEachPart(exprs, (expr) => {
    if (expr.kind === 'name' && expr.table === undefined) names.add(expr.name.toLowerCase());
  });
  return names;
}
