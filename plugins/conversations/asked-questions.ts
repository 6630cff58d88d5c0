/** Reads what users asked in conversations, for work on the server itself; no request may see it. */
import type { InternalDb } from '../internal-db/index.ts';
import { MESSAGES } from './migrations.ts';
import type { MessagePart } from './parts.ts';

export interface AskedQuestion {
  readonly conversationId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

/** Conversations in one statement, within SQLite's limit of parameters. */
const BATCH = 500;

/** What users asked in the conversations with these ids, in the order in which they asked. */
export async function askedQuestions(db: InternalDb, conversationIds: readonly string[]): Promise<AskedQuestion[]> {
  const asked: AskedQuestion[] = [];
  for (let start = 0; start < conversationIds.length; start += BATCH) {
    const ids = conversationIds.slice(start, start + BATCH);
    const rows: { conversation_id: string; created_at: string; parts: string }[] = await db.run((knex) =>
      knex(MESSAGES)
        .whereIn('conversation_id', ids)
        .where({ role: 'user' })
        .orderBy('position')
        .select('conversation_id', 'created_at', 'parts'),
    );
    for (const { conversation_id, created_at, parts } of rows) {
      const texts = (JSON.parse(parts) as MessagePart[]).map((part) => (part.type === 'text' ? part.text : ''));
      asked.push({ conversationId: conversation_id, at: created_at, text: texts.join(' ').trim() });
    }
  }
  return asked;
}
