/** Tells what a checked statement reads: the tables and columns that the guard has found, under every name they go by. */
import type { ConnectionInfo, SqlStatement } from '../../kernel/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import type { ReadTable, StatementReads } from './matching.ts';

/** A table as it is named somewhere: `orders`, `sales.orders`; `schema` is what a name without one means. */
export function namesOf(table: string, schema: string): string[] {
  const bare = table.slice(table.lastIndexOf('.') + 1);
  const names = [table];
  if (bare !== table) names.push(bare);
  else if (schema !== '') names.push(`${schema}.${table}`);
  return names;
}

/** The schema, in MySQL the database, of tables that are named without one. */
export function ownSchema(connection: ConnectionInfo, dialect: SqlDialect | undefined): string {
  const own = dialect?.forConnection?.(connection) ?? dialect;
  return connection.schema ?? own?.defaultSchema ?? '';
}

export function statementReads(statement: SqlStatement, dialect: SqlDialect | undefined): StatementReads {
  const { connection, tables, columns } = statement;
  const schema = ownSchema(connection, dialect);
  return {
    connectionId: connection.id,
    tables: tables?.map((table) => ({ names: namesOf(table, schema), columns: columnsOf(table, columns) })),
  };
}

/** `columns`: `table.column`, where the table is named as in the list of tables. Not known: all of them. */
function columnsOf(table: string, columns: readonly string[] | undefined): ReadTable['columns'] {
  if (columns === undefined) return ['*'];
  const start = `${table}.`;
  return columns.flatMap((column) => (column.startsWith(start) ? column.slice(start.length) : []));
}
