/** Serves the streams of answers that are being given: to take one up again on any server, and to stop it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { AtlasError, defineRoute, type Route } from '../../../kernel/index.ts';
import { ChatStream, ConversationHeader, type QueryApi } from '../../query-api/index.ts';
import { ownerOf, type StoredConversations } from '../conversations.ts';
import type { ConversationStore } from '../store.ts';
import { FOLLOW_EVERY_MS, followedAnswer } from './followed-answer.ts';
import type { RunningAnswers } from './running-answers.ts';
import type { StreamStore } from './stream-store.ts';

/** Longest wait for an answer that was stopped to end. */
const STOP_WAIT_MS = 2_000;

export interface StreamRoutesInit {
  readonly store: Pick<ConversationStore, 'findNamed'>;
  readonly streams: StreamStore;
  readonly conversations: StoredConversations;
  readonly running: RunningAnswers;
  readonly queryApi: QueryApi;
}

const StreamParams = Type.Object({
  id: Type.String({
    maxLength: 200,
    description: 'Id of the conversation, or the name that its client has given it (`id` of the chat).',
  }),
});

/** As the transport of the AI SDK repeats it. */
const StreamQuery = Type.Object({ stream: Type.Optional(Type.Literal('ui')) });

/** Under both published paths of the chat. */
export function streamRoutes({ store, streams, conversations, running, queryApi }: StreamRoutesInit): Route[] {
  const paths = [
    { path: '/api/chat/:id/stream', suffix: '' },
    { path: '/api/v1/chat/:id/stream', suffix: 'V1' },
  ];
  /** The newest message, if it is an answer that is being given, or of which the end has reached nobody. */
  const openAnswer = async (conversationId: string) => {
    const newest = await streams.newest(conversationId);
    const isOpen = newest?.role === 'assistant' && (newest.stream === 'open' || conversations.isWritten(newest));
    return isOpen ? newest : undefined;
  };
  return paths.flatMap(({ path, suffix }) => {
    const common = {
      path,
      tag: 'Chat',
      right: 'query',
      origins: 'any',
      params: StreamParams,
      query: StreamQuery,
      errors: ['not_available', 'unavailable'],
    } as const;
    return [
      defineRoute({
        ...common,
        method: 'GET',
        operationId: `resumeChat${suffix}`,
        summary: 'Takes the stream of a running answer up again, from its beginning.',
        responses: { 200: ChatStream, 204: Type.Void() },
        responseHeaders: { 'x-conversation-id': ConversationHeader },
        async handle({ params }, scope) {
          // The AI SDK asks before the first question too, and takes anything but 204 for a failure.
          const conversationId = await store.findNamed(ownerOf(scope), params.id).then(({ id }) => id, unlessMissing);
          const answer = conversationId === undefined ? undefined : await openAnswer(conversationId);
          if (conversationId === undefined || answer === undefined) return { status: 204 };
          const { signal } = scope;
          const events = followedAnswer({ streams, conversations, conversationId, messageId: answer.id, signal });
          return queryApi.resumed(events, scope);
        },
      }),
      defineRoute({
        ...common,
        method: 'DELETE',
        operationId: `stopChat${suffix}`,
        summary: 'Stops the running answer of a conversation, on whichever server it is.',
        responses: { 204: Type.Void() },
        errors: [...common.errors, 'not_found', 'conflict'],
        async handle({ params }, scope) {
          const { id } = await store.findNamed(ownerOf(scope), params.id);
          const isStopped = (await streams.stop(id)) > 0;
          await running.watch();
          for (let waitedMs = 0; waitedMs < STOP_WAIT_MS; waitedMs += FOLLOW_EVERY_MS) {
            const newest = await streams.newest(id);
            if (newest === undefined || !conversations.isWritten(newest)) break;
            if (!isStopped && newest.stream === null) throw endsWithItsClient();
            await sleep(FOLLOW_EVERY_MS, undefined, { signal: scope.signal });
          }
          return { status: 204 };
        },
      }),
    ];
  });
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof AtlasError) || error.code !== 'not_found') throw error;
}

const endsWithItsClient = () =>
  new AtlasError('The running answer was not asked for as one that can be taken up again, and ends with its client.', {
    code: 'conflict',
    hint: 'Close its connection, or send `resumable: true` with the next question.',
  });
