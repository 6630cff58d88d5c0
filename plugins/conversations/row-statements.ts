/** Builds the statements that write rows of many conversations at a time. */
import { type InternalDb, insertRows, jsonRows, type RowStatement, updateRows } from '../internal-db/index.ts';
import { CONVERSATIONS, COUNTS, JSON_COLUMNS, MESSAGES } from './migrations.ts';
import type { ConversationRow, MessageRow } from './rows.ts';

const CONVERSATION_COLUMNS = [
  'id',
  'user_id',
  'org_id',
  'title',
  'surface',
  'connection_id',
  'starred',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ConversationRow)[];

const MESSAGE_COLUMNS = [
  'id',
  'conversation_id',
  'position',
  'role',
  'parts',
  'state',
  'writer',
  'stream',
  'finish',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof MessageRow)[];

/** Adds the new conversations to their owners' counts, in one order on every server, so that none waits in a circle. */
function countRows(dialect: InternalDb['dialect']): string {
  const given =
    dialect === 'sqlite'
      ? 'VALUES (@user_id, @org_id, 1, 0)'
      : `SELECT user_id, org_id, COUNT(*), 0 FROM ${jsonRows(CONVERSATIONS)} GROUP BY 1, 2 ORDER BY 1, 2`;
  return `INSERT INTO ${COUNTS} (user_id, org_id, total, starred) ${given}
    ON CONFLICT (user_id, org_id) DO UPDATE SET total = ${COUNTS}.total + excluded.total`;
}

/** The statements that write conversations. Counts come last, as where a conversation is starred or deleted. */
export function rowStatements(dialect: InternalDb['dialect']) {
  return {
    conversations: {
      sql: insertRows(dialect, CONVERSATIONS, CONVERSATION_COLUMNS),
      order: 1,
      isById: false,
    },
    touched: { sql: updateRows(dialect, CONVERSATIONS, ['updated_at']), order: 2, isById: true },
    messages: { sql: insertRows(dialect, MESSAGES, MESSAGE_COLUMNS, JSON_COLUMNS), order: 3, isById: false },
    updates: {
      sql: updateRows(dialect, MESSAGES, ['state', 'parts', 'finish', 'updated_at'], JSON_COLUMNS),
      order: 4,
      isById: true,
    },
    counts: { sql: countRows(dialect), order: 5, isById: false },
  } satisfies Record<string, RowStatement>;
}
