/** Describes parameters and answer of the usage endpoint. */
import { type Static, Type } from '@sinclair/typebox';
import { pageQuery, sortable } from '../admin-kit/index.ts';

const day = (description: string) =>
  Type.String({ format: 'date', errorMessage: 'must be a day, such as 2026-01-31', description });

/** Ties by day and model, as the usual order has them. */
const by = (column: string) => [
  { column, nulls: 'last' } as const,
  { column: 'day' },
  { column: 'provider', order: 'desc' } as const,
  { column: 'model', order: 'desc' } as const,
];

/** Sums are of a year at most, and sorted after they have been added up. */
export const USAGE_ORDERS = sortable(
  {
    day: by('day').slice(1),
    questions: by('questions'),
    totalTokens: by('total_tokens'),
    cost: by('cost'),
  },
  '-day',
);

export const UsageQuery = Type.Object({
  scope: Type.Optional(
    Type.Union([Type.Literal('own'), Type.Literal('organization')], {
      description:
        '`own`: what you asked. `organization`: what all users of the active organization asked, for administrators. Default: `organization` for administrators, else `own`.',
    }),
  ),
  user: Type.Optional(
    Type.String({ minLength: 1, description: 'Only what this user of the organization asked; for administrators.' }),
  ),
  from: Type.Optional(day('First day, in UTC. Default: the first of this month.')),
  to: Type.Optional(day('Last day, in UTC. Default: today.')),
  ...pageQuery({ limit: 100, max: 1_000 }),
  ...USAGE_ORDERS.query,
});
export type UsageQuery = Static<typeof UsageQuery>;

const SUMS = {
  questions: Type.Integer(),
  modelCalls: Type.Integer(),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  totalTokens: Type.Integer(),
  cachedInputTokens: Type.Integer({ description: "Part of the input tokens: read from the provider's cache." }),
  estimatedTokens: Type.Integer({
    description: 'Part of the tokens: the provider did not report them, so they were estimated.',
  }),
  cost: Type.Union([Type.Number(), Type.Null()], {
    description: 'In the currency of the configured prices; null where no model has a price.',
  }),
};

const BudgetState = Type.Object(
  {
    name: Type.Union([Type.Literal('userDay'), Type.Literal('orgMonth')]),
    limitTokens: Type.Integer(),
    usedTokens: Type.Integer(),
    reservedTokens: Type.Integer({ description: 'By questions that run now.' }),
    renewsAt: Type.String({ format: 'date-time' }),
  },
  { title: 'BudgetState' },
);

export const UsagePage = Type.Object(
  {
    scope: Type.Union([Type.Literal('own'), Type.Literal('organization')]),
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    entries: Type.Array(
      Type.Object(
        { day: Type.String({ format: 'date' }), provider: Type.String(), model: Type.String(), ...SUMS },
        { title: 'UsageEntry' },
      ),
      { description: 'By day and model, by default the latest day first.' },
    ),
    sums: Type.Object(SUMS, { title: 'UsageSums', description: 'Of all entries, not only of this page.' }),
    budgets: Type.Array(BudgetState, {
      description: "Your own budget of the day; for `organization` the organization's of the month.",
    }),
    total: Type.Integer({ description: 'Number of entries.' }),
    limit: Type.Integer(),
    offset: Type.Integer(),
  },
  { title: 'UsagePage' },
);
export type UsageEntry = Static<typeof UsagePage>['entries'][number];
