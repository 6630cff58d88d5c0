/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const ConversationsOptions = Type.Object(
  {
    deletedUsers: Type.Union([Type.Literal('delete'), Type.Literal('transfer')], {
      default: 'delete',
      description:
        'what happens to the conversations of a user who is deleted: they are deleted as well, or become those of the administrator who deletes the user',
    }),
    unattendedMs: Type.Integer({
      default: 60_000,
      minimum: 10_000,
      maximum: 3_600_000,
      description: 'how long an answer that can be taken up again goes on without a reader, in milliseconds',
    }),
    maxUnattended: Type.Integer({
      default: 32,
      minimum: 0,
      description:
        'answers of this server that go on without their clients at once; further ones end with their clients',
    }),
    reuseStatements: Type.Boolean({
      default: false,
      description:
        'whether the model gets, as an example, how the same question of the same reader was answered before',
    }),
    maxUnattendedPerUser: Type.Integer({ default: 8, minimum: 0, description: 'the same of one user' }),
  },
  { additionalProperties: false },
);

export type ConversationsOptions = Static<typeof ConversationsOptions>;
