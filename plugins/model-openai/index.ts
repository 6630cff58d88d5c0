/** Provides language models of OpenAI and of compatible servers. */
import { definePlugin } from '../../kernel/index.ts';
import { modelProviders, provideModel } from '../model-kit/index.ts';
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
  options: ModelOpenaiOptions,
  setup(ctx, options) {
    ctx.tap(modelProviders, () => MODEL_PROVIDERS);
    if (options.isDefault) provideModel(ctx, openaiModel(options), options);
  },
});
