/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const QueryApiOptions = Type.Object(
  {
    pingEveryMs: Type.Integer({
      default: 15_000,
      minimum: 10,
      description: 'after so long without an event a comment line keeps proxies from closing the chat stream',
    }),
  },
  { additionalProperties: false },
);

export type QueryApiOptions = Static<typeof QueryApiOptions>;
