/** Types of answers as the API gives them, taken from the schemas of its routes. */
import type { QueryResult } from '../../../query-api/index.ts';

/** Rows of one statement. A stored message keeps only the first of them. */
export type ResultTable = QueryResult['data'][number];
export type Note = QueryResult['notes'][number];
export type Choice = NonNullable<QueryResult['choices']>[number];

/** What ran: the statement as it was asked for beside the one that was executed, with who changed it and why. */
export interface StatementFacts {
  readonly toolCallId: string;
  /** Absent where the reader's role may not see SQL. */
  readonly requested?: string;
  readonly executed?: string;
  readonly changes: readonly { readonly plugin: string; readonly reason: string }[];
  readonly tables: readonly string[];
  readonly connectionId: string;
  readonly durationMs: number;
  readonly rowCount: number;
  readonly truncated: boolean;
  readonly notes: readonly Note[];
  readonly auditId: string | null;
}
