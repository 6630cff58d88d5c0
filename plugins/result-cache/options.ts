/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const ResultCacheOptions = Type.Object(
  {
    ttlMs: Type.Integer({
      minimum: 1_000,
      maximum: 86_400_000,
      description: 'how long a result answers the same statement again, in milliseconds',
    }),
    maxEntries: Type.Integer({ default: 1_000, minimum: 1, description: 'most results that are kept' }),
    maxBytes: Type.Integer({
      default: 67_108_864,
      minimum: 1_048_576,
      description: 'most bytes of all results that are kept',
    }),
    maxResultBytes: Type.Integer({
      default: 1_048_576,
      minimum: 1_024,
      description: 'most bytes of one result that is kept',
    }),
  },
  { additionalProperties: false },
);
export type ResultCacheOptions = Static<typeof ResultCacheOptions>;
