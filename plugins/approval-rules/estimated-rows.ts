/** Asks the database how many rows a statement would read. */
import { AtlasError, messageOf, type PluginContext, type Scope, type SqlStatement } from '../../kernel/index.ts';
import { datasourceEstimate } from '../datasource-kit/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import { listsByColumn, type StatementTree, tablesByName, treeOf } from './statement-tree.ts';

interface Around {
  readonly scope: Scope;
  isView(table: string): Promise<boolean>;
}

/** `undefined`: it cannot tell, or the datasource does not answer such questions. */
export async function estimatedRows(
  ctx: Pick<PluginContext, 'callKey' | 'logOf'>,
  statement: SqlStatement,
  dialect: SqlDialect | undefined,
  { scope, isView }: Around,
): Promise<number | undefined> {
  const { connection, tables = [] } = statement;
  const tree = treeOf(statement.requested, dialect);
  const known = tree === undefined ? { names: {} } : { names: tablesByName(tree), lists: listsByColumn(tree) };
  const key = connection.key ?? connection.id;
  try {
    const rows = await ctx.callKey(datasourceEstimate, key, { statement, ...known }, scope);
    const first = tree && rowsOfFirst(tree);
    if (rows === undefined || first === undefined || first >= rows) return rows;
    // The rows of a view may take more to make, and a condition of row security many rows to find as many.
    const isFirst = readsEveryRow(treeOf(statement.sql, dialect)) && tables.length === 1 && !(await isView(tables[0]!));
    return isFirst ? first : rows;
  } catch (error) {
    scope.signal.throwIfAborted();
    const isUnknown = error instanceof AtlasError && error.reason === 'E_KEY_UNKNOWN';
    if (!isUnknown)
      ctx.logOf(scope).warn({ error: messageOf(error) }, 'The rows of a statement could not be estimated.');
    return undefined;
  }
}

/** Whether what runs reads a table as it stands, or through a subquery that hides or masks columns. */
function readsEveryRow(tree: StatementTree | undefined): boolean {
  if (tree?.first.kind !== 'core') return false;
  const { from, where } = tree.first;
  if (from === undefined || where !== undefined || from.joins.length > 0) return false;
  return from.first.kind === 'table' || (from.first.kind === 'subquery' && readsEveryRow(from.first.select));
}

/** Rows of `SELECT … FROM one_table LIMIT n`, which stops at so many, whatever the table holds. */
function rowsOfFirst({ with: common, first, rest, orderBy, limit, offset }: StatementTree): number | undefined {
  if (common !== undefined || rest.length > 0 || orderBy.length > 0 || first.kind !== 'core') return undefined;
  const { from, where, groupBy, having, qualify, windows, distinct, distinctOn, sample, columns } = first;
  const isFiltered = where !== undefined || having !== undefined || qualify !== undefined || sample !== undefined;
  if (isFiltered || distinct || distinctOn !== undefined || groupBy.length > 0 || windows.length > 0) return undefined;
  if (from?.first.kind !== 'table' || from.joins.length > 0 || from.first.sample !== undefined) return undefined;
  const isPlain = columns.every((column) => column.kind === 'star' || column.expr.kind === 'name');
  if (!isPlain || limit?.kind !== 'number' || (offset !== undefined && offset.kind !== 'number')) return undefined;
  return Number(limit.value) + Number(offset?.value ?? 0);
}
