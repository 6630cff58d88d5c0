/** Answers questions over HTTP, at once or as a stream of events, and runs statements. */
import { definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { actions } from '../actions/index.ts';
import { agent, agentWrap } from '../agent/index.ts';
import { roleAtLeast } from '../auth-kit/index.ts';
import { http } from '../http/index.ts';
import { hidingAgent, type QueryApi, shownEvents } from './hidden-sql.ts';
import { QueryApiOptions } from './options.ts';
import { chatRoutes, queryRoute, resumedReply } from './routes.ts';
import { sqlRoute } from './sql-route.ts';

export { type AnswerKeeper, type AnswerLine, answerLines } from './answer-line.ts';
export { ChartSpec } from './chart-schema.ts';
export { type QueryApi, shownParts, showsSqlBy, tableWithoutSql } from './hidden-sql.ts';
export { refuse } from './messages.ts';
export { answerReply, QUESTION_ERRORS, resultOf, STATEMENT_ERRORS, statementReply } from './replies.ts';
export { ChatStream, ConversationHeader, DataTable, QueryResult } from './schemas.ts';

export const queryApi = definePlugin({
  name: 'query-api',
  version: '1.0.0',
  type: 'interaction',
  description: 'Answers questions over HTTP, at once or as a stream, and runs statements.',
  needs: { agent, http, actions: optional(actions) },
  options: QueryApiOptions,
  setup(ctx, options, needs): QueryApi {
    const api: QueryApi = {
      showsSql: ({ role }) => roleAtLeast(role, options.sqlFor),
      resumed: (events, scope) => resumedReply(needs, options, shownEvents(events, api.showsSql(scope.actor)), scope),
    };
    ctx.tap(httpRoutes, () => [queryRoute(needs), ...chatRoutes(needs, options), sqlRoute({ ctx, ...needs, ...api })]);
    ctx.tap(agentWrap, () => [(ask) => hidingAgent(api.showsSql, ask)], { stage: 'pre' });
    return api;
  },
});
