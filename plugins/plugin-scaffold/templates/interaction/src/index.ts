/** Serves answers as CSV, for spreadsheets that load a table from an address. */
import { definePlugin, httpRoutes } from 'atlas-query';
import { agent } from 'atlas-query/plugins/agent';
import { Options } from './options.ts';
import { answerRoute } from './routes.ts';

export const templateInteraction = definePlugin({
  name: 'template-interaction',
  version: '0.1.0',
  type: 'interaction',
  description: 'Serves answers as CSV for spreadsheets.',
  needs: { agent },
  options: Options,
  setup(ctx, options, needs) {
    const route = answerRoute(needs.agent, options);
    ctx.tap(httpRoutes, () => [route]);
  },
});
