/** Defines the options of the tool queryMetrics. */
import { type Static, Type } from '../../kernel/index.ts';

export const SemanticQueryOptions = Type.Object(
  {
    resultBudgetBytes: Type.Integer({
      default: 4_096,
      minimum: 512,
      description: 'how much of one result the model sees',
    }),
  },
  { additionalProperties: false },
);
export type SemanticQueryOptions = Static<typeof SemanticQueryOptions>;
