/** Defines the options of models that provider packages of the AI SDK make. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Static, Type } from '../../kernel/index.ts';
import { IS_DEFAULT, MODEL_OPTIONS } from '../model-kit/index.ts';
import { PROVIDER_NAMES } from './providers.ts';

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** What the provider packages are given; each takes its own part of it. */
const CREDENTIALS = {
  apiKey: text('key of the provider; of "bedrock" the API key, in place of access key and secret'),
  baseUrl: Type.Optional(
    Type.String({ pattern: '^https?://\\S+$', description: "URL in place of the provider's, such as a gateway" }),
  ),
  resourceName: text('name of the Azure OpenAI resource'),
  region: text('AWS region of "bedrock"'),
  accessKeyId: text('AWS access key of "bedrock"'),
  secretAccessKey: text('secret of the AWS access key'),
  sessionToken: text('session token of temporary AWS credentials'),
};

export const ModelAiSdkOptions = Type.Object(
  {
    model: Type.Optional(
      Type.Unsafe<LanguageModelV4 | string>(
        Type.Any({
          description: 'a model of a provider package, such as `anthropic("…")`; or with `provider` its id',
        }),
      ),
    ),
    provider: Type.Optional(
      Type.Union(
        PROVIDER_NAMES.map((name) => Type.Literal(name)),
        { description: 'provider whose package makes the model' },
      ),
    ),
    ...CREDENTIALS,
    ...MODEL_OPTIONS,
    isDefault: IS_DEFAULT,
  },
  { additionalProperties: false },
);
type ModelAiSdkOptions = Static<typeof ModelAiSdkOptions>;

/** Those that make the model itself. */
export type AiSdkModelOptions = Pick<
  ModelAiSdkOptions,
  'model' | 'provider' | 'temperature' | 'reasoning' | 'headers' | 'body' | keyof typeof CREDENTIALS
>;
