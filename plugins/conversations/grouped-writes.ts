/** Changes of many conversations in one transaction of few statements. */
import { type InternalDb, insertRows, jsonRows, jsonText, updateRows } from '../internal-db/index.ts';
import { CONVERSATIONS, COUNTS, MESSAGES } from './migrations.ts';
import type { ConversationRow, MessageRow, MessageUpdate } from './store.ts';

export interface Change {
  readonly conversation?: ConversationRow;
  /** An older conversation that goes on. */
  readonly touched?: Pick<ConversationRow, 'id' | 'updated_at'>;
  readonly messages?: readonly MessageRow[];
  readonly update?: MessageUpdate;
}

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
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof MessageRow)[];

/** Adds the new conversations to their owners' counts, in one order on every server, so that none waits in a circle. */
function countRows(dialect: InternalDb['dialect']): string {
  const { from, column } = jsonRows(dialect, CONVERSATIONS);
  const owner = `${column('user_id')}, ${column('org_id')}`;
  return `INSERT INTO ${COUNTS} (user_id, org_id, total, starred)
    SELECT ${owner}, COUNT(*), 0 FROM ${from} WHERE TRUE GROUP BY ${owner} ORDER BY ${owner}
    ON CONFLICT (user_id, org_id) DO UPDATE SET total = ${COUNTS}.total + excluded.total`;
}

/** The last of those with the same id, in one order on every server, so that none waits in a circle. */
const lastOfEach = <T extends { readonly id: string }>(rows: readonly T[]): T[] =>
  [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));

/** Writes all of the changes, or none. */
export function groupedWrites(db: InternalDb): (changes: readonly Change[]) => Promise<void> {
  const { dialect } = db;
  // Counts come last, as where a conversation is starred or deleted: one order of locks, so that none waits in a circle.
  const statements = {
    conversations: insertRows(dialect, CONVERSATIONS, CONVERSATION_COLUMNS),
    touched: updateRows(dialect, CONVERSATIONS, ['updated_at']),
    messages: insertRows(dialect, MESSAGES, MESSAGE_COLUMNS),
    updates: updateRows(dialect, MESSAGES, ['state', 'parts', 'updated_at']),
    counts: countRows(dialect),
  };
  return (changes) => {
    const conversations = changes.flatMap(({ conversation }) => conversation ?? []);
    const rows: Readonly<Record<keyof typeof statements, readonly object[]>> = {
      conversations,
      touched: lastOfEach(changes.flatMap(({ touched }) => touched ?? [])),
      messages: changes.flatMap(({ messages }) => messages ?? []),
      updates: lastOfEach(changes.flatMap(({ update }) => update ?? [])),
      counts: conversations,
    };
    const due = (Object.keys(statements) as (keyof typeof statements)[]).filter((key) => rows[key].length > 0);
    const [only] = due;
    // A single statement needs no transaction around it.
    if (only !== undefined && due.length === 1) {
      return db.run(async (knex) => void (await knex.raw(statements[only], [jsonText(rows[only])])));
    }
    return db.transaction(async (trx) => {
      for (const key of due) await trx.raw(statements[key], [jsonText(rows[key])]);
    });
  };
}
