/** Provides any language model of the AI SDK. */
import { definePlugin, optional } from '../../kernel/index.ts';
import { modelProviders, provideModel } from '../model-kit/index.ts';
import { sharedLimits } from '../shared-limits/index.ts';
import { MODEL_PROVIDERS } from './model-providers.ts';
import { ModelAiSdkOptions } from './options.ts';
import { aiSdkModel } from './source.ts';

export { PROVIDERS } from './providers.ts';
export { aiSdkModel } from './source.ts';

export const modelAiSdk = definePlugin({
  name: 'model-ai-sdk',
  version: '1.0.0',
  type: 'model',
  description:
    'Any language model of the AI SDK: Anthropic, Google, Azure, Bedrock, Mistral and every other provider package.',
  needs: { limits: optional(sharedLimits) },
  options: ModelAiSdkOptions,
  setup(ctx, options, { limits }) {
    ctx.tap(modelProviders, () => MODEL_PROVIDERS);
    if (options.isDefault) provideModel(ctx, aiSdkModel(options), options, limits);
  },
});
