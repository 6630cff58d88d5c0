/** Declares what the endpoints of exports take and answer. */
import { type Static, Type } from '@sinclair/typebox';

const Id = Type.String({ format: 'uuid' });
const Format = Type.Union([Type.Literal('parquet'), Type.Literal('csv')]);
const Time = Type.String({ format: 'date-time' });

export const ExportParams = Type.Object({ id: Id });

export const ExportBody = Type.Object(
  {
    format: Format,
    sql: Type.Optional(
      Type.String({
        pattern: '\\S',
        maxLength: 1_000_000,
        errorMessage: 'must be a text that is not empty',
        description: 'A statement of your own, with the right to run one. Else the statement of an answer is exported.',
      }),
    ),
    connectionId: Type.Optional(
      Type.String({ minLength: 1, description: 'With `sql`. Default: the main connection.' }),
    ),
    conversationId: Type.Optional(Id),
    messageId: Type.Optional(Type.String({ format: 'uuid', description: 'Id of the answer, with its conversation.' })),
    statement: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Which statement of the answer, from 0. Default: the last one.' }),
    ),
  },
  { title: 'ExportBody', additionalProperties: false, errorMessage: 'must be a JSON object' },
);
export type ExportBody = Static<typeof ExportBody>;

export const FileQuery = Type.Object({
  expires: Type.Integer({ description: 'Milliseconds since 1970 after which the link is void.' }),
  signature: Type.String({ pattern: '^[0-9a-f]{64}$', errorMessage: 'must be that of the link' }),
});

export const Export = Type.Object(
  {
    id: Id,
    status: Type.Union([
      Type.Literal('waiting'),
      Type.Literal('running'),
      Type.Literal('finished'),
      Type.Literal('failed'),
    ]),
    format: Format,
    connectionId: Type.String(),
    sql: Type.Union([Type.String(), Type.Null()], { description: 'As it was asked for; `null` for who sees no SQL.' }),
    rows: Type.Integer({ description: 'Rows so far.' }),
    bytes: Type.Integer({ description: 'Size of the file so far.' }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed, in one sentence.' }),
    createdAt: Time,
    endedAt: Type.Union([Time, Type.Null()]),
    expiresAt: Type.String({ format: 'date-time', description: 'When it is deleted.' }),
    url: Type.Optional(
      Type.String({ description: 'Link to the file of a finished export, for you alone and for a time.' }),
    ),
  },
  { title: 'Export' },
);
export type Export = Static<typeof Export>;

export const ExportList = Type.Object({ exports: Type.Array(Export) });
