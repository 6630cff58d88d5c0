import { type Static, Type } from '../../kernel/index.ts';

export const VerifiedQueriesOptions = Type.Object(
  {
    /** A verified query that takes longer is reported by its check. */
    slowMs: Type.Integer({ minimum: 1, default: 10_000 }),
    /** How much of one result the model sees. */
    resultBudgetBytes: Type.Integer({ minimum: 512, default: 4_096 }),
  },
  { additionalProperties: false },
);
export type VerifiedQueriesOptions = Static<typeof VerifiedQueriesOptions>;
