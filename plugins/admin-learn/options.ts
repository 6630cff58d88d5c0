/** Declares what an evaluation of a proposal asks. */
import { type Static, Type } from '../../kernel/index.ts';

export const AdminLearnOptions = Type.Object(
  {
    casesDir: Type.String({
      default: './eval/cases',
      minLength: 1,
      description: 'folder of the cases of evaluations; those of an organization stand in `.orgs/<orgId>` below it',
    }),
    evaluationCases: Type.Integer({
      default: 50,
      minimum: 1,
      maximum: 500,
      description: 'cases that one evaluation of a proposal asks, each twice',
    }),
    evaluationMs: Type.Integer({
      default: 150_000,
      minimum: 1_000,
      maximum: 3_600_000,
      description: 'time limit of one evaluation; cases that it does not reach are counted as not asked',
    }),
  },
  { additionalProperties: false },
);
export type AdminLearnOptions = Static<typeof AdminLearnOptions>;
