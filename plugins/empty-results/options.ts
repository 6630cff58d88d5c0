/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const EmptyResultsOptions = Type.Object(
  {
    maxStatements: Type.Integer({
      minimum: 0,
      maximum: 20,
      default: 8,
      description: 'most statements that are tried to explain one empty result; 0 explains none',
    }),
    timeoutMs: Type.Integer({
      minimum: 100,
      maximum: 4_000,
      default: 2_000,
      description: 'longest time that they take together, in milliseconds; one alone takes at most half of it',
    }),
  },
  { additionalProperties: false },
);
export type EmptyResultsOptions = Static<typeof EmptyResultsOptions>;
