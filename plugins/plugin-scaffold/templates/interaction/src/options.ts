/** Declares the options: they are checked by this schema when Atlas starts. */
import { type Static, Type } from 'atlas-query';

export const Options = Type.Object(
  {
    path: Type.String({
      pattern: '^/[a-z0-9/._-]+$',
      default: '/api/plugins/template-interaction/answer.csv',
      description: 'path of the route',
    }),
    maxRows: Type.Integer({ minimum: 1, maximum: 100_000, default: 1_000, description: 'rows of one answer' }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
