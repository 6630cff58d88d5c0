/** Lists the model providers, and makes the fallback of one out of the others. */
import { Type } from '@sinclair/typebox';
import type { PluginEntry } from '../../kernel/index.ts';
import { aiSdkModel, modelAiSdk } from '../../plugins/model-ai-sdk/index.ts';
import type { ModelSource } from '../../plugins/model-kit/index.ts';
import { modelOffline, OFFLINE } from '../../plugins/model-offline/index.ts';
import { modelOpenai, OPENAI, OPENAI_COMPATIBLE, openaiModel } from '../../plugins/model-openai/index.ts';
import {
  type Alternative,
  type AlternativeInit,
  type AnyPlugin,
  alternative,
  type Chosen,
  httpUrl,
  type Names,
  named,
  type OptionsOf,
  type Syntax,
  settings,
  settingsOf,
  type Values,
} from '../variable.ts';

const FALLBACK_VARIABLE = 'SVC_FALLBACK_MODEL';

/** The model that is asked when the first fails. */
interface Fallback {
  readonly provider: string;
  source(values: Values): ModelSource;
}

const isFallback = (provider: string) => (values: Values) =>
  (values.get(FALLBACK_VARIABLE) as Fallback | undefined)?.provider === provider;

/** A provider that can also be the fallback of another. */
interface Provider extends Alternative {
  source(values: Values, model: string): ModelSource;
}

function provider<P extends AnyPlugin>(
  init: AlternativeInit<OptionsOf<P>>,
  plugin: P,
  source: (options: never) => ModelSource,
  names: Names<OptionsOf<P>>,
): Provider {
  const own = settings(plugin, names);
  return {
    ...alternative<P>({ ...init, more: protection, isReserve: isFallback(init.name) }, plugin, names),
    source(values, model) {
      // Further headers and fields are the first model's.
      const given = Object.assign({}, own.read(values), init.options, { model, headers: undefined, body: undefined });
      return source(given as never);
    },
  };
}

/** The variables that every provider has. */
const COMMON = {
  model: 'SVC_MODEL',
  contextTokens: 'SVC_MODEL_CONTEXT_TOKENS',
  temperature: 'SVC_MODEL_TEMPERATURE',
  reasoning: 'SVC_MODEL_REASONING',
  headers: 'SVC_MODEL_HEADERS',
  body: 'SVC_MODEL_BODY',
} as const;
const OPENAI_NAMES = { ...COMMON, apiKey: 'OPENAI_API_KEY', baseUrl: named('OPENAI_BASE_URL', httpUrl) } as const;

const defaultModel = (values: Values) =>
  values.has('SVC_MODEL')
    ? undefined
    : 'SVC_MODEL is not set, so the server is asked for the model "default"; set it to the name of a model there.';
const unusedFallback = (values: Values) =>
  values.has('SVC_FALLBACK_MODEL')
    ? 'SVC_FALLBACK_MODEL is set, but the model provider is offline, which needs none.'
    : undefined;

const ANTHROPIC = { name: 'anthropic', options: { provider: 'anthropic' } } as const;
const GOOGLE = { name: 'google', options: { provider: 'google' } } as const;
const AZURE = { name: 'azure', options: { provider: 'azure' } } as const;
const BEDROCK = { name: 'bedrock', options: { provider: 'bedrock' } } as const;
const MISTRAL = { name: 'mistral', options: { provider: 'mistral' } } as const;

