/** Defines the options that every model plugin has. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Static, Type } from '../../kernel/index.ts';
import type { ModelSource } from './source.ts';

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly NonNullable<
  LanguageModelV4CallOptions['reasoning']
>[];

/** An option of model plugins whose providers can be chosen while Atlas runs. */
export const IS_DEFAULT = Type.Boolean({
  default: true,
  description:
    'whether its model answers where no other was chosen; false: its providers can be chosen, and that is all',
});

/** Spread into the properties of a model plugin's options. */
export const MODEL_OPTIONS = {
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 2, description: "temperature of every call; default: the provider's" }),
  ),
  reasoning: Type.Optional(
    Type.Union(
      EFFORTS.map((effort) => Type.Literal(effort)),
      { description: "reasoning effort of every call; default: the provider's" },
    ),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'further headers of every request to the provider' }),
  ),
  body: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'further fields of every request body, as the provider documents them',
      },
    ),
  ),
  contextTokens: Type.Optional(
    Type.Integer({
      minimum: 1_024,
      maximum: 100_000_000,
      description: 'context size of the model, in tokens; give it for small models, such as those of Ollama',
    }),
  ),
  fallback: Type.Optional(
    Type.Unsafe<ModelSource>(
      Type.Object({}, { additionalProperties: true, description: 'model that is asked when the first fails' }),
    ),
  ),
  maxRetries: Type.Integer({
    default: 2,
    minimum: 0,
    maximum: 5,
    description: 'further attempts of a call that failed before its answer began',
  }),
  fallbackAfterMs: Type.Integer({
    default: 30_000,
    minimum: 1,
    maximum: 3_600_000,
    description: 'with a fallback: time after which it is asked when no answer has begun',
  }),
  breakerFailures: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 1_000,
    description: 'calls in a row that find the provider unavailable, after which it is not called for a while',
  }),
  breakerOpenMs: Type.Integer({
    default: 10_000,
    minimum: 1,
    maximum: 3_600_000,
    description: 'how long it is not called then, before one call is tried',
  }),
};

const ModelOptions = Type.Object(MODEL_OPTIONS);
export type ModelOptions = Static<typeof ModelOptions>;

/** What the protection around a model needs to know. */
export type ResilienceOptions = Pick<
  ModelOptions,
  'maxRetries' | 'fallbackAfterMs' | 'breakerFailures' | 'breakerOpenMs'
>;
