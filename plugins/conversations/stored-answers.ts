/** Reads a stored answer again: its question, and the statements that ran for it. */
import type { ConversationsApi, StoredAnswer } from './api.ts';
import { ownerOf, type StoredConversations } from './conversations.ts';
import { type MessagePart, textOf } from './parts.ts';
import { type ConversationStore, noAnswer } from './store.ts';

export function storedAnswers(store: ConversationStore, conversations: StoredConversations): ConversationsApi {
  const answer: ConversationsApi['answer'] = async ({ conversationId, messageId }) => {
    const found = await store.answered(conversationId, messageId);
    return found && { question: textOf(found.question), statements: statementsIn(found.answer) };
  };
  return {
    answer,
    async ownAnswer(ref, scope) {
      const { id } = await store.find(ownerOf(scope), ref.conversationId);
      await conversations.written(id);
      return (await answer(ref)) ?? Promise.reject(noAnswer());
    },
  };
}

/** As the tools sent them: of a repaired statement not what the model had written, unless the result was too long to keep. */
function statementsIn(parts: readonly MessagePart[]): StoredAnswer['statements'] {
  const facts = new Map(
    parts.flatMap((part) => (part.type === 'data-statement' ? [[part.data.toolCallId, part.data] as const] : [])),
  );
  return parts.flatMap((part) => {
    if (!('output' in part)) return [];
    const known = facts.get(part.toolCallId);
    const output = (part.output ?? {}) as { readonly sql?: unknown; readonly connectionId?: unknown };
    const { sql = known?.requested, connectionId = known?.connectionId } = output;
    if (typeof sql !== 'string' || typeof connectionId !== 'string') return [];
    return [{ sql, connectionId, ...(known?.about && { about: known.about }) }];
  });
}
