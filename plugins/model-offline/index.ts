import { datasourceList, definePlugin, healthCheck, modelResolve } from '../../kernel/index.ts';
import { inTurn, questionRecognize } from '../agent/index.ts';
import { modelProviders, type OpenModel } from '../model-kit/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { dialectOf, postgres, type SqlDialect } from '../sql-kit/index.ts';
import { ModelOfflineOptions } from './options.ts';
import { OFFLINE } from './provider.ts';

export { OFFLINE } from './provider.ts';

/** The reader of questions is loaded with the first: most servers ask a language model. */
export const offlineReader = () => import('./conversation.ts');
export const timeReader = () => import('./words/time-phrases.ts');
export const tokenizer = () => import('./words/tokenize.ts');
export const offlineModel = () => import('./offline-model.ts');

export const modelOffline = definePlugin({
  name: 'model-offline',
  version: '1.0.0',
  type: 'model',
  description: 'Answers from the semantic layer alone, without a language model.',
  needs: { layer: semanticLayer },
  options: ModelOfflineOptions,
  setup(ctx, { isDefault }, { layer }) {
    const { name: provider } = OFFLINE;
    const resolve: OpenModel['resolve'] = async (question, scope) => {
      const connections = (await ctx.call(datasourceList, undefined, scope)).map((item) => item.value);
      const model = await layer.for(scope);
      const dialects = new Map<string, SqlDialect>();
      for (const { id, dbType } of connections) dialects.set(id, await dialectOf(ctx, dbType, scope));
      const dialectFor = (connectionId = question.connectionId ?? 'default') =>
        dialects.get(connectionId) ?? [...dialects.values()][0] ?? postgres;
      const { createOfflineModel } = await offlineModel();
      const recognitions = await ctx.call(questionRecognize, question, scope);
      const recognized = inTurn(recognitions.map(({ value }) => value));
      const init = { model, now: () => new Date(ctx.now()), dialectOf: dialectFor, recognized };
      return { provider, model: createOfflineModel(init), isOffline: true };
    };
    const open = () => ({ resolve, close() {} });
    ctx.tap(modelProviders, () => [{ name: provider, apiKey: 'none' as const, baseUrl: 'none' as const, open }]);
    if (!isDefault) return;
    ctx.tap(modelResolve, resolve);
    // It needs nothing from anywhere, so it is there as long as the plugin is.
    const details = { provider, model: 'offline' };
    ctx.tap(healthCheck, () => [{ component: 'provider', status: 'ok' as const, details }]);
  },
});
