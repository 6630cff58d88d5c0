import type { Expr, NamedColumn, SelectSource, TableSource } from './ast.ts';
import type { AllowedTable, VisibleColumn } from './tables.ts';

/**
 * The subquery that takes a table's place: exactly what may be seen of it, under the name that the statement uses.
 * Every column is qualified, so that a name the table does not have cannot reach out to the statement around it.
 */
export function visiblePart(source: TableSource, table: AllowedTable, visible: readonly VisibleColumn[]): SelectSource {
  const { at } = source;
  const owner = table.name;
  const columns = visible.map(({ name, mask }): NamedColumn => {
    const plain: Expr = { kind: 'name', at, schema: undefined, table: owner, name };
    return { kind: 'column', expr: mask ?? plain, alias: mask && name, text: undefined };
  });
  const nothing = { groupBy: [], having: undefined, windows: [], where: undefined, distinct: false };
  const from = { first: { ...source, name: owner, alias: undefined }, joins: [] };
  return {
    kind: 'subquery',
    at,
    alias: source.alias ?? source.name,
    select: {
      kind: 'select',
      at,
      with: undefined,
      first: { kind: 'core', at, columns, from, ...nothing },
      rest: [],
      orderBy: [],
      limit: undefined,
      offset: undefined,
    },
  };
}
