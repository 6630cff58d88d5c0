/** Binds masks and row conditions to the row of their own table. */
import { type BoundValue, type Expr, fold, forEachOperand, type SqlDialect } from '../sql-kit/index.ts';

/**
 * Puts the table's name before every column, or the bound value that its name is `boundTo`; false when the expression
 * looks beyond the row or calls what may not be.
 */
export function qualify(
  expr: Expr,
  table: string,
  dialect: SqlDialect,
  boundTo?: (name: string) => BoundValue | undefined,
): boolean {
  switch (expr.kind) {
    case 'name': {
      const bound = boundTo?.(expr.name);
      if (bound === undefined) expr.table = table;
      else expr.bound = bound;
      expr.schema = undefined;
      return true;
    }
    case 'scalar':
    case 'exists':
      return false;
    case 'in':
      if (expr.set.kind !== 'list') return false;
      break;
    case 'call':
      if (!dialect.functions.has(dialect.hasExactNames ? expr.name : fold(expr.name))) return false;
  }
  let isOwn = true;
  forEachOperand(expr, (operand) => {
    isOwn = qualify(operand, table, dialect, boundTo) && isOwn;
  });
  return isOwn;
}
