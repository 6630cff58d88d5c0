/** Describes the configuration of a model. */
import { type Static, Type } from '@sinclair/typebox';
import { oneOf } from '../admin-kit/index.ts';

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const ModelConfigBody = Type.Object(
  {
    provider: Type.String({ minLength: 1, maxLength: 64, description: 'Name of a provider, such as `openai`.' }),
    model: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\s\\x00-\\x1f\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
      errorMessage: 'must be the name of a model, in one line and without spaces around it',
      description: 'Id of the model as the provider names it.',
    }),
    baseUrl: Type.Optional(
      Type.Union(
        [
          Type.String({
            minLength: 1,
            maxLength: 2_048,
            pattern: '^https?://[^\\s?#@\\\\]+$',
            description: "Address in place of the provider's own; without it, or with `null`, that one.",
          }),
          Type.Null(),
        ],
        { errorMessage: 'must be an http or https URL without user name, query and fragment, or null' },
      ),
    ),
    apiKey: Type.Optional(
      Type.Union(
        [
          Type.String({
            minLength: 1,
            maxLength: 4_096,
            pattern: '^[\\x21-\\x7e]+$',
            description:
              'Without it the stored key is kept, as long as provider and origin of the base URL stay; `null`: none.',
          }),
          Type.Null(),
        ],
        { errorMessage: 'must be a key of 1 to 4096 visible ASCII characters, or null' },
      ),
    ),
  },
  { additionalProperties: false },
);
export type ModelConfigBody = Static<typeof ModelConfigBody>;

const Need = oneOf(['required', 'optional', 'none'], { title: 'Need' });

export const ModelConfig = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    orgId: orNull('`null`: the model of the server itself.'),
    provider: Type.String(),
    model: Type.String(),
    baseUrl: orNull("`null`: the provider's own address."),
    apiKeyMasked: orNull('`null`: no key is stored.'),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'ModelConfig' },
);
export type ModelConfig = Static<typeof ModelConfig>;

export const SavedModelConfig = Type.Object({ config: ModelConfig });

export const ShownModelConfig = Type.Object({
  config: Type.Union([ModelConfig, Type.Null()], { description: "`null`: the server's own model answers." }),
  providers: Type.Array(Type.Object({ name: Type.String(), apiKey: Need, baseUrl: Need }, { title: 'ModelProvider' }), {
    description: 'Those that can be chosen, and what each needs.',
  }),
});
export type ShownModelConfig = Static<typeof ShownModelConfig>;

export const TestBody = Type.Partial(ModelConfigBody, {
  additionalProperties: false,
  default: {},
  errorMessage: 'must be a JSON object',
  description: 'What is tried; without it, what is stored.',
});
export type TestBody = Static<typeof TestBody>;

export const TestResult = Type.Object(
  {
    status: Type.Literal('ok'),
    provider: Type.String(),
    model: Type.String(),
    latencyMs: Type.Integer({ description: 'Duration of the call.' }),
    checkedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'ModelTestResult' },
);
export type TestResult = Static<typeof TestResult>;
