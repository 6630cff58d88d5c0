/** Builds the table of an answer from the reply of a statement, and what clients are shown of a table. */
import type { SqlReply, SqlStatement, ToolTable } from '../../../kernel/index.ts';
import { type CachedResult, cachedOf } from '../../datasource-kit/index.ts';
import type { AnswerTable } from '../api.ts';

/** `sql`: the statement as the tool wrote it. What a policy bound to it, or wrote into it, is not in the table. */
export function tableOf({ result, ...ran }: SqlReply, sql: string): ToolTable {
  const { statement } = ran;
  const shown: SqlStatement = { ...statement, sql: statement.shown?.sql ?? statement.sql, params: [] };
  return { ...result, sql, connectionId: statement.connection.id, ran: { ...ran, statement: shown } };
}

/** No rows, or one row of totals over none. */
export function isEmpty({ rows, truncated }: Pick<ToolTable, 'rows' | 'truncated'>): boolean {
  if (truncated || rows.length > 1) return false;
  return rows.every((row) => Object.values(row).every((value) => value === null || Number(value) === 0));
}

/** A table with the facts about its statement, as clients and stored conversations get it. */
export interface ShownTable extends Omit<ToolTable, 'ran' | 'notes'> {
  /** What the database ran; as asked for where the tool does not tell. Literals of policies are shown as `?`. */
  readonly executedSql: string;
  readonly durationMs: number;
  readonly rowCount: number;
  /** Set where the rows were read before, for the same statement. */
  readonly cached?: CachedResult['cached'];
}

export function shownTable({ ran, about, ...table }: AnswerTable): ShownTable {
  const cached = cachedOf(table);
  return {
    columns: table.columns,
    ...(table.columnTypes && { columnTypes: table.columnTypes }),
    rows: table.rows,
    rowCount: table.rows.length,
    truncated: table.truncated,
    sql: table.sql,
    executedSql: ran?.statement.sql ?? table.sql,
    connectionId: table.connectionId,
    durationMs: Math.round((ran?.durationMs ?? 0) * 1000) / 1000,
    ...(cached !== undefined && { cached }),
    ...about,
  };
}
