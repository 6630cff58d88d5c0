/** Builds the statements that record a question: its row, the sums that it adds to, and the end of its reservation. */
import { type InternalDb, insertRows, jsonRows, type RowStatement } from '../internal-db/index.ts';
import { DAYS_FROM, MERGE_DAYS, MERGE_TOTALS, TOTALS_FROM } from './sums.ts';
import { DAYS, QUESTIONS, type QuestionRow, RESERVATIONS, TOTALS } from './tables.ts';

const COLUMNS = [
  'id',
  'asked_at',
  'day',
  'user_id',
  'org_id',
  'surface',
  'request_id',
  'conversation_id',
  'provider',
  'model',
  'model_calls',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'estimated_tokens',
  'cost',
  'is_answered',
] as const satisfies readonly (keyof QuestionRow)[];

/** After the statements of conversations, whose rows one question writes in the same commit. */
const ORDER = 10;

/** Only a row that is not there yet adds to the sums, so that it may be written again when the reply was lost. */
export function recordStatement(dialect: InternalDb['dialect']): RowStatement {
  const insert = `${insertRows(dialect, QUESTIONS, COLUMNS)} ON CONFLICT (id) DO NOTHING`;
  const sql =
    dialect === 'sqlite'
      ? // A trigger does the rest.
        insert
      : `WITH asked AS (${insert} RETURNING *),
    days AS (INSERT INTO ${DAYS} ${DAYS_FROM('asked')} ${MERGE_DAYS}),
    totals AS (INSERT INTO ${TOTALS} ${TOTALS_FROM('asked')} ${MERGE_TOTALS})
    DELETE FROM ${RESERVATIONS} WHERE id IN (SELECT id FROM asked)`;
  return { sql, order: ORDER, isById: true };
}

/** Ends the reservation of a question that has called no model. */
export function releaseStatement(dialect: InternalDb['dialect']): RowStatement {
  const ids = dialect === 'sqlite' ? '= @id' : `IN (SELECT id FROM ${jsonRows(RESERVATIONS)})`;
  return { sql: `DELETE FROM ${RESERVATIONS} WHERE id ${ids}`, order: ORDER + 1, isById: true };
}
