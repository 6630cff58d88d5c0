/** The rows of the tables of conversations, as the database gives them. */
import type { TextPart } from './parts.ts';

/** Whose conversations: an empty text stands for no user, or for no organization. */
export interface Owner {
  readonly user_id: string;
  readonly org_id: string;
}

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

export type MessageUpdate = Pick<MessageRow, 'id' | 'state' | 'parts' | 'updated_at'>;
