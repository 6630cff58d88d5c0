/** Records what model providers answer, and plays it back without them. */
import { AtlasError, definePlugin } from '../../kernel/index.ts';
import { agentWrap } from '../agent/index.ts';
import { namingMissing } from './named-failure.ts';
import { ModelReplayOptions } from './options.ts';
import { Recordings } from './recordings.ts';
import { startReplayServer } from './server.ts';

export { recordedFact, recordFact, recordingModel, replayedModel } from './recorded-model.ts';
export { Recordings } from './recordings.ts';

export interface ModelReplay {
  /** Origin that stands in for the provider's in base URLs. */
  readonly url: string;
}

export const modelReplay = definePlugin({
  name: 'model-replay',
  version: '1.0.0',
  type: 'model',
  description: 'Records what model providers answer, and plays it back without them.',
  options: ModelReplayOptions,
  async setup(ctx, options): Promise<ModelReplay> {
    if (options.mode === 'record' && options.target === undefined) {
      throw new AtlasError('Recording needs the provider that is asked.', {
        code: 'configuration_error',
        reason: 'E_REPLAY_TARGET',
        hint: 'Give target, such as https://api.openai.com.',
      });
    }
    const recordings = await Recordings.open(options.file, options.maxFileBytes);
    const server = await startReplayServer({ options, recordings, log: ctx.log });
    ctx.tap(agentWrap, () => [namingMissing]);
    ctx.onClose(() => server.close());
    return { url: server.url };
  },
});
