/** Reads from conditions which columns are equal, which have one value, and which sources have at most one row. */
import { type Expr, operandsOf, shapeOf } from '../sql-kit/index.ts';
import type { Column, RowSource } from './row-set.ts';
import type { Scope, Value } from './scope.ts';

const EQUAL = new Set(['=', '==', '<=>', 'IS', 'IS NOT DISTINCT FROM']);
const BELOW = new Set(['<', '<=']);
const ABOVE = new Set(['>', '>=']);

/** `ranges`: the columns of a source between which a value lies, over all conditions of one SELECT. */
export function readCondition(expr: Expr, scope: Scope, ranges = new Ranges()): void {
  if (expr.kind === 'chain' && expr.operators.every((operator) => operator === 'AND')) {
    for (const operand of expr.operands) readCondition(operand, scope, ranges);
    return;
  }
  const missing = nullTest(expr);
  if (missing !== undefined) readNullTest(missing, scope);
  else if (expr.kind === 'chain' && expr.operands.length === 2 && EQUAL.has(expr.operators[0]!)) {
    readEquality(expr.operands[0]!, expr.operands[1]!, scope);
  } else if (expr.kind === 'in' && !expr.not && expr.set.kind === 'list' && expr.set.items.length === 1) {
    readEquality(expr.operand, expr.set.items[0]!, scope);
  } else ranges.read(expr, scope);
}

function readEquality(left: Expr, right: Expr, scope: Scope): void {
  if (left.kind === 'row' && right.kind === 'row') {
    for (const [index, item] of left.items.entries()) {
      const other = right.items[index];
      if (other !== undefined) readEquality(item, other, scope);
    }
    return;
  }
  const columns = [scope.value(left).column, scope.value(right).column] as const;
  scope.rows.equate(...columns);
  if (left.kind !== 'string' && right.kind !== 'string') return;
  for (const { source, name } of columns) if (source?.keys?.names.has(name)) scope.rows.named.add(source);
}

/** What is tested to be NULL. */
function nullTest(expr: Expr): Expr | undefined {
  if (expr.kind === 'form') return shapeOf(expr) === '§ IS NULL' ? operandsOf(expr)[0] : undefined;
  if (expr.kind !== 'chain' || expr.operators.length !== 1 || expr.operators[0] !== 'IS') return undefined;
  const [tested, value] = expr.operands;
  return value?.kind === 'constant' && value.value.toUpperCase() === 'NULL' ? tested : undefined;
}

/** Where a column is NULL that no row leaves empty, or that the join compares, an outer join found no row. */
function readNullTest(tested: Expr, scope: Scope): void {
  const { column } = scope.value(tested);
  const { source, name } = column;
  if (source === undefined) return;
  const isCompared = scope.rows.optional.has(source) && column.equals.length > 0;
  const isAbsent = source.keys?.required.has(name) === true || isCompared;
  if (isAbsent) scope.rows.determine([], [scope.rows.row(source)]);
}

/** One of the rows that are valid from one time to another is valid at a given time. */
class Ranges {
  readonly #bounds = new Map<Column, Record<'lower' | 'upper', Map<RowSource, Column>>>();

  read(expr: Expr, scope: Scope): void {
    if (expr.kind === 'between' && !expr.not) this.#between(expr.operand, expr.low, expr.high, scope);
    if (expr.kind === 'form' && shapeOf(expr) === '§ BETWEEN § AND §') {
      const [operand, low, high] = operandsOf(expr);
      this.#between(operand!, low!, high!, scope);
    }
    if (expr.kind !== 'chain') return;
    // An end that is missing is none: `to IS NULL OR time < to`.
    if (expr.operators.every((operator) => operator === 'OR')) {
      for (const operand of expr.operands) this.read(operand, scope);
      return;
    }
    const [left, right, ...more] = expr.operands;
    if (left === undefined || right === undefined || more.length > 0) return;
    if (BELOW.has(expr.operators[0]!)) this.#ordered(left, right, scope);
    if (ABOVE.has(expr.operators[0]!)) this.#ordered(right, left, scope);
  }

  #between(operand: Expr, low: Expr, high: Expr, scope: Scope): void {
    this.#ordered(low, operand, scope);
    this.#ordered(operand, high, scope);
  }

  #ordered(low: Expr, high: Expr, scope: Scope): void {
    // A number bounds quantities, which are no period.
    if (low.kind === 'number' || high.kind === 'number') return;
    const [lowValue, highValue] = [scope.value(low), scope.value(high)];
    this.#bound(highValue.column, 'lower', lowValue, scope);
    this.#bound(lowValue.column, 'upper', highValue, scope);
  }

  /** A period has two ends: a column that is both bounds ends none. */
  #bound(point: Column, side: 'lower' | 'upper', { column, carriers }: Value, { rows }: Scope): void {
    const bounds = this.#bounds.get(point) ?? { lower: new Map(), upper: new Map() };
    this.#bounds.set(point, bounds);
    const [source] = carriers ?? [];
    if (source === undefined || source === point.source) return;
    bounds[side].set(source, column);
    const [lower, upper] = [bounds.lower.get(source), bounds.upper.get(source)];
    if (lower !== undefined && upper !== undefined && lower !== upper) rows.determine([], [rows.row(source)]);
  }
}
