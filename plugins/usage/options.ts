/** Declares the budgets, the prices and how long usage is kept. */
import { type Static, Type } from '../../kernel/index.ts';

const Price = Type.Object(
  {
    input: Type.Number({ minimum: 0, description: 'of a million input tokens' }),
    output: Type.Number({ minimum: 0, description: 'of a million output tokens' }),
    cachedInput: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'of a million input tokens that the provider had in its cache; default: as `input`',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Price = Static<typeof Price>;

const budget = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description }));

export const UsageOptions = Type.Object(
  {
    questionTokens: budget(
      'token budget of one question; when it is spent, no tool is called any more, and the question is answered with what is known',
    ),
    userDayTokens: budget('token budget of each user for a day in UTC; needs the internal database'),
    orgMonthTokens: budget('token budget of each organization for a month in UTC; needs the internal database'),
    prices: Type.Record(Type.String({ minLength: 1 }), Price, {
      default: {},
      description:
        'prices for a million tokens by model id, in any one currency: `{"gpt-6": {"input": 1.25, "output": 10, "cachedInput": 0.125}}`; other models have no cost',
    }),
    retentionDays: Type.Integer({
      default: 365,
      minimum: 31,
      maximum: 36_500,
      description: 'days for which usage is kept; purged daily',
    }),
  },
  { additionalProperties: false },
);
export type UsageOptions = Static<typeof UsageOptions>;
