/** Declares the bodies and answers of the query and chat endpoints. */
import { type Static, Type } from '@sinclair/typebox';
import { RESULT_FACTS } from './result-facts.ts';
import {
  Choices,
  CodeStreamEvent,
  Notes,
  Outcome,
  PendingActions,
  UiStreamChunk,
  Usage,
  Verified,
} from './stream-schemas.ts';

const ConversationId = Type.String({ format: 'uuid', description: 'Conversation to continue.' });
const ConnectionId = Type.String({ minLength: 1, description: 'Connection to ask. Default: the main one.' });
const Fresh = Type.Boolean({ description: 'All rows are read from the database now, none from the cache.' });

export const QueryBody = Type.Object(
  {
    question: Type.String({
      pattern: '\\S',
      errorMessage: 'must be a text that is not empty',
      description: 'What to find out, in plain language.',
    }),
    conversationId: Type.Optional(ConversationId),
    connectionId: Type.Optional(ConnectionId),
    fresh: Type.Optional(Fresh),
  },
  { title: 'QueryBody', additionalProperties: false, errorMessage: 'must be a JSON object' },
);
export type QueryBody = Static<typeof QueryBody>;

export const SqlBody = Type.Object(
  {
    sql: Type.String({
      pattern: '\\S',
      errorMessage: 'must be a text that is not empty',
      description: 'One reading statement in the dialect of the connection.',
    }),
    connectionId: Type.Optional(ConnectionId),
    fresh: Type.Optional(Fresh),
  },
  { title: 'SqlBody', additionalProperties: false, errorMessage: 'must be a JSON object' },
);

/** Parts are left open on purpose: AI SDK clients send back what they were shown, tool calls and data included. */
const MessagePart = Type.Object(
  {
    type: Type.String({
      minLength: 1,
      description: '`text`; of other parts of assistant messages, only the last query is read.',
    }),
    text: Type.Optional(Type.Unknown({ description: 'A string in a part of type `text`.' })),
  },
  { title: 'MessagePart', errorMessage: 'must be an object with type and text' },
);

const ChatMessage = Type.Object(
  {
    id: Type.String(),
    role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
    parts: Type.Array(MessagePart),
  },
  { title: 'ChatMessage', errorMessage: 'must be an object with id, role and parts' },
);
export type ChatMessage = Static<typeof ChatMessage>;

export const ChatBody = Type.Object(
  {
    messages: Type.Array(ChatMessage, {
      minItems: 1,
      errorMessage: 'must be a list of at least one message',
      description: 'The conversation so far; the last message is the question.',
    }),
    conversationId: Type.Optional(ConversationId),
    connectionId: Type.Optional(ConnectionId),
    fresh: Type.Optional(Fresh),
    id: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          "The client's own name for the conversation: questions with the same id continue the same one. A UUID is the conversation's id as well. Without a meaning beside `conversationId`.",
      }),
    ),
    trigger: Type.Optional(
      Type.String({
        description:
          '`regenerate-message`: the question was asked before, and its answer is replaced. Without `messageId` it is a new question where the conversation has gone on.',
      }),
    ),
    resumable: Type.Optional(
      Type.Boolean({
        description:
          'The client can take the answer up again at `/api/v1/chat/{id}/stream`: where conversations are stored, one that leaves does not end the question, and ends it with a DELETE of that address.',
      }),
    ),
    messageId: Type.Optional(
      Type.Unknown({
        description:
          'With `regenerate-message`: the answer to replace need not be the last; what followed is deleted with it.',
      }),
    ),
  },
  {
    title: 'ChatBody',
    additionalProperties: true,
    errorMessage: 'must be a JSON object',
    description: 'Further fields are ignored.',
  },
);
export type ChatBody = Static<typeof ChatBody>;

/** Chooses the stream format. */
export const ChatQuery = Type.Object({
  stream: Type.Optional(
    Type.Union([Type.Literal('data'), Type.Literal('ui')], {
      description: '`data` (default): events with the codes 0, 9, a, 3, d. `ui`: the UI message stream of the AI SDK.',
    }),
  ),
});
export type ChatQuery = Static<typeof ChatQuery>;

export const ChatStream = Type.String({
  contentMediaType: 'text/event-stream',
  contentSchema: Type.Union([CodeStreamEvent, UiStreamChunk]),
  description:
    'Server-sent events, each as CodeStreamEvent says, or with `?stream=ui` as UiStreamChunk does. A line `: ping` keeps the connection open while nothing happens.',
});

/** Header of a chat whose answer is stored. */
export const ConversationHeader = Type.String({
  format: 'uuid',
  description: 'Id of the stored conversation; missing where nothing is stored.',
});

export const DataTable = Type.Object(
  {
    columns: Type.Array(Type.String()),
    columnTypes: Type.Optional(
      Type.Array(
        Type.Union((['number', 'string', 'boolean', 'json', 'null'] as const).map((type) => Type.Literal(type))),
        {
          description:
            'JSON type of each column, beside nulls. `json`: objects, lists or a mixture; `null`: the column holds no value. Decimals with more digits than a number holds make the whole column a `string`.',
        },
      ),
    ),
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    rowCount: Type.Integer({ description: 'Number of `rows`.' }),
    truncated: Type.Boolean({ description: 'The database had more than is shown.' }),
    sql: Type.String({ description: 'The statement as it was written for the question.' }),
    executedSql: Type.String({
      description: 'What the database ran, policies included; `?` in place of their literals.',
    }),
    connectionId: Type.String(),
    durationMs: Type.Number({ description: 'Time of the statement with its checks, in milliseconds.' }),
    cached: Type.Optional(
      Type.Object(
        { ageMs: Type.Integer({ description: 'How long ago the database gave the rows, in milliseconds.' }) },
        { description: 'Present where the rows come from the cache. `fresh` in the request passes it by.' },
      ),
    ),
    ...RESULT_FACTS,
  },
  { title: 'DataTable' },
);

export const QueryResult = Type.Object(
  {
    answer: Type.String(),
    outcome: Outcome,
    notes: Notes,
    choices: Choices,
    verified: Verified,
    sql: Type.Array(Type.String(), { description: 'Statements that ran, in order.' }),
    data: Type.Array(DataTable, { description: 'One table for each statement.' }),
    steps: Type.Integer({ description: 'Model calls made.' }),
    usage: Usage,
    conversationId: Type.Optional(
      Type.String({ format: 'uuid', description: 'Send it to continue; missing where nothing is stored.' }),
    ),
    pendingActions: PendingActions,
  },
  { title: 'QueryResult' },
);
export type QueryResult = Static<typeof QueryResult>;
