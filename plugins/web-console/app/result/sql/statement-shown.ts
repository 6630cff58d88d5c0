/** Brings together what is known of a statement: from the stream where it says so, else from the answer itself. */
import type { ResultTable, StatementFacts } from '../../api/query-result.ts';

export interface ShownStatement {
  /** Both are absent where the reader's role may not see SQL. */
  readonly asked: string | undefined;
  readonly executed: string | undefined;
  /** Absent where the answer does not tell them: statements that ran again, or as another reader. */
  readonly changes: StatementFacts['changes'] | undefined;
  readonly tables: readonly string[];
  readonly connectionId: string;
  readonly durationMs: number;
  readonly rowCount: number;
  readonly truncated: boolean;
  readonly auditId: string | null;
}

/** The server leaves it empty where the reader's role may not see it. */
const given = (sql: string | undefined) => (sql === '' ? undefined : sql);

export function shownStatement(table: ResultTable, statement: StatementFacts | undefined): ShownStatement {
  const { connectionId, durationMs, rowCount, truncated } = statement ?? table;
  const asked = given(statement?.requested) ?? given(table.sql);
  return {
    asked,
    executed: given(statement?.executed) ?? given(table.executedSql) ?? asked,
    changes: statement?.changes,
    tables: statement?.tables ?? [],
    connectionId,
    durationMs,
    rowCount,
    truncated,
    auditId: statement?.auditId ?? null,
  };
}
