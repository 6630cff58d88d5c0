import { type Static, Type } from '../../kernel/index.ts';
import { IS_DEFAULT, MODEL_OPTIONS } from '../model-kit/index.ts';

export const ModelOpenaiOptions = Type.Object(
  {
    provider: Type.Union([Type.Literal('openai'), Type.Literal('openai-compatible')], {
      default: 'openai',
      description:
        '"openai" speaks the Responses API, "openai-compatible" Chat Completions (Ollama, vLLM, LM Studio, gateways)',
    }),
    apiKey: Type.Optional(
      Type.String({ description: 'key of the provider; needed by "openai", compatible servers may do without' }),
    ),
    baseUrl: Type.Optional(
      Type.String({
        pattern: '^https?://\\S+$',
        description: 'URL of the provider, usually ending in /v1; needed by "openai-compatible"; default: OpenAI',
      }),
    ),
    model: Type.Optional(Type.String({ minLength: 1, description: 'id of the model as the provider names it' })),
    ...MODEL_OPTIONS,
    isDefault: IS_DEFAULT,
  },
  { additionalProperties: false },
);
type ModelOpenaiOptions = Static<typeof ModelOpenaiOptions>;

/** Those that make the model itself. */
export type OpenaiModelOptions = Pick<
  ModelOpenaiOptions,
  'provider' | 'apiKey' | 'baseUrl' | 'model' | 'temperature' | 'reasoning' | 'headers' | 'body'
>;

export const OPENAI_URL = 'https://api.openai.com/v1';

/** Used when the configuration names no model. Many local servers answer to any name with the one model they have. */
export const DEFAULT_MODELS: Readonly<Record<ModelOpenaiOptions['provider'], string>> = {
  openai: 'gpt-6-luna',
  'openai-compatible': 'default',
};
