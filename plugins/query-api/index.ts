/** Questions over HTTP: one answer, or a stream of events. */
import { definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { agent } from '../agent/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { Asking } from './asking.ts';
import { QueryApiOptions } from './options.ts';
import { chatRoutes, queryRoute } from './routes.ts';

export const queryApi = definePlugin({
  name: 'query-api',
  version: '1.0.0',
  type: 'interaction',
  description: 'Answers questions over HTTP, at once or as a stream.',
  needs: { agent, http, conversations: optional(conversations) },
  options: QueryApiOptions,
  setup(ctx, options, needs) {
    const asking = new Asking(needs.agent, needs.conversations);
    ctx.tap(httpRoutes, () => [queryRoute(asking), ...chatRoutes(asking, needs.http, options)]);
  },
});
