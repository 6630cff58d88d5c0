/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const ProvenanceOptions = Type.Object(
  {
    freshness: Type.Union([Type.Literal('all'), Type.Literal('declared'), Type.Literal('off')], {
      default: 'all',
      description:
        'of which tables the last time is read: `all` that have a time column, those of which the layer declares `freshness`, or none',
    }),
    freshnessTtlMs: Type.Integer({
      default: 60_000,
      minimum: 1_000,
      maximum: 3_600_000,
      description: 'how long the last time of a table is taken for current',
    }),
    freshnessWaitMs: Type.Integer({
      default: 100,
      minimum: 0,
      maximum: 5_000,
      description: 'how long a result waits for it at most; where it comes later, the next result has it',
    }),
  },
  { additionalProperties: false },
);
export type ProvenanceOptions = Static<typeof ProvenanceOptions>;
