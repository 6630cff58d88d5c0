import { type Static, Type } from '../../kernel/index.ts';

const ApiKey = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, description: 'what logs and audit rows show' })),
    key: Type.String({
      // What a header can carry: no control characters, no white space at either end.
      pattern: '^[^\\s\\x00-\\x1f\\x7f]([^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
      maxLength: 1_024,
      expected: 'a text without line breaks or spaces around it',
      description:
        'secret that clients send, best 32 random characters or more, without line breaks or spaces around it',
    }),
    role: Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')], {
      default: 'analyst',
      description: 'role of the clients that send the key',
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
