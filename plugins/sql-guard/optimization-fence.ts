/**
 * An engine may try a condition of the statement on rows before the policy has left them out; one that fails there, a
 * division by zero, a cast, would tell of rows that are not shown, one question at a time. Where something may fail,
 * the subquery in a table's place gets a limit that no table reaches: engines work such a subquery out by itself.
 */

import { Level } from '../sql-kit/ast/precedence.ts';
import type { Core, Expr, From, Select, SelectSource, Source } from '../sql-kit/ast/tree.ts';
import { forEachInWindow, forEachOperand, forEachTerm } from '../sql-kit/ast/walk.ts';
import type { AllowedTable, AllowedTables } from './allowed-tables.ts';
import { NO_SIGHT, type Sight, type Sights } from './clause-columns.ts';
import { Failures } from './infallible-expressions.ts';

/** Nothing else may follow inside the subquery. */
const FENCES = {
  postgres: ' OFFSET 0',
  sqlite: ' LIMIT -1',
  duckdb: ' LIMIT 9223372036854775807',
  mysql: ' LIMIT 18446744073709551615',
} as const;

/** Changes, in a resolved statement that reads some of the `tables`, what stands for those with policies. */
export function fenceRows(statement: Select, read: Iterable<AllowedTable>, tables: AllowedTables): void {
  if (!Array.from(read).some(({ rows = [] }) => rows.length > 0)) return;
  const finder = new FailureFinder(tables);
  finder.select(statement, NO_SIGHT, true);
  if (finder.parts.length === 0 || !finder.found) return;
  for (const part of finder.parts) {
    const { texts, params } = part.printed!;
    const printed = { texts: [...texts.slice(0, -1), texts.at(-1) + FENCES[tables.dialect.name]], params };
    Object.assign(part, { printed });
  }
}

class FailureFinder {
  /** What stands for a table of which some rows are left out. */
  readonly parts: SelectSource[] = [];
  found = false;
  private readonly failures: Failures;
  private readonly sights: Sights;

  constructor(tables: AllowedTables) {
    this.failures = new Failures(tables);
    this.sights = this.failures.sights;
  }

  /** `isTop`: nothing around the result columns could use them as a condition. */
  select(select: Select, outside: Sight, isTop: boolean): void {
    const around = this.sights.with(select, outside, (own, seen) => this.select(own, seen, false));
    this.core(select.first, around, isTop);
    for (const { core } of select.rest) this.core(core, around, isTop);
    const sight = this.sights.core(select.first, around);
    forEachTerm(select.orderBy, (expr) => this.inside(expr, sight));
    if (select.limit !== undefined) this.inside(select.limit, sight);
    if (select.offset !== undefined) this.inside(select.offset, sight);
  }

  private core(core: Core, around: Sight, isTop: boolean): void {
    const sight = this.sights.core(core, around);
    if (core.kind === 'nested') this.select(core.select, around, isTop);
    if (core.kind === 'values') for (const expr of core.rows.flat()) this.value(expr, sight);
    if (core.kind !== 'core') return;
    const conditions = [core.where, core.having, core.qualify].filter((expr) => expr !== undefined);
    const named = isTop ? namesIn(conditions) : undefined;
    for (const column of core.columns) {
      if (column.kind === 'star') for (const { expr } of column.replace ?? []) this.value(expr, sight);
      else if (named?.has(column.alias?.toLowerCase() ?? '') === false) this.inside(column.expr, sight);
      else this.value(column.expr, sight);
    }
    if (core.from !== undefined) this.from(core.from, sight);
    for (const condition of conditions) this.condition(condition, sight);
    for (const expr of [...core.groupBy, ...(core.distinctOn ?? [])]) this.inside(expr, sight);
    for (const { window } of core.windows) forEachInWindow(window, (expr) => this.inside(expr, sight));
  }

  private from({ first, joins }: From, sight: Sight): void {
    this.source(first, sight);
    for (const join of joins) {
      this.source(join.source, sight);
      if (join.on !== undefined) this.condition(join.on, this.sights.on(join));
      // Columns of one name may have two types.
      if (join.natural || join.using.length > 0) this.found ||= this.failures.inMerged(join);
    }
  }

  private source(source: Source, sight: Sight): void {
    if (source.kind === 'join') this.from(source.from, sight);
    if (source.kind === 'function') this.call(source.args, sight);
    if (source.kind === 'rows') for (const { call } of source.calls) this.call(call.args, sight);
    if (source.kind !== 'subquery') return;
    const { first, limit } = source.select;
    if (!source.isPart || first.kind !== 'core') {
      this.select(source.select, this.sights.outside(source, sight), false);
      return;
    }
    // Its own mask is tried on every row too.
    for (const column of first.columns) {
      if (column.kind === 'column' && column.expr.kind !== 'name') {
        this.value(column.expr, this.sights.inside(source.select));
      }
    }
    if (first.where !== undefined && limit === undefined) this.parts.push(source);
  }

  /** A function in FROM meets the rows of the sources before it, if it reads them. */
  private call(args: readonly Expr[], sight: Sight): void {
    for (const arg of args) this.inside(arg, sight);
    this.found ||= args.some(readsColumns);
  }

  /** What may decide over rows. */
  private condition(expr: Expr, sight: Sight): void {
    const terms = expr.kind === 'chain' && expr.level === Level.and ? expr.operands : [expr];
    this.found ||= terms.some((term) => this.failures.inCondition(term, sight));
    this.inside(expr, sight);
  }

  /** What a condition around it may read. */
  private value(expr: Expr, sight: Sight): void {
    this.found ||= this.failures.inValue(expr, sight);
    this.inside(expr, sight);
  }

  /** Subqueries decide over rows of their own wherever they stand. */
  private inside(expr: Expr, sight: Sight): void {
    if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select, sight, false);
    if (expr.kind === 'in' && expr.set.kind === 'subquery' && expr.set.isPart !== true) {
      this.select(expr.set.select, sight, false);
    } else if (expr.kind === 'in' && expr.set.kind !== 'list') this.source(expr.set, sight);
    forEachOperand(expr, (operand) => this.inside(operand, sight));
  }
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
