/** Says how many rows are shown, and of how many. */
import type { ResultTable, StatementFacts } from '../api/query-result.ts';
import { RESULT_TEXTS as TEXTS } from './texts.ts';

interface RowsInput {
  readonly table: Pick<ResultTable, 'rows' | 'rowCount' | 'truncated'>;
  readonly statement: Pick<StatementFacts, 'rowCount' | 'truncated'> | undefined;
  readonly isStored: boolean;
  /** Rows that pass the filters. */
  readonly shown: number;
}

export function rowsSentence({ table, statement, isStored, shown }: RowsInput): string {
  const here = table.rows.length;
  const isWhole = statement !== undefined && !statement.truncated && statement.rowCount === here;
  const hasMore = table.truncated || statement?.truncated === true;
  const all =
    isStored && !isWhole && here > 0 ? TEXTS.firstStored(here) : hasMore ? TEXTS.firstOfMore(here) : TEXTS.rows(here);
  return shown < here ? `${TEXTS.rowsOf(shown, here)}. ${all === TEXTS.rows(here) ? '' : all}`.trim() : all;
}
