/** Works out which columns tell the rows of a grouped or distinct subquery apart. */
import type { Expr, SelectCore } from '../sql-kit/index.ts';
import { hasAggregate } from './aggregate-calls.ts';
import type { Column, RowSet, RowSource } from './row-set.ts';
import { lower, type Scope } from './scope.ts';

const GROUPING_CALLS = new Set(['rollup', 'cube', 'grouping_sets']);

/** Which of more columns determine others is not worked out, which bounds the time. */
const MAX_KEY_COLUMNS = 50;

/** The group of each row in `inner`, and what the subquery calls it outside. */
interface GroupColumn {
  readonly inner: Column;
  readonly outer: Column;
}

/** Gives the source that stands for the subquery its key, and what of the key determines the rest. */
export function groupRows(
  core: SelectCore,
  outputs: ReadonlyMap<string, Expr>,
  inner: Scope,
  { rows, source }: { readonly rows: RowSet; readonly source: RowSource },
): void {
  const exprs = groupExpressions(core, outputs, inner);
  if (exprs === undefined) return;
  const shown = new Map<Column, string>();
  for (const [name, expr] of outputs) if (!hasAggregate(expr)) shown.set(inner.value(expr).column, name);
  const key = exprs.map((expr, index): GroupColumn => {
    const { column } = inner.value(expr);
    return { inner: column, outer: rows.column(source, shown.get(column) ?? `group ${index}`) };
  });
  const outerOf = (columns: readonly GroupColumn[]) => columns.map(({ outer }) => outer);
  source.groupKey = outerOf(key);
  rows.determine(source.groupKey, [rows.row(source)]);
  /** What the group columns `from` determine holds outside, too. */
  const keep = (from: readonly GroupColumn[]) => {
    const determined = inner.rows.determined(from.map((column) => column.inner));
    const others = key.filter((column) => !from.includes(column) && determined.has(column.inner));
    if (others.length > 0) rows.determine(outerOf(from), outerOf(others));
  };
  keep([]);
  if (key.length > MAX_KEY_COLUMNS) return;
  for (const column of key) {
    keep([column]);
    keep(key.filter((other) => other !== column));
  }
}

/** What the rows of one group have in common; `undefined` when it is not all known. */
export function groupExpressions(
  { distinct, distinctOn, columns, groupBy, withRollup }: SelectCore,
  outputs: ReadonlyMap<string, Expr>,
  inner: Scope,
): readonly Expr[] | undefined {
  if (distinctOn !== undefined) return distinctOn;
  if (distinct && groupBy.length === 0) {
    return columns.some(({ kind }) => kind === 'star') ? undefined : [...outputs.values()];
  }
  if (withRollup === true || groupBy.some(isGroupingSet)) return undefined;
  const results = columns.map((column) => (column.kind === 'column' ? column.expr : undefined));
  const exprs = groupBy.map((expr) => groupExpression(expr, results, outputs, inner));
  return exprs.every((expr) => expr !== undefined) ? exprs : undefined;
}

/** `GROUP BY 1` and `GROUP BY alias` mean a result column. */
function groupExpression(
  expr: Expr,
  results: readonly (Expr | undefined)[],
  outputs: ReadonlyMap<string, Expr>,
  inner: Scope,
): Expr | undefined {
  if (expr.kind === 'number') return results[Number(expr.value) - 1];
  if (expr.kind !== 'name' || expr.table !== undefined || inner.resolve(expr) !== undefined) return expr;
  return outputs.get(lower(expr.name)) ?? expr;
}

function isGroupingSet(expr: Expr): boolean {
  if (expr.kind === 'call') return GROUPING_CALLS.has(lower(expr.name));
  return expr.kind === 'form' || (expr.kind === 'constant' && expr.value.toUpperCase() === 'ALL');
}

/** Result columns by name. Those that a star stands for are missing. */
export function outputsOf({ columns }: SelectCore, names?: readonly string[]): Map<string, Expr> {
  const outputs = new Map<string, Expr>();
  for (const [index, column] of columns.entries()) {
    if (column.kind === 'star') {
      // It is not known how many columns it stands for.
      if (names !== undefined) return new Map();
      continue;
    }
    const own = column.alias ?? (column.expr.kind === 'name' ? column.expr.name : (column.name ?? column.text));
    const name = names?.[index] ?? own;
    if (name !== undefined) outputs.set(lower(name), column.expr);
  }
  return outputs;
}
