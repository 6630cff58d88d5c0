/** Declares the options. */
import { type Static, Type } from '../../kernel/index.ts';

export const AnalysisOptions = Type.Object(
  {
    maxStatements: Type.Integer({
      default: 12,
      minimum: 2,
      maximum: 50,
      description: 'most statements of one `explainChange`: one for the total and one for each dimension',
    }),
    resultBudgetBytes: Type.Integer({
      default: 4_096,
      minimum: 1_024,
      maximum: 65_536,
      description: 'how much of one analysis the model sees',
    }),
  },
  { additionalProperties: false },
);
export type AnalysisOptions = Static<typeof AnalysisOptions>;
