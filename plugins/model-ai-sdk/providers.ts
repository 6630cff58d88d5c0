/** Lists the providers that can be named: package, default model, what each needs, and how its package makes a model. */
import type { JSONObject, LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';

/** What the provider packages are given; each takes its part of it. */
export interface Credentials {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly resourceName?: string;
  readonly region?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
}

type Fetch = typeof globalThis.fetch;

export type ProviderName = 'anthropic' | 'google' | 'azure' | 'bedrock' | 'mistral';

export interface Provider {
  readonly packageName: string;
  readonly defaultModel: string;
  /** The provider's own address, whatever variables of the environment say; `undefined`: every customer has another. */
  readonly ownUrl?: string;
  /** One sentence about what is missing, and what to set; `undefined` when nothing is. */
  missing(given: Credentials): readonly [problem: string, hint: string] | undefined;
  /** Options of every call, with the further fields of the body where they are signed and cannot be added later. */
  providerOptions?(body: Readonly<Record<string, unknown>> | undefined): SharedV4ProviderOptions | undefined;
  readonly isSigned?: boolean;
  /** Loads the package, which takes time and memory. */
  load(modelId: string, given: Credentials, fetch: Fetch): Promise<LanguageModelV4>;
}

/** The settings with the names of the packages, without what is not given. */
function common({ apiKey, baseUrl: baseURL }: Credentials, fetch: Fetch) {
  return { fetch, ...(apiKey !== undefined && { apiKey }), ...(baseURL !== undefined && { baseURL }) };
}

const needsKey =
  (name: string, variable: string) =>
  ({ apiKey }: Credentials) =>
    apiKey ? undefined : ([`The model provider "${name}" needs an API key.`, `Set ${variable}.`] as const);

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  anthropic: {
    packageName: '@ai-sdk/anthropic',
    defaultModel: 'claude-sonnet-5-5',
    ownUrl: 'https://api.anthropic.com/v1',
    missing: needsKey('anthropic', 'ANTHROPIC_API_KEY'),
    async load(modelId, given, fetch) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(common(given, fetch))(modelId);
    },
  },
  google: {
    packageName: '@ai-sdk/google',
    defaultModel: 'gemini-4-argon',
    ownUrl: 'https://generativelanguage.googleapis.com/v1beta',
    missing: needsKey('google', 'GOOGLE_GENERATIVE_AI_API_KEY'),
    async load(modelId, given, fetch) {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI(common(given, fetch))(modelId);
    },
  },
  azure: {
    packageName: '@ai-sdk/azure',
    defaultModel: 'gpt-6-luna',
    // Answers are not kept at the provider; reasoning travels in the request instead.
    providerOptions: () => ({ azure: { store: false } }),
    missing(given) {
      const key = needsKey('azure', 'AZURE_API_KEY')(given);
      if (key !== undefined || given.resourceName || given.baseUrl) return key;
      return ['The model provider "azure" needs the name of its resource.', 'Set AZURE_RESOURCE_NAME.'];
    },
    async load(modelId, given, fetch) {
      const { createAzure } = await import('@ai-sdk/azure');
      const { resourceName } = given;
      return createAzure({ ...common(given, fetch), ...(resourceName !== undefined && { resourceName }) })(modelId);
    },
  },
  bedrock: {
    packageName: '@ai-sdk/amazon-bedrock',
    defaultModel: 'anthropic.claude-sonnet-5-5',
    isSigned: true,
    providerOptions: (body) => body && { amazonBedrock: { additionalModelRequestFields: { ...body } as JSONObject } },
    missing({ apiKey, accessKeyId, secretAccessKey, region, baseUrl }) {
      if (!apiKey && !(accessKeyId && secretAccessKey)) {
        return [
          'The model provider "bedrock" needs AWS credentials.',
          'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK.',
        ];
      }
      if (region || (apiKey && baseUrl)) return undefined;
      return ['The model provider "bedrock" needs an AWS region.', 'Set AWS_REGION.'];
    },
    async load(modelId, given, fetch) {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      const { baseUrl: _baseUrl, ...credentials } = given;
      return createAmazonBedrock({ ...credentials, ...common(given, fetch) })(modelId);
    },
  },
  mistral: {
    packageName: '@ai-sdk/mistral',
    defaultModel: 'mistral-medium-3.5',
    ownUrl: 'https://api.mistral.ai/v1',
    missing: needsKey('mistral', 'MISTRAL_API_KEY'),
    async load(modelId, given, fetch) {
      const { createMistral } = await import('@ai-sdk/mistral');
      return createMistral(common(given, fetch))(modelId);
    },
  },
};

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];
