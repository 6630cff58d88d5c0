/** Declares the options. */
import { Type } from '../../kernel/index.ts';

export const ConversationsOptions = Type.Object(
  {
    deletedUsers: Type.Union([Type.Literal('delete'), Type.Literal('transfer')], {
      default: 'delete',
      description:
        'what happens to the conversations of a user who is deleted: they are deleted as well, or become those of the administrator who deletes the user',
    }),
  },
  { additionalProperties: false },
);
