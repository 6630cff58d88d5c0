/** Declares the body and the answers of the webhook. */
import { type Static, Type } from '@sinclair/typebox';

const MAX_QUERY_LENGTH = 65_536;
const MAX_CONTEXT_ENTRIES = 100;

export const WebhookBody = Type.Object(
  {
    query: Type.String({
      pattern: '\\S',
      maxLength: MAX_QUERY_LENGTH,
      errorMessage: `must be a text that is not empty, of at most ${MAX_QUERY_LENGTH} characters`,
      description: 'What to find out, in plain language.',
    }),
    context: Type.Optional(
      Type.Record(Type.String(), Type.String({ errorMessage: 'must be a text' }), {
        maxProperties: MAX_CONTEXT_ENTRIES,
        errorMessage: `must be an object of at most ${MAX_CONTEXT_ENTRIES} texts`,
        description: 'What the sender knows about the question. Accepted, and not used.',
      }),
    ),
    callbackUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'An http or https address to which the answer is delivered; overrides that of the channel.',
      }),
    ),
  },
  { title: 'WebhookBody', errorMessage: 'must be a JSON object', description: 'Further fields are ignored.' },
);
export type WebhookBody = Static<typeof WebhookBody>;

const Table = Type.Object(
  {
    answer: Type.String(),
    sql: Type.Array(Type.String(), { description: 'Statements that ran.' }),
    columns: Type.Array(Type.String(), { description: 'Of the last statement.' }),
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    explanation: Type.Optional(
      Type.Unknown({ description: 'Why there are no rows: `{text, filters, nearValues, period}`.' }),
    ),
    readings: Type.Optional(
      Type.Unknown({
        description: 'Other readings of the question: `{text, others}`, as `POST /api/v1/query` has them.',
      }),
    ),
    verified: Type.Optional(
      Type.Unknown({ description: 'The verified query that answered: `{name, by, at, parameters}`.' }),
    ),
    provenance: Type.Optional(
      Type.Unknown({ description: 'Where the rows come from, as `POST /api/v1/query` has it.' }),
    ),
    formats: Type.Optional(Type.Unknown({ description: 'How the values of columns are written, by their names.' })),
  },
  { title: 'WebhookTable' },
);

export const WebhookResult = Type.Object(
  {
    success: Type.Literal(true),
    result: Type.Union([Table, Type.String()], {
      description: 'An object on channels with the format `json`, the text of the answer on those with `text`.',
    }),
  },
  { title: 'WebhookResult', description: 'The answer, where no callback address is given.' },
);
/** The value of `result`. */
export type ChannelResult = Static<typeof WebhookResult>['result'];

export const WebhookAccepted = Type.Object(
  {
    accepted: Type.Literal(true),
    requestId: Type.String({ format: 'uuid', description: 'Names the request in the callback.' }),
  },
  { title: 'WebhookAccepted', description: 'The answer follows as a POST to the callback address.' },
);
