/** The endpoints that answer questions. */
import { randomUUID } from 'node:crypto';
import type { Question, Route, RouteReply, RouteRequest, Scope } from '../../kernel/index.ts';
import type { Answer } from '../agent/index.ts';
import type { ChatClient } from '../conversations/index.ts';
import type { HttpServer } from '../http/api.ts';
import type { Asking } from './asking.ts';
import { eventStream } from './event-stream.ts';
import { turnsOf } from './messages.ts';
import type { QueryApiOptions } from './options.ts';
import { ChatBody, ChatQuery, ChatStream, ConversationHeader, QueryBody, QueryResult } from './schemas.ts';
import { codeEncoder } from './stream-codes.ts';
import { type UiMessage, uiEncoder } from './stream-ui.ts';

/** Failures of configuration, datasource and model provider; see the table of error codes. */
const ERRORS = [
  'configuration_error',
  'no_datasource',
  'datasource_unavailable',
  'not_found',
  'conflict',
  'not_available',
  'provider_model_not_found',
  'provider_auth_error',
  'provider_rate_limit',
  'provider_timeout',
  'provider_unreachable',
  'provider_error',
];

/** `surface` says where the question came from, for the audit and for the agent. */
function questionOf(body: QueryBody | ChatBody, turns: Question['turns'], surface: string): Question {
  const { connectionId, conversationId } = body;
  return {
    turns,
    surface,
    ...(connectionId !== undefined && { connectionId }),
    ...(conversationId !== undefined && { conversationId }),
  };
}

/** Leaves out what concerns only the agent: each table has its statement in `sql`, at the same place. */
function resultOf(answer: Answer, conversationId: string | undefined): QueryResult {
  const { text, sql, data, steps, usage, pendingActions } = answer;
  return {
    answer: text,
    sql: [...sql],
    data: data.map(({ columns, rows, truncated }) => ({ columns, rows, truncated })) as QueryResult['data'],
    steps,
    usage,
    ...(conversationId !== undefined && { conversationId }),
    ...(pendingActions.length > 0 && { pendingActions: [...pendingActions] }),
  };
}

/** One question, one answer: `POST /api/v1/query`. */
export function queryRoute(asking: Asking): Route {
  return {
    method: 'POST',
    path: '/api/v1/query',
    operationId: 'askQuestion',
    summary: 'Answers a question with text, SQL and rows.',
    tag: 'Query',
    right: 'query',
    body: QueryBody,
    responses: { 200: QueryResult },
    errors: ERRORS,
    async handle(request, scope): Promise<RouteReply> {
      const body = request.body as QueryBody;
      const question = questionOf(body, [{ role: 'user', text: body.question }], 'api');
      const sendUntil = asking.sendUntil();
      const { answer, conversationId } = await asking.answer(question, scope);
      return { body: resultOf(answer, conversationId), sendUntil };
    },
  };
}

/** The same endpoint under both published paths. */
export function chatRoutes(asking: Asking, http: HttpServer, options: QueryApiOptions): Route[] {
  const handle = async (request: RouteRequest, scope: Scope): Promise<RouteReply> => {
    const body = request.body as ChatBody;
    const { stream } = request.query as ChatQuery;
    const question = questionOf(body, turnsOf(body.messages), 'web');
    const sendUntil = asking.sendUntil();
    // An encoder has state, so each answer gets its own.
    const encoderOf = (message: UiMessage) => (stream === 'ui' ? uiEncoder(message) : codeEncoder());
    const client: ChatClient = {
      // An empty name is none.
      ...(body.id && { name: body.id }),
      isRegenerated: body.trigger === 'regenerate-message',
    };
    const opening = asking.stream(question, scope, client).then(({ events, messageId, conversationId }) => ({
      events,
      encoder: encoderOf({ messageId, conversationId }),
      headers: conversationId === undefined ? {} : { 'x-conversation-id': conversationId },
    }));
    const reply = await eventStream(opening, {
      scope,
      encoder: encoderOf({ messageId: randomUUID(), conversationId: undefined }),
      pingEveryMs: options.pingEveryMs,
      failure: (error) => http.failure(error, scope).body,
    });
    return { ...reply, sendUntil };
  };
  const paths = [
    { path: '/api/chat', operationId: 'chat' },
    { path: '/api/v1/chat', operationId: 'chatV1' },
  ];
  return paths.map((named) => ({
    ...named,
    method: 'POST',
    summary: 'Answers the last message of a conversation as a stream of events.',
    tag: 'Chat',
    right: 'query',
    query: ChatQuery,
    body: ChatBody,
    responses: { 200: ChatStream },
    responseHeaders: { 'x-conversation-id': ConversationHeader },
    errors: ERRORS,
    handle,
  }));
}