const WITH_MODELS: readonly Provider[] = [
  provider({ ...OPENAI, chosenBy: 'OPENAI_API_KEY' }, modelOpenai, openaiModel, OPENAI_NAMES),
  provider({ ...OPENAI_COMPATIBLE, warning: defaultModel }, modelOpenai, openaiModel, OPENAI_NAMES),
  provider({ ...ANTHROPIC, chosenBy: 'ANTHROPIC_API_KEY' }, modelAiSdk, aiSdkModel, {
    ...COMMON,
    apiKey: 'ANTHROPIC_API_KEY',
    baseUrl: named('ANTHROPIC_BASE_URL', httpUrl),
  }),
  provider({ ...GOOGLE, chosenBy: 'GOOGLE_GENERATIVE_AI_API_KEY' }, modelAiSdk, aiSdkModel, {
    ...COMMON,
    apiKey: 'GOOGLE_GENERATIVE_AI_API_KEY',
    baseUrl: named('GOOGLE_GENERATIVE_AI_BASE_URL', httpUrl),
  }),
  provider({ ...AZURE, chosenBy: 'AZURE_API_KEY' }, modelAiSdk, aiSdkModel, {
    ...COMMON,
    apiKey: 'AZURE_API_KEY',
    resourceName: 'AZURE_RESOURCE_NAME',
    baseUrl: named('AZURE_BASE_URL', httpUrl),
  }),
  // AWS credentials are set for many reasons: only the key of Bedrock alone chooses it.
  provider({ ...BEDROCK, chosenBy: 'AWS_BEARER_TOKEN_BEDROCK' }, modelAiSdk, aiSdkModel, {
    ...COMMON,
    apiKey: 'AWS_BEARER_TOKEN_BEDROCK',
    region: 'AWS_REGION',
    accessKeyId: 'AWS_ACCESS_KEY_ID',
    secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
    sessionToken: 'AWS_SESSION_TOKEN',
    baseUrl: named('AWS_ENDPOINT_URL', httpUrl),
  }),
  provider({ ...MISTRAL, chosenBy: 'MISTRAL_API_KEY' }, modelAiSdk, aiSdkModel, {
    ...COMMON,
    apiKey: 'MISTRAL_API_KEY',
    baseUrl: named('MISTRAL_BASE_URL', httpUrl),
  }),
];

/** The one whose variable `chosenBy` is set is taken, unless SVC_PROVIDER names another. */
export const PROVIDERS: readonly Alternative[] = [
  ...WITH_MODELS,
  alternative({ ...OFFLINE, warning: unusedFallback }, modelOffline, {}),
];

/** The plugin of the provider, and those of the others, whose models can be chosen while Atlas runs. */
export function models({ provider: { plugin } }: { readonly provider: Chosen }): PluginEntry[] {
  const others = [modelOpenai, modelAiSdk, modelOffline].filter(({ definition }) => definition !== plugin.definition);
  return [plugin, ...others.map((other) => other({ isDefault: false }))];
}

/** `provider/model`; the id of the model may have slashes too. */
const providerAndModel: Syntax = {
  expected: `provider/model, such as anthropic/claude-haiku-5-5, with one of ${WITH_MODELS.map(({ name }) => name).join(', ')}`,
  read(text) {
    const slash = text.indexOf('/');
    const [name, model] = [text.slice(0, slash), text.slice(slash + 1)];
    const found = WITH_MODELS.find((item) => item.name === name);
    return slash < 0 || model === '' || found === undefined
      ? undefined
      : { provider: name, source: (values: Values) => found.source(values, model) };
  },
};

const FallbackModel = Type.Object({
  model: Type.Optional(
    Type.Unsafe<Fallback>(
      Type.Any({ description: 'model that is asked when the first fails, with the key of its provider' }),
    ),
  ),
});
export const FALLBACK = settingsOf<{ model?: Fallback }>(FallbackModel, {
  model: named(FALLBACK_VARIABLE, providerAndModel),
});

/** Two models share the time of one call. */
function protection(values: Values) {
  const timeoutMs = values.get('SVC_MODEL_TIMEOUT_MS');
  return {
    ...(typeof timeoutMs === 'number' && { fallbackAfterMs: Math.ceil(timeoutMs / 2) }),
    ...(values.has(FALLBACK_VARIABLE) && { fallback: FALLBACK.read(values)?.model?.source(values) }),
  };
}
