/** Binds masks and row conditions to the row of their own table. */
import { type BoundValue, type ColumnRef, type Expr, fold, forEachOperand, type SqlDialect } from '../sql-kit/index.ts';

/**
 * Puts the name `owner` of the table, or the table's own name, before every column, or the bound value that its name is
 * `boundTo`; false when the expression looks beyond the row or calls what may not be.
 */
export function qualify(
  expr: Expr,
  table: string,
  dialect: SqlDialect,
  owner = table,
  boundTo?: (name: string) => BoundValue | undefined,
): boolean {
  switch (expr.kind) {
    case 'name': {
      const bound = boundTo?.(expr.name);
      if (bound === undefined) return place(expr, table, owner, dialect);
      Object.assign(expr, { bound, table: undefined, schema: undefined });
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
    isOwn = qualify(operand, table, dialect, owner, boundTo) && isOwn;
  });
  return isOwn;
}

/** The column and the names of its parts, where a name may be that of a part: without that of the table. */
export function partsOf({ schema, table, name }: ColumnRef, ownTable: string, dialect: SqlDialect): string[] {
  if (dialect.hasFields !== true) return [name];
  const parts = [schema, table, name].filter((part) => part !== undefined);
  if (schema !== undefined && schema === dialect.defaultSchema && table === ownTable) return [name];
  return parts.length > 1 && fold(parts[0]!) === fold(ownTable) ? parts.slice(1) : parts;
}

function place(ref: ColumnRef, ownTable: string, owner: string, dialect: SqlDialect): boolean {
  const [first, second, third] = partsOf(ref, ownTable, dialect);
  // There is no room for more names.
  if (third !== undefined) return false;
  Object.assign(
    ref,
    second === undefined
      ? { schema: undefined, table: owner, name: first }
      : { schema: owner, table: first, name: second },
  );
  return true;
}
