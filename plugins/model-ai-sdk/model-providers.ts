/** Declares how the named providers are chosen at run time. */
import { type ModelProvider, openModel } from '../model-kit/index.ts';
import { PROVIDER_NAMES, PROVIDERS, type Provider } from './providers.ts';
import { aiSdkModel } from './source.ts';

export const MODEL_PROVIDERS: readonly ModelProvider[] = PROVIDER_NAMES.map((name) => {
  const { ownUrl }: Provider = PROVIDERS[name];
  return {
    name,
    apiKey: 'required',
    baseUrl: ownUrl === undefined ? 'required' : 'optional',
    open({ baseUrl = ownUrl, ...chosen }, init) {
      const options = { provider: name, ...chosen, ...(baseUrl !== undefined && { baseUrl }) };
      return openModel(aiSdkModel(options, init.connections), init);
    },
  };
});
