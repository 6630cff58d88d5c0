/** Shows administrators which plugins run and how they are, and counts what the organization has. */
import { datasourceList, definePlugin, httpRoutes, optional } from '../../kernel/index.ts';
import { health } from '../health/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { pluginRoutes } from './routes.ts';

export type { Overview, PluginHealth, PluginList } from './schemas.ts';

export const adminPlugins = definePlugin({
  name: 'admin-plugins',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for administrators: overview, plugins and their health.',
  needs: { health: optional(health), layer: optional(semanticLayer) },
  setup(ctx, _options, { health: checks, layer }) {
    const routes = pluginRoutes({
      describe: () => ctx.describe(),
      checks,
      layer,
      countConnections: async (scope) => (await ctx.call(datasourceList, undefined, scope)).length,
      now: ctx.now,
    });
    ctx.tap(httpRoutes, () => routes);
  },
});
