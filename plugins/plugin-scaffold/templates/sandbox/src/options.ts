/** Declares the options: they are checked by this schema when Atlas starts. */
import { type Static, Type } from 'atlas-query';

export const Options = Type.Object(
  {
    maxMatches: Type.Integer({ minimum: 1, maximum: 1_000, default: 50, description: 'lines that find answers with' }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
