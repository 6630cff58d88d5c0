/** Provides language models of OpenAI and of compatible servers. */
import { definePlugin, healthCheck, modelResolve } from '../../kernel/index.ts';
import { OpenaiModel } from './model.ts';
import { ModelOpenaiOptions } from './options.ts';

export { OPENAI, OPENAI_COMPATIBLE } from './provider.ts';

export const modelOpenai = definePlugin({
  name: 'model-openai',
  version: '1.0.0',
  type: 'model',
  description: 'Language models of OpenAI, and of every server that speaks its Chat Completions API.',
  options: ModelOpenaiOptions,
  setup(ctx, options) {
    const openai = new OpenaiModel(options, ctx.log);
    ctx.tap(modelResolve, async () => ({ model: await openai.resolve(), provider: openai.provider }));
    ctx.tap(healthCheck, () => [openai.health()]);
    ctx.onClose(() => openai.close());
  },
});
