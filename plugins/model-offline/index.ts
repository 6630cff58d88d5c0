import { datasourceList, definePlugin, type HealthItem, healthCheck, modelResolve } from '../../kernel/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { dialectOf, postgres } from '../sql-kit/index.ts';
import { createOfflineModel } from './offline-model.ts';
import { ModelOfflineOptions } from './options.ts';

export { type Reading, readQuestion } from './conversation.ts';
export { createOfflineModel } from './offline-model.ts';
export { OFFLINE } from './provider.ts';

const READY: HealthItem = {
  component: 'provider',
  status: 'ok',
  details: { provider: 'offline', model: 'offline' },
};

export const modelOffline = definePlugin({
  name: 'model-offline',
  version: '1.0.0',
  type: 'model',
  description: 'Answers from the semantic layer alone, without a language model.',
  needs: { layer: semanticLayer },
  options: ModelOfflineOptions,
  setup(ctx, _options, { layer }) {
    ctx.tap(modelResolve, async (question, scope) => {
      const connections = (await ctx.call(datasourceList, undefined, scope)).map((item) => item.value);
      const model = await layer.for(scope);
      const dialects = new Map(
        await Promise.all(
          connections.map(async ({ id, dbType }) => [id, await dialectOf(ctx, dbType, scope)] as const),
        ),
      );
      return {
        provider: 'offline',
        model: createOfflineModel({
          model,
          now: () => new Date(ctx.now()),
          dialectOf(connectionId) {
            const wanted = connectionId ?? question.connectionId ?? 'default';
            return dialects.get(wanted) ?? [...dialects.values()][0] ?? postgres;
          },
        }),
      };
    });
    // It needs nothing from anywhere, so it is there as long as the plugin is.
    ctx.tap(healthCheck, () => [READY]);
  },
});
