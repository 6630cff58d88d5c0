/** Offers a model to the agent: the part that is the same in every model plugin. */
import { healthCheck, modelResolve, type PluginContext } from '../../kernel/index.ts';
import type { ModelOptions } from './options.ts';
import { resilientModel } from './resilience.ts';
import type { ModelSource } from './source.ts';

export function provideModel(ctx: PluginContext, source: ModelSource, options: ModelOptions): void {
  const { fallback, contextTokens } = options;
  const model = resilientModel({ source, fallback, options, log: ctx.log, now: () => ctx.now() });
  const { provider } = source;
  ctx.tap(modelResolve, async () => ({
    model: await model.resolve(),
    provider,
    ...(contextTokens !== undefined && { contextTokens }),
  }));
  ctx.tap(healthCheck, () => [model.health()]);
  ctx.onClose(() => model.close());
}
