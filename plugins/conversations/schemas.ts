/** Declares what the conversation endpoints take and answer. */
import { type Static, Type } from '@sinclair/typebox';
import { pageQuery, sortable } from '../admin-kit/index.ts';

export const ConversationParams = Type.Object({ id: Type.String({ format: 'uuid' }) });
export type ConversationParams = Static<typeof ConversationParams>;

export const CONVERSATION_ORDERS = sortable(
  {
    updatedAt: [{ column: 'updated_at' }, { column: 'id' }],
    createdAt: [{ column: 'created_at' }, { column: 'id' }],
  },
  '-updatedAt',
);

export const ListQuery = Type.Object({
  ...pageQuery({ limit: 20, max: 100 }),
  ...CONVERSATION_ORDERS.query,
  starred: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'A text in the title, or in what was said in the newest 16 MiB of the 500 latest conversations; `%` and `_` are themselves. A role that sees no SQL finds its own questions, and no answer by its text.',
    }),
  ),
});

export const MessagesQuery = Type.Object({
  limit: Type.Integer({ default: 200, minimum: 1, maximum: 1_000, description: 'Most messages of the page.' }),
  offset: Type.Integer({ default: 0, minimum: 0, description: 'How many of the newest messages to leave out.' }),
});

export const RenameBody = Type.Object(
  {
    title: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '[^\\s\\x00-\\x1f\\x7f-\\x9f]',
      errorMessage: 'must have a visible character and at most 200',
    }),
  },
  { errorMessage: 'must be a JSON object' },
);

export const MessageParams = Type.Object({
  id: Type.String({ format: 'uuid' }),
  messageId: Type.String({ format: 'uuid' }),
});

const Rating = Type.Union([Type.Literal('good'), Type.Literal('bad')]);

export const FeedbackBody = Type.Object(
  { rating: Rating, reason: Type.Optional(Type.String({ maxLength: 2_000 })) },
  { errorMessage: 'must be a JSON object' },
);

export const StarBody = Type.Object({ starred: Type.Boolean() }, { errorMessage: 'must be a JSON object' });

export const StarResult = Type.Object({ id: Type.String({ format: 'uuid' }), starred: Type.Boolean() });

const fields = {
  id: Type.String({ format: 'uuid' }),
  userId: Type.Union([Type.String(), Type.Null()]),
  title: Type.String(),
  surface: Type.String(),
  connectionId: Type.Union([Type.String(), Type.Null()]),
  starred: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
};

const Message = Type.Object(
  {
    id: Type.String(),
    conversationId: Type.String({ format: 'uuid' }),
    role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
    content: Type.Object({
      parts: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true }), {
        description:
          'As in the UI messages of the AI SDK: `text`, `tool-<name>` with toolCallId, state, input (the SQL) and output (columns and the first rows), `data-statement` with the statement of that result as asked and as executed, `data-outcome` with outcome, notes and choices where there is something to note, `data-choices`, `data-verified` with the verified query that answered, and `data-suggestions` with questions that may follow.',
      }),
    }),
    status: Type.Union([Type.Literal('complete'), Type.Literal('running'), Type.Literal('interrupted')], {
      description: '`interrupted`: the answer broke off, and this is what had been said.',
    }),
    createdAt: Type.String({ format: 'date-time' }),
    feedback: Type.Union(
      [Type.Object({ rating: Rating, reason: Type.Union([Type.String(), Type.Null()]) }), Type.Null()],
      { description: 'What you say of the answer.' },
    ),
  },
  { title: 'Message' },
);

export const ConversationInfo = Type.Object(fields, { title: 'Conversation' });
export type ConversationInfo = Static<typeof ConversationInfo>;

export const ConversationPage = Type.Object({
  conversations: Type.Array(ConversationInfo),
  total: Type.Integer(),
});
export type ConversationPage = Static<typeof ConversationPage>;

export const ConversationDetail = Type.Object({
  ...fields,
  messages: Type.Array(Message, {
    description: 'In order; of more than fit, the newest. A page of 8 MiB has fewer than `limit`.',
  }),
  total: Type.Integer({ description: 'Messages of the conversation.' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
});
export type ConversationDetail = Static<typeof ConversationDetail>;
