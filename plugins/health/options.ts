/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const HealthOptions = Type.Object(
  {
    cacheTtlMs: Type.Integer({
      default: 1_000,
      minimum: 0,
      description: 'how long a result is served, in milliseconds; after three quarters of it the next check begins',
    }),
    waitMs: Type.Integer({
      default: 25,
      minimum: 0,
      description: 'how long a request waits for a newer result before it gets the last one, in milliseconds',
    }),
    firstWaitMs: Type.Integer({
      default: 2_000,
      minimum: 0,
      description: 'how long a request waits when there is no result yet, in milliseconds',
    }),
  },
  { additionalProperties: false },
);

export type HealthOptions = Static<typeof HealthOptions>;
