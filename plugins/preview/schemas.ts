/** Declares the body of a preview. */
import { type Static, Type } from '@sinclair/typebox';

const Role = Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')], {
  errorMessage: 'must be viewer, analyst or admin',
  description: 'Not above your own.',
});

export const Reader = Type.Union(
  [
    Type.Object(
      {
        userId: Type.String({ minLength: 1, maxLength: 255, description: 'A user of your organization.' }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        claims: Type.Record(Type.String(), Type.Unknown(), {
          description: 'What the reader would be authenticated with, such as `{"tenant": "acme"}`.',
        }),
        role: Role,
      },
      { additionalProperties: false },
    ),
  ],
  {
    errorMessage: 'must be an object with userId, or with claims and role',
    description: 'As whom it is asked.',
  },
);
export type Reader = Static<typeof Reader>;

const text = (description: string) =>
  Type.Optional(Type.String({ pattern: '\\S', errorMessage: 'must be a text that is not empty', description }));

export const PreviewBody = Type.Object(
  {
    question: text('A question in plain language; or else `sql`.'),
    sql: text('One reading statement; or else `question`.'),
    connectionId: Type.Optional(
      Type.String({ minLength: 1, description: 'Connection to ask. Default: the main one.' }),
    ),
    as: Reader,
  },
  { title: 'PreviewBody', additionalProperties: false, errorMessage: 'must be a JSON object' },
);
export type PreviewBody = Static<typeof PreviewBody>;
