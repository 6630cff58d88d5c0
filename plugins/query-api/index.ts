/** Answers questions over HTTP, at once or as a stream of events, and runs statements. */
import { definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { actions } from '../actions/index.ts';
import { agent } from '../agent/index.ts';
import { http } from '../http/index.ts';
import { QueryApiOptions } from './options.ts';
import { chatRoutes, queryRoute } from './routes.ts';
import { sqlRoute } from './sql-route.ts';

export const queryApi = definePlugin({
  name: 'query-api',
  version: '1.0.0',
  type: 'interaction',
  description: 'Answers questions over HTTP, at once or as a stream, and runs statements.',
  needs: { agent, http, actions: optional(actions) },
  options: QueryApiOptions,
  setup(ctx, options, needs) {
    ctx.tap(httpRoutes, () => [queryRoute(needs), ...chatRoutes(needs, options), sqlRoute({ ctx, ...needs })]);
  },
});
