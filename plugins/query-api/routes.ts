/** Serves the endpoints that answer questions. */
import { defineRoute, type Question, type Route, type RouteReply, type Scope } from '../../kernel/index.ts';
import type { Actions } from '../actions/index.ts';
import type { Agent, AgentEvent } from '../agent/index.ts';
import { freshResults } from '../datasource-kit/index.ts';
import type { HttpServer } from '../http/index.ts';
import { AnswerLine } from './answer-line.ts';
import { eventStream } from './event-stream.ts';
import { turnsOf } from './messages.ts';
import type { QueryApiOptions } from './options.ts';
import { answerReply, QUESTION_ERRORS, sendUntil } from './replies.ts';
import { ChatBody, ChatQuery, ChatStream, ConversationHeader, QueryBody, QueryResult } from './schemas.ts';
import { codeEncoder } from './stream-codes.ts';
import { uiEncoder } from './stream-ui.ts';

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

export interface RoutesInit {
  readonly agent: Agent;
  readonly http: HttpServer;
  /** Given in a composition that has actions. */
  readonly actions?: Actions | undefined;
}

/** One question, one answer: `POST /api/v1/query`. */
export function queryRoute({ agent, actions }: RoutesInit): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/v1/query',
    operationId: 'askQuestion',
    summary: 'Answers a question with text, SQL and rows.',
    tag: 'Query',
    right: 'query',
    origins: 'any',
    body: QueryBody,
    responses: { 200: QueryResult },
    errors: QUESTION_ERRORS,
    async handle({ body }, scope) {
      const question = questionOf(body, [{ role: 'user', text: body.question }], 'api');
      if (body.fresh === true) freshResults.set(scope, true);
      return answerReply(agent, question, scope, actions?.available === true);
    },
  });
}

/** For the AI SDK, which alone sends a trigger: `onError` of `useChat` gets the body of a failed request as it is. */
function plainFailure({ status, headers, body }: ReturnType<HttpServer['failure']>): RouteReply {
  const { message, error, requestId } = body;
  return {
    status,
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
    body: `${message} (${error}, request ${requestId})`,
  };
}

/** Streams an answer of which the events are read from storage. */
export async function resumedReply(
  { agent, http, actions }: RoutesInit,
  { pingEveryMs }: QueryApiOptions,
  events: AsyncIterable<AgentEvent>,
  scope: Scope,
): Promise<RouteReply> {
  const encoder = uiEncoder(actions?.available === true);
  const failure = (error: unknown) => {
    // The answer goes on elsewhere: the stream is cut off, so that its client takes it up again there.
    if (scope.signal.aborted) throw error;
    return http.failure(error, scope).body;
  };
  const until = sendUntil(agent);
  return { ...(await eventStream(events, { scope, encoder, pingEveryMs, failure })), sendUntil: until };
}

/** The same endpoint under both published paths. */
export function chatRoutes({ agent, http, actions }: RoutesInit, { pingEveryMs }: QueryApiOptions): Route[] {
  const paths = [
    { path: '/api/chat', operationId: 'chat' },
    { path: '/api/v1/chat', operationId: 'chatV1', area: 'chat' },
  ];
  return paths.map((named) =>
    defineRoute({
      ...named,
      method: 'POST',
      summary: 'Answers the last message of a conversation as a stream of events.',
      tag: 'Chat',
      right: 'query',
      origins: 'any',
      query: ChatQuery,
      body: ChatBody,
      responses: { 200: ChatStream },
      responseHeaders: { 'x-conversation-id': ConversationHeader },
      errors: QUESTION_ERRORS,
      async handle({ body, query }, scope) {
        const isUi = query.stream === 'ui';
        // Who asks the same again wants another answer than the one that they have.
        if (body.fresh === true || body.trigger === 'regenerate-message') freshResults.set(scope, true);
        try {
          const question: Question = {
            ...questionOf(body, turnsOf(body.messages), 'web'),
            // An empty name is none.
            ...(body.id && { conversationName: body.id }),
            ...(body.trigger === 'regenerate-message' && { regenerates: body.messageId ? 'any' : 'last' }),
          };
          const until = sendUntil(agent);
          const hasActions = actions?.available === true;
          const line = body.resumable === true ? new AnswerLine(scope, http) : undefined;
          const reply = await eventStream(agent.ask(question, scope), {
            scope,
            // An encoder has state, so each answer gets its own.
            encoder: isUi ? uiEncoder(hasActions) : codeEncoder(hasActions),
            pingEveryMs,
            line,
            failure: (error) => http.failure(error, scope).body,
          });
          return { ...reply, sendUntil: until };
        } catch (error) {
          if (!isUi || body.trigger === undefined) throw error;
          return plainFailure(http.failure(error, scope));
        }
      },
    }),
  );
}
