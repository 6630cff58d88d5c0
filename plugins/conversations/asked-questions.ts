/** Reads what users asked in conversations and how it was answered, to learn from it; no request may see it as it is. */
import type { Answer, Verification } from '../agent/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { CONVERSATIONS, MESSAGES } from './migrations.ts';
import type { MessagePart } from './parts.ts';
import type { ConversationRow, Feedback, MessageRow, RatedRow } from './rows.ts';

export interface AskedQuestion {
  readonly conversationId: string;
  /** `null` where nobody is told apart. */
  readonly userId: string | null;
  readonly orgId: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
  /** Missing where there is none, or not yet. */
  readonly answer?: GivenAnswer;
}

export interface GivenAnswer {
  readonly outcome: Answer['outcome'];
  /** What the user could choose from, as texts. */
  readonly choices: readonly string[];
  readonly verified: Verification | undefined;
  readonly feedback: Feedback | undefined;
}

export interface AskedFilter {
  /** `undefined`: of all organizations, and of users without one. */
  readonly orgId: string | undefined;
  /** Conversations, the newest ones. */
  readonly limit: number;
  /** ISO 8601. */
  readonly since: string | undefined;
}

/** Conversations in one statement. */
const BATCH = 50;
/** Messages of them, the newest ones. */
const MAX_MESSAGES = 500;
/** A message of more characters counts as one that says nothing. */
const MAX_LENGTH = 32_000;

type Conversation = Pick<ConversationRow, 'id' | 'user_id' | 'org_id'>;
type Message = Pick<
  RatedRow,
  'conversation_id' | 'role' | 'parts' | 'state' | 'created_at' | 'rating' | 'rating_reason'
>;

/** What was asked in the newest conversations, for each in the order of its questions. */
export async function askedQuestions(db: InternalDb, { orgId, limit, since }: AskedFilter): Promise<AskedQuestion[]> {
  const conversations: Conversation[] = await db.run(async (knex) => {
    // A composition without conversations has none.
    if (!(await knex.schema.hasTable(CONVERSATIONS))) return [];
    const query = knex(CONVERSATIONS).orderBy('updated_at', 'desc').limit(limit).select('id', 'user_id', 'org_id');
    if (orgId !== undefined) query.where({ org_id: orgId });
    if (since !== undefined) query.where('updated_at', '>=', since);
    return query;
  });
  const asked: AskedQuestion[] = [];
  for (let start = 0; start < conversations.length; start += BATCH) {
    const batch = conversations.slice(start, start + BATCH);
    const rows: Message[] = await db.run((knex) => {
      const short = `CASE WHEN length(CAST(parts AS text)) <= ${MAX_LENGTH} THEN parts ELSE '[]' END AS parts`;
      return knex(MESSAGES)
        .whereIn(
          'conversation_id',
          batch.map(({ id }) => id),
        )
        .orderBy([
          { column: 'created_at', order: 'desc' },
          { column: 'position', order: 'desc' },
        ])
        .limit(MAX_MESSAGES)
        .select('conversation_id', 'role', knex.raw(short), 'state', 'created_at', 'rating', 'rating_reason');
    });
    const messages = Map.groupBy(rows.reverse(), (row) => row.conversation_id);
    for (const conversation of batch) asked.push(...questionsOf(conversation, messages.get(conversation.id) ?? []));
  }
  return asked;
}

function questionsOf({ id, user_id, org_id }: Conversation, messages: readonly Message[]): AskedQuestion[] {
  const asked: AskedQuestion[] = [];
  for (const message of messages) {
    const parts = JSON.parse(message.parts) as MessagePart[];
    if (message.role === 'user') {
      const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
      const whose = { conversationId: id, userId: user_id || null, orgId: org_id || null };
      asked.push({ ...whose, at: message.created_at, text: text.trim() });
    } else {
      const question = asked.pop();
      if (question !== undefined) asked.push({ ...question, ...answerOf(message, parts) });
    }
  }
  return asked;
}

/** A message that is not whole, or too long to be read, tells only what the user says of it. */
function answerOf(
  { state, rating, rating_reason: reason }: Pick<Message, 'rating' | 'rating_reason'> & Pick<MessageRow, 'state'>,
  parts: readonly MessagePart[],
): Pick<AskedQuestion, 'answer'> {
  const feedback = rating === null ? undefined : { rating, reason };
  if (feedback === undefined && (state !== 'complete' || parts.length === 0)) return {};
  const data = <T extends MessagePart['type']>(type: T) =>
    parts.find((part): part is Extract<MessagePart, { type: T }> => part.type === type);
  const { outcome = 'answered', choices = [] } = data('data-outcome')?.data ?? {};
  return {
    answer: {
      outcome,
      choices: choices.map(({ label }) => label),
      verified: data('data-verified')?.data,
      feedback,
    },
  };
}
