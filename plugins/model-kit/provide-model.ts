/** Offers a model to the agent: the part that is the same in every model plugin. */
import { appReady, healthCheck, modelResolve, type PluginContext } from '../../kernel/index.ts';
import type { SharedLimits } from '../shared-limits/index.ts';
import { modelProbe } from './hooks.ts';
import type { ModelOptions } from './options.ts';
import { unreachable } from './reachability.ts';
import { resilientModel } from './resilience.ts';
import type { ModelSource } from './source.ts';

/** After the start, which the loading of the provider's package must not delay. */
const LOAD_AFTER_MS = 100;

/** `limits`: where servers tell each other of open circuit breakers. */
export function provideModel(
  ctx: PluginContext,
  source: ModelSource,
  options: ModelOptions,
  limits?: SharedLimits,
): void {
  const { fallback, contextTokens } = options;
  const model = resilientModel({
    source,
    fallback,
    options,
    log: ctx.log,
    now: () => ctx.now(),
    shared: limits?.attempts('model-kit.circuit-breakers'),
  });
  const { provider } = source;
  ctx.tap(modelResolve, async () => ({
    model: await model.resolve(),
    provider,
    ...(contextTokens !== undefined && { contextTokens }),
  }));
  ctx.tap(healthCheck, () => [model.health()]);
  ctx.tap(modelProbe, async (_, { signal }) => {
    const sources = [source, ...(fallback === undefined ? [] : [fallback])];
    return (await Promise.all(sources.map((one) => unreachable(one, signal)))).filter((item) => item !== undefined);
  });
  let loading: NodeJS.Timeout | undefined;
  ctx.on(appReady, () => {
    // A failure is met again, and told, by the first question.
    loading = setTimeout(() => model.resolve().catch(() => {}), LOAD_AFTER_MS).unref();
  });
  ctx.onClose(() => {
    clearTimeout(loading);
    model.close();
  });
}
