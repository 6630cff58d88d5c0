/** The rows of the tables of conversations, as the database gives them. */
import type { Answer } from '../agent/index.ts';
import type { TextPart } from './parts.ts';

/** Whose conversations: an empty text stands for no user, or for no organization. */
export interface Owner {
  readonly user_id: string;
  readonly org_id: string;
}

/** How an answer ended, besides what its parts say. */
export type AnswerFinish = Pick<Answer, 'finishReason' | 'usage' | 'steps' | 'pendingActions'>;

export type MessageState = 'complete' | 'running' | 'interrupted';

export interface ConversationRow extends Owner {
  readonly id: string;
  readonly title: string;
  readonly surface: string;
  readonly connection_id: string | null;
  readonly starred: boolean | number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A conversation with the name that its client has given it: one of each name for an owner. */
export interface NamedRow extends ConversationRow {
  readonly client_name: string | null;
}

export interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  /** Greater than those of earlier messages. */
  readonly position: number;
  readonly role: 'user' | 'assistant';
  /** JSON: a list of `MessagePart`. */
  readonly parts: string;
  readonly state: MessageState;
  /** The server that writes it while it is `running`. */
  readonly writer: string | null;
  /** `open`: its client may take it up again and has not got its end; `stopped`: its user wants no more of it. */
  readonly stream: 'open' | 'stopped' | null;
  /** JSON: an `AnswerFinish`, once it is complete. */
  readonly finish: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What the user says of an answer. */
export interface Feedback {
  readonly rating: 'good' | 'bad';
  readonly reason: string | null;
}

/** A message as it is read, with the user's feedback. */
export interface RatedRow extends MessageRow {
  readonly rating: Feedback['rating'] | null;
  readonly rating_reason: string | null;
}

/** What a message says, without the tools. */
export interface SaidRow extends Pick<MessageRow, 'role' | 'position'> {
  readonly parts: readonly TextPart[];
}

export type MessageUpdate = Pick<MessageRow, 'id' | 'state' | 'parts' | 'finish' | 'updated_at'>;

/** What a reader follows of an answer. `parts` is `null` where nothing has changed since it was read before. */
export interface FollowedRow
  extends Pick<MessageRow, 'id' | 'role' | 'state' | 'writer' | 'stream' | 'finish' | 'updated_at'> {
  readonly parts: string | null;
}

/** What users ask of an answer that is being given. `readings` grows while others than its own client read it. */
export interface StreamRow extends Pick<MessageRow, 'id' | 'stream'> {
  readonly readings: number;
}
