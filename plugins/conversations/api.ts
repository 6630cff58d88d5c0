/** Declares the service of the `conversations` plugin. */
import type { Scope } from '../../kernel/index.ts';
import type { TableFacts } from '../agent/index.ts';

export interface AnswerRef {
  readonly conversationId: string;
  readonly messageId: string;
}

/** An answer that is stored, without what it brought. */
export interface StoredAnswer {
  /** What the user asked. */
  readonly question: string;
  /** The statements that ran for it, as they were asked for, in order, with what plugins told of their rows. */
  readonly statements: readonly { readonly sql: string; readonly connectionId: string; readonly about?: TableFacts }[];
}

export interface ConversationsApi {
  /** An answer of one of the actor's own conversations. Rejects with `not_found` for any other. */
  ownAnswer(ref: AnswerRef, scope: Scope): Promise<StoredAnswer>;
  /** Anybody's, for a plugin that knows who may see it; `undefined` when there is none. */
  answer(ref: AnswerRef): Promise<StoredAnswer | undefined>;
}
