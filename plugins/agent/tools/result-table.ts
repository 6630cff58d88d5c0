/** Builds the table of an answer from the reply of a statement, and what clients are shown of a table. */
import type { SqlReply, ToolTable } from '../../../kernel/index.ts';

/** `sql`: the statement as the tool wrote it. */
export function tableOf({ statement, result, durationMs }: SqlReply, sql: string): ToolTable {
  const { columns, columnTypes, rows, truncated } = result;
  const executed = statement.shown ?? { sql: statement.sql, policies: [] };
  const types = columnTypes && { columnTypes };
  return { sql, connectionId: statement.connection.id, columns, ...types, rows, truncated, executed, durationMs };
}

/** A table with the facts about its statement, as clients and stored conversations get it. */
export interface ShownTable extends Omit<ToolTable, 'executed'> {
  /** What the database ran; as asked for where the tool does not tell. Literals of policies are shown as `?`. */
  readonly executedSql: string;
  readonly durationMs: number;
  readonly rowCount: number;
}

export function shownTable({ executed, durationMs = 0, ...table }: ToolTable): ShownTable {
  return {
    columns: table.columns,
    ...(table.columnTypes && { columnTypes: table.columnTypes }),
    rows: table.rows,
    rowCount: table.rows.length,
    truncated: table.truncated,
    sql: table.sql,
    executedSql: executed?.sql ?? table.sql,
    connectionId: table.connectionId,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}
