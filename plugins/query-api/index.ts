/** Answers questions over HTTP: one answer, or a stream of events. */
import { definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { actions } from '../actions/index.ts';
import { agent } from '../agent/index.ts';
import { http } from '../http/index.ts';
import { QueryApiOptions } from './options.ts';
import { chatRoutes, queryRoute } from './routes.ts';

export const queryApi = definePlugin({
  name: 'query-api',
  version: '1.0.0',
  type: 'interaction',
  description: 'Answers questions over HTTP, at once or as a stream.',
  needs: { agent, http, actions: optional(actions) },
  options: QueryApiOptions,
  setup(ctx, options, needs) {
    ctx.tap(httpRoutes, () => [queryRoute(needs), ...chatRoutes(needs, options)]);
  },
});
