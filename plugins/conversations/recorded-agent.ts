/** Records every question that the agent is asked, with its answer, in a conversation. */
import { AtlasError, type Question, type Scope, withTimeout } from '../../kernel/index.ts';
import type { Answer, Ask } from '../agent/index.ts';
import { previewedBy } from '../auth-kit/index.ts';
import { answerLines } from '../query-api/index.ts';
import type { Conversations, OpenConversation } from './conversations.ts';
import { NAMING_MS } from './naming-wait.ts';
import type { RunningAnswers } from './resume/running-answers.ts';
import type { Reuse } from './reuse/reuse.ts';

/** Longest wait for a conversation to be stored when its answer is complete; before that it is `NAMING_MS`. */
const ANSWER_WAIT_MS = 5_000;

/**
 * The agent, wrapped: a stream begins with `start`, and the answer names the conversation, once it is known to be stored.
 * From then on it may be taken up again, where its client can.
 */
export function recordedAgent(
  conversations: Conversations,
  ask: Ask,
  running?: Pick<RunningAnswers, 'add' | 'delete'>,
  reuse?: Pick<Reuse, 'begin'>,
): Ask {
  return async function* (asked, scope, isStreamed) {
    if (previewedBy.nearest(scope) !== undefined) {
      yield* ask(asked, scope, isStreamed);
      return;
    }
    const askedAt = performance.now();
    const line = running && answerLines.nearest(scope);
    const conversation = await opened(conversations, asked, scope, isStreamed, line !== undefined);
    if (conversation === undefined) {
      yield* ask(asked, scope, isStreamed);
      return;
    }
    const part = scope.part();
    const reusable = reuse?.begin(conversation.question, part);
    const events = ask(conversation.question, part, isStreamed)[Symbol.asyncIterator]();
    let conversationId: string | undefined;
    let complete: Answer | undefined;
    try {
      // The agent begins while the question is being stored. Its failure is met where the first event is read.
      const first = events.next();
      first.catch(() => {});
      if (isStreamed) {
        conversationId = await storedId(conversation, NAMING_MS - (performance.now() - askedAt));
        if (conversationId !== undefined && line !== undefined) running?.add(conversation.answerId, line, scope);
        yield {
          type: 'start',
          messageId: conversation.answerId,
          ...(conversationId !== undefined && { conversationId }),
        };
      }
      for (let next = await first; next.done !== true; next = await events.next()) {
        const event = next.value;
        conversation.record(event);
        reusable?.add(event);
        if (event.type !== 'finish') {
          yield event;
          continue;
        }
        complete = event.answer;
        const stored = conversation.end('complete');
        reusable?.end(complete, conversation.answerId, stored);
      }
      if (complete === undefined) return;
      // The agent has ended, so that nothing of it is held while the answer is being stored.
      if (!isStreamed) conversationId = await storedId(conversation, ANSWER_WAIT_MS);
      yield { type: 'finish', answer: { ...complete, ...(conversationId !== undefined && { conversationId }) } };
    } catch (error) {
      // A caller that is told of the failure finds what had been said.
      if (!isStreamed && complete === undefined)
        await withTimeout(conversation.end('interrupted'), NAMING_MS, () => false);
      throw error;
    } finally {
      if (line !== undefined) running?.delete(conversation.answerId);
      if (complete === undefined) {
        void conversation.end('interrupted');
        // A caller that leaves while the agent waits for its model cancels that, too.
        part.abort(new DOMException('The caller has left.', 'AbortError'));
      }
      await events.return?.();
    }
  };
}

/**
 * The conversation of a question. One that only has the client's own name is not worth the answer, as such a client
 * sends the messages as well: where the database is away or slow, the answer is given and not stored.
 */
async function opened(
  conversations: Conversations,
  asked: Question,
  scope: Scope,
  isStreamed: boolean,
  isResumable: boolean,
): Promise<OpenConversation | undefined> {
  const opening = conversations.open(asked, scope, isStreamed, isResumable);
  if (asked.conversationId !== undefined || asked.conversationName === undefined) return opening;
  let isLate = false;
  const named = opening.then(
    (conversation) => {
      // The answer is being given without it.
      if (isLate) void conversation.end('interrupted');
      return conversation;
    },
    (error: unknown) => {
      if (!(error instanceof AtlasError) || error.code !== 'unavailable') throw error;
      scope.log.error({ error: error.message }, 'A conversation could not be opened by its name.');
      return undefined;
    },
  );
  return withTimeout(named, NAMING_MS, () => {
    isLate = true;
    named.catch(() => {});
    scope.log.error({}, 'A conversation could not be opened by its name in time.');
    return undefined;
  });
}

/** The conversation's id, once it is known to be stored; what is said in it is written while no one waits. */
async function storedId({ id, begun }: OpenConversation, waitMs: number): Promise<string | undefined> {
  return (await withTimeout(begun, Math.max(0, waitMs), () => false)) ? id : undefined;
}
