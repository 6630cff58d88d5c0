import { type Static, Type } from '@sinclair/typebox';

const ApiKey = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, description: 'what logs and audit rows show' })),
    key: Type.String({
      // What a header can carry: no control characters, no white space at either end.
      pattern: '^[^\\s\\x00-\\x1f\\x7f]([^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
      maxLength: 1_024,
      description:
        'the secret, best 32 random characters or more, without line breaks or spaces around it: SVC_API_KEY',
    }),
    role: Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')], {
      default: 'analyst',
      description: 'what its bearer may do: viewer, analyst or admin',
    }),
    claims: Type.Record(Type.String(), Type.Unknown(), { default: {}, description: 'claims for row security' }),
  },
  { additionalProperties: false },
);

export const ApiKeyOptions = Type.Object(
  { keys: Type.Array(ApiKey, { minItems: 1, description: 'the keys that are let in' }) },
  { additionalProperties: false },
);

export type ApiKeyOptions = Static<typeof ApiKeyOptions>;
