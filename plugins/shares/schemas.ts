/** Declares what the endpoints of shared answers take and answer. */
import { type Static, Type } from '@sinclair/typebox';
import { DataTable } from '../query-api/index.ts';

const Id = Type.String({ format: 'uuid' });

export const ShareParams = Type.Object({ id: Id });
export type ShareParams = Static<typeof ShareParams>;

export const ShareBody = Type.Object(
  { conversationId: Id, messageId: Type.String({ format: 'uuid', description: 'Id of the answer.' }) },
  { errorMessage: 'must be a JSON object' },
);

const url = Type.String({
  description: 'Where people open it; without a public URL, below the address of this server.',
});

export const ShareLink = Type.Object({ id: Id, url });

export const Share = Type.Object(
  {
    id: Id,
    url,
    question: Type.String(),
    sql: Type.Array(Type.String(), { description: 'The statements that run for a reader, in order.' }),
    isOwn: Type.Boolean({ description: 'You have shared it.' }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Share', description: 'A shared answer. It holds no rows and none of its text.' },
);
export type Share = Static<typeof Share>;

export const ShareResult = Type.Object(
  {
    question: Type.String(),
    data: Type.Array(DataTable, { description: 'What you may see, one table for each statement.' }),
    complete: Type.Boolean({ description: 'False: the results were so large that later statements were not run.' }),
  },
  { title: 'ShareResult' },
);
export type ShareResult = Static<typeof ShareResult>;
