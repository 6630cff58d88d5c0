/** Provides language models of OpenAI and of compatible servers. */
import { definePlugin, optional } from '../../kernel/index.ts';
import { modelProviders, provideModel } from '../model-kit/index.ts';
import { sharedLimits } from '../shared-limits/index.ts';
import { ModelOpenaiOptions } from './options.ts';
import { MODEL_PROVIDERS } from './provider.ts';
import { openaiModel } from './source.ts';

export { OPENAI, OPENAI_COMPATIBLE } from './provider.ts';
export { openaiModel } from './source.ts';

export const modelOpenai = definePlugin({
  name: 'model-openai',
  version: '1.0.0',
  type: 'model',
  description: 'Language models of OpenAI, and of every server that speaks its Chat Completions API.',
  needs: { limits: optional(sharedLimits) },
  options: ModelOpenaiOptions,
  setup(ctx, options, { limits }) {
    ctx.tap(modelProviders, () => MODEL_PROVIDERS);
    if (options.isDefault) provideModel(ctx, openaiModel(options), options, limits);
  },
});
