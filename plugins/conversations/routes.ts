/** Serves each user's own conversations over HTTP. */
import { setImmediate } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { defineRoute, type Route } from '../../kernel/index.ts';
import type { QueryApi } from '../query-api/index.ts';
import { ownerOf, type StoredConversations } from './conversations.ts';
import type { ConversationRow } from './rows.ts';
import {
  ConversationDetail,
  ConversationInfo,
  ConversationPage,
  ConversationParams,
  FeedbackBody,
  ListQuery,
  MessageParams,
  MessagesQuery,
  RenameBody,
  StarBody,
  StarResult,
} from './schemas.ts';
import type { ConversationStore } from './store.ts';
import { oneLine } from './title.ts';

const common = { tag: 'Conversations', right: 'query' } as const;
const one = { ...common, params: ConversationParams, errors: ['not_found'] };

const idOf = ({ params }: { readonly params: ConversationParams }) => params.id.toLowerCase();

function shown(row: ConversationRow) {
  return {
    id: row.id,
    userId: row.user_id === '' ? null : row.user_id,
    title: row.title,
    surface: row.surface,
    connectionId: row.connection_id,
    starred: Boolean(row.starred),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function conversationRoutes(
  store: ConversationStore,
  conversations: StoredConversations,
  showsSql: QueryApi['showsSql'],
): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/api/v1/conversations',
      operationId: 'listConversations',
      area: 'history',
      summary: 'Your conversations, by default the latest first.',
      query: ListQuery,
      responses: { 200: ConversationPage },
      async handle({ query }, scope) {
        const { rows, total } = await store.list(ownerOf(scope), query, showsSql(scope.actor));
        return { body: { conversations: rows.map(shown), total } };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: '/api/v1/conversations/:id',
      operationId: 'getConversation',
      summary: 'One conversation with its newest messages.',
      origins: 'any',
      query: MessagesQuery,
      responses: { 200: ConversationDetail },
      async handle(request, scope) {
        const { limit, offset } = request.query;
        const row = await store.find(ownerOf(scope), idOf(request));
        await conversations.written(row.id);
        const { rows, total } = await store.messages(row.id, limit, offset);
        const isSqlShown = showsSql(scope.actor);
        const messages: ReturnType<StoredConversations['shown']>[] = [];
        for (const message of rows) {
          messages.push(conversations.shown(message, isSqlShown));
          // A page may hold megabytes, and other requests wait for none of them.
          await setImmediate();
        }
        return { body: { ...shown(row), messages, total, limit, offset } };
      },
    }),
    defineRoute({
      ...one,
      method: 'PATCH',
      path: '/api/v1/conversations/:id',
      operationId: 'renameConversation',
      summary: 'Gives a conversation another title.',
      body: RenameBody,
      responses: { 200: ConversationInfo },
      async handle(request, scope) {
        const row = await store.rename(ownerOf(scope), idOf(request), oneLine(request.body.title));
        return { body: shown(row) };
      },
    }),
    defineRoute({
      ...one,
      params: MessageParams,
      method: 'PUT',
      path: '/api/v1/conversations/:id/messages/:messageId/feedback',
      operationId: 'rateAnswer',
      summary: 'Stores whether an answer was good, in place of earlier feedback.',
      body: FeedbackBody,
      responses: { 204: Type.Void() },
      async handle(request, scope) {
        const { rating, reason = '' } = request.body;
        const { id } = await store.find(ownerOf(scope), idOf(request));
        await conversations.written(id);
        const messageId = request.params.messageId.toLowerCase();
        await store.rate(id, messageId, { rating, reason: reason.toWellFormed().trim() || null });
        return { status: 204 };
      },
    }),
    defineRoute({
      ...one,
      method: 'PATCH',
      path: '/api/v1/conversations/:id/star',
      operationId: 'starConversation',
      summary: 'Stars a conversation, or takes the star away.',
      body: StarBody,
      responses: { 200: StarResult },
      async handle(request, scope) {
        const { starred } = request.body;
        const id = idOf(request);
        await store.star(ownerOf(scope), id, starred);
        return { body: { id, starred } };
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: '/api/v1/conversations/:id',
      operationId: 'deleteConversation',
      summary: 'Deletes a conversation with its messages.',
      responses: { 204: Type.Void() },
      async handle(request, scope) {
        await store.delete(ownerOf(scope), idOf(request));
        return { status: 204 };
      },
    }),
  ];
}
