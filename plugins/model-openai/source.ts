/** Makes the models of OpenAI and of compatible servers, each loaded soon after the start. */
import { AtlasError } from '../../kernel/index.ts';
import {
  type Connections,
  fetchOver,
  keptConnections,
  loadPackage,
  type ModelSource,
  withCallDefaults,
} from '../model-kit/index.ts';
import { DEFAULT_MODELS, OPENAI_URL, type OpenaiModelOptions } from './options.ts';

/** Throws `configuration_error` for a base URL that is none. `connections` are closed with the model. */
export function openaiModel(options: OpenaiModelOptions, connections = keptConnections()): ModelSource {
  const { provider, apiKey, baseUrl, model: modelId = DEFAULT_MODELS[provider] } = options;
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    throw new AtlasError('The base URL of the model provider is not a URL.', {
      code: 'configuration_error',
      hint: 'Give an http or https URL, such as http://127.0.0.1:11434/v1.',
    });
  }
  const load = async () =>
    provider === 'openai'
      ? (await loadPackage(() => import('./responses.ts'))).responsesModel(modelId, options, connections)
      : (await loadPackage(() => import('./compatible.ts'))).compatibleModel(modelId, options, connections);
  return {
    provider,
    modelId,
    secrets: apiKey ? [apiKey] : [],
    missing: missingIn(options),
    load: async () => withCallDefaults(await load(), options),
    models: (signal) => modelNames(options, connections, signal),
    close: () => connections.close(),
  };
}

/** What is missing in the configuration; `undefined` when nothing is. */
function missingIn({ provider, apiKey, baseUrl }: OpenaiModelOptions): AtlasError | undefined {
  const missing =
    provider === 'openai' && !apiKey
      ? (['The model provider "openai" needs an API key.', 'Set OPENAI_API_KEY, or choose another provider.'] as const)
      : provider === 'openai-compatible' && baseUrl === undefined
        ? ([
            'The model provider "openai-compatible" needs a base URL.',
            'Set OPENAI_BASE_URL, such as http://127.0.0.1:11434/v1.',
          ] as const)
        : undefined;
  return missing && new AtlasError(missing[0], { code: 'configuration_error', hint: missing[1] });
}

/** What `GET /models` lists. */
async function modelNames(
  { apiKey, baseUrl = OPENAI_URL, headers }: OpenaiModelOptions,
  connections: Connections,
  signal: AbortSignal,
): Promise<unknown[]> {
  const authorization = apiKey ? { authorization: `Bearer ${apiKey}` } : undefined;
  const url = `${baseUrl.replace(/\/+$/, '')}/models`;
  const response = await fetchOver(connections)(url, { headers: { ...authorization, ...headers }, signal });
  const { data } = (await response.json()) as { data?: unknown };
  return Array.isArray(data) ? data.map((model: { id?: unknown } | null) => model?.id) : [];
}
