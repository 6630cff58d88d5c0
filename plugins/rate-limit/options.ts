/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const RateLimitOptions = Type.Object(
  {
    requestsPerMinute: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'requests that a user, or an address without one, may make in any 60 seconds',
    }),
    maxUsers: Type.Integer({ default: 100_000, minimum: 1, description: 'users that are counted at a time' }),
    maxAddresses: Type.Integer({ default: 100_000, minimum: 1, description: 'addresses that are counted at a time' }),
  },
  { additionalProperties: false },
);

export type RateLimitOptions = Static<typeof RateLimitOptions>;
