/** Makes models of the AI SDK's provider packages: one that is given, or one by name, loaded soon after the start. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { AtlasError } from '../../kernel/index.ts';
import {
  type Connections,
  fetchOver,
  keptConnections,
  loadPackage,
  type ModelSource,
  RefusedFields,
  withCallDefaults,
} from '../model-kit/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import type { AiSdkModelOptions } from './options.ts';
import { PROVIDERS, type Provider } from './providers.ts';

const misconfigured = (message: string, hint: string) => new AtlasError(message, { code: 'configuration_error', hint });

/**
 * Throws `configuration_error` when neither a model nor a provider is given, or when its package is not installed. A named
 * provider uses `connections`, which are closed with the model.
 */
export function aiSdkModel(options: AiSdkModelOptions, connections?: Connections): ModelSource {
  const { model, provider } = options;
  if (typeof model === 'object') return givenModel(model, options);
  if (provider !== undefined) return namedModel(provider, model, options, connections);
  throw misconfigured(
    'The plugin model-ai-sdk has no model.',
    'Give model: anthropic("…") of a provider package, or provider: "anthropic".',
  );
}

/** Its package has its key, its connections and its base URL already. */
function givenModel(model: LanguageModelV4, options: AiSdkModelOptions): ModelSource {
  if (options.body !== undefined) {
    throw misconfigured(
      'A model that is given as a value takes no further fields of the body.',
      'Give them to its package, or give provider and model as texts.',
    );
  }
  return {
    // Packages name the API too: `anthropic.messages`.
    provider: model.provider.replace(/\..*/, ''),
    modelId: model.modelId,
    secrets: secretsOf(options),
    load: async () => withCallDefaults(model, options),
  };
}

function namedModel(
  provider: keyof typeof PROVIDERS,
  model: string | undefined,
  options: AiSdkModelOptions,
  connections = keptConnections(),
): ModelSource {
  const { packageName, defaultModel, missing, load, isSigned, providerOptions }: Provider = PROVIDERS[provider];
  requirePackages([packageName], import.meta.url);
  const modelId = model ?? defaultModel;
  const problem = missing(options);
  return {
    provider,
    modelId,
    secrets: secretsOf(options),
    missing: problem && misconfigured(...problem),
    async load() {
      const { body } = options;
      const refused = new RefusedFields();
      // What is signed cannot be changed any more.
      const fetch = fetchOver(connections, isSigned ? {} : { body, refused });
      const made = refused.retrying(await loadPackage(() => load(modelId, options, fetch)));
      return withCallDefaults(made, { ...options, providerOptions: providerOptions?.(body) });
    },
    close: () => connections.close(),
  };
}

function secretsOf({ apiKey, secretAccessKey, sessionToken, headers = {} }: AiSdkModelOptions): string[] {
  return [apiKey, secretAccessKey, sessionToken, ...Object.values(headers)].filter((text) => text !== undefined);
}
