/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const AlternativeReadingsOptions = Type.Object(
  {
    maxStatements: Type.Integer({
      minimum: 0,
      maximum: 2,
      default: 2,
      description:
        'most other readings of a question that are tried for one result, each with one statement; 0 tries none',
    }),
    timeoutMs: Type.Integer({
      minimum: 100,
      maximum: 4_000,
      default: 2_000,
      description:
        'longest time that they take together, in milliseconds; none is tried where the statement of the result took longer',
    }),
  },
  { additionalProperties: false },
);
export type AlternativeReadingsOptions = Static<typeof AlternativeReadingsOptions>;
