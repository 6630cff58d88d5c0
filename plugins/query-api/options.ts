/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const QueryApiOptions = Type.Object(
  {
    pingEveryMs: Type.Integer({
      default: 15_000,
      minimum: 10,
      description: 'after so long without an event a comment line keeps proxies from closing the chat stream',
    }),
    sqlFor: Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')], {
      default: 'viewer',
      description:
        'the least role that sees SQL in answers, chat streams, stored conversations and shared answers; others see the rows',
    }),
  },
  { additionalProperties: false },
);

export type QueryApiOptions = Static<typeof QueryApiOptions>;
