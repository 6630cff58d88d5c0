/**
 * Defines the typed plan of a query: measures, dimensions and filters. `compile.ts` turns it into one SQL statement.
 * Names are `entity.member`, or just the member's name when only one entity has it. The offline model uses all of it; a
 * language model is told of what it uses often, and writes SQL for the rest.
 */
import { type SchemaOptions, type Static, Type } from '@sinclair/typebox';
import { UNLISTED } from '../agent/index.ts';
import { FILTER_OPERATORS } from '../result-kit/index.ts';

const CLOSED = { additionalProperties: false };

const oneOf = <const Word extends string>(words: readonly Word[], options: SchemaOptions = {}) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    options,
  );

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export const Grain = oneOf(['day', 'week', 'month', 'quarter', 'year'], {
  description: 'groups a date or timestamp by this period',
});
export type Grain = Static<typeof Grain>;

/** A dimension that ends a duration: what is meant is the time from `since` until it, in `unit`. */
const DURATION = {
  since: Type.Optional(
    Type.String({
      ...UNLISTED,
      description: 'a date or timestamp of the same entity: the time from it to `dimension` is meant',
    }),
  ),
  unit: Type.Optional(
    oneOf(['minutes', 'hours', 'days'], {
      ...UNLISTED,
      description: 'of the time since `since`; default: days',
    }),
  ),
};

export const PlanFilter = Type.Object(
  {
    dimension: Type.String({ description: '`entity.dimension`' }),
    ...DURATION,
    than: Type.Optional(
      Type.String({ ...UNLISTED, description: 'a dimension of the same entity to compare with, instead of values' }),
    ),
    operator: oneOf(FILTER_OPERATORS),
    values: Type.Optional(
      Type.Array(Scalar, {
        description:
          'written as in the sample values; several for in, not_in and the text operators. A date: 2024, 2024-Q1, 2024-03 or 2024-03-31',
      }),
    ),
  },
  CLOSED,
);
export type PlanFilter = Static<typeof PlanFilter>;

const Comparison = oneOf(['equals', 'not_equals', 'greater_than', 'greater_or_equal', 'less_than', 'less_or_equal']);

/** A condition on an aggregated measure (HAVING). */
export const MeasureFilter = Type.Object(
  {
    measure: Type.String({ description: '`entity.measure` or a metric id' }),
    operator: Comparison,
    value: Type.Number(),
  },
  CLOSED,
);
export type MeasureFilter = Static<typeof MeasureFilter>;

/** `from` inclusive, `to` exclusive, both `YYYY-MM-DD` or an ISO timestamp; either may be open. */
export const TimeRange = Type.Object(
  {
    dimension: Type.String({ description: '`entity.dimension` of type date or timestamp' }),
    from: Type.Optional(Type.String({ description: 'inclusive, `YYYY-MM-DD` or an ISO timestamp' })),
    to: Type.Optional(Type.String({ description: 'exclusive' })),
  },
  CLOSED,
);
export type TimeRange = Static<typeof TimeRange>;

/**
 * A condition on rows by their related rows: "customers with more than 5 orders in 2024", "products never ordered".
 * The rows of `entity` that belong to one row of `of` and match the conditions are counted (or aggregated by `measure`,
 * 0 over no rows) and compared with `value`. Compiled to a correlated subquery, so it never multiplies rows.
 */
export const RelatedFilter = Type.Object(
  {
    of: Type.String({
      description: "entity whose rows are kept or dropped; the measures' entity leads to it by to-one joins, or is it",
    }),
    entity: Type.String({ description: 'related entity, which leads to `of` by to-one joins' }),
    measure: Type.Optional(
      Type.String({ description: '`entity.measure` or a metric id; default: the number of rows' }),
    ),
    operator: Comparison,
    value: Type.Number(),
    filters: Type.Optional(Type.Array(PlanFilter, { description: 'on the related rows; all must hold' })),
    segments: Type.Optional(Type.Array(Type.String())),
    excludedSegments: Type.Optional(Type.Array(Type.String())),
    timeRange: Type.Optional(TimeRange),
  },
  CLOSED,
);
export type RelatedFilter = Static<typeof RelatedFilter>;

/** One of several sets of conditions, all of which must hold. */
export const Alternative = Type.Object(
  { filters: Type.Optional(Type.Array(PlanFilter)), segments: Type.Optional(Type.Array(Type.String())) },
  CLOSED,
);
export type Alternative = Static<typeof Alternative>;

const ROW_CONDITIONS = {
  filters: Type.Optional(Type.Array(PlanFilter)),
  segments: Type.Optional(Type.Array(Type.String())),
  excludedSegments: Type.Optional(Type.Array(Type.String())),
  related: Type.Optional(Type.Array(RelatedFilter)),
};

export const QueryPlan = Type.Object(
  {
    measures: Type.Optional(
      Type.Array(Type.String(), {
        description:
          '`entity.measure`, a metric id, or `entity.count` for rows. Empty: lists rows of `entity`, or values of `dimensions`',
      }),
    ),
    adhocMeasures: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'name of the column in the result' }),
            type: oneOf(['count_distinct', 'sum', 'avg', 'min', 'max']),
            dimension: Type.String({ description: '`entity.dimension`' }),
            ...DURATION,
          },
          CLOSED,
        ),
        { description: 'aggregates that no measure declares' },
      ),
    ),
    ratios: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'name of the column in the result' }),
            of: Type.String({ description: 'the measure, metric or ad hoc measure of the plan that is divided' }),
            per: Type.String({ description: 'the one that divides it; both are totals of each group' }),
            times: Type.Optional(
              Type.Number({ exclusiveMinimum: 0, description: 'per how many: 100 for "per 100 orders"' }),
            ),
          },
          CLOSED,
        ),
        { ...UNLISTED, description: 'one measure of the plan divided by another, "cost per kilometre"' },
      ),
    ),
    dimensions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            dimension: Type.String({ description: '`entity.dimension`' }),
            grain: Type.Optional(Grain),
            identity: Type.Optional(
              Type.Boolean({
                ...UNLISTED,
                description: 'keeps rows of equal name apart, by the primary key of their entity',
              }),
            ),
          },
          CLOSED,
        ),
        { description: 'what to group by, or the columns to list' },
      ),
    ),
    entity: Type.Optional(Type.String({ description: 'whose rows are listed when there are no measures' })),
    filters: Type.Optional(Type.Array(PlanFilter, { description: 'all must hold' })),
    segments: Type.Optional(
      Type.Array(Type.String(), {
        description: '`entity.segment`, or a glossary term with a condition; all must hold',
      }),
    ),
    anyOf: Type.Optional(
      Type.Array(Type.Array(Alternative, { minItems: 2 }), {
        ...UNLISTED,
        description: 'of each list one alternative must hold; those of a list are about one entity',
      }),
    ),
    excludedSegments: Type.Optional(
      Type.Array(Type.String(), { ...UNLISTED, description: 'segments or terms that must not hold' }),
    ),
    measureFilters: Type.Optional(
      Type.Array(MeasureFilter, { description: 'conditions on the aggregated measures (HAVING)' }),
    ),
    timeRange: Type.Optional(TimeRange),
    comparison: Type.Optional(
      Type.Object(
        { from: Type.String(), to: Type.String() },
        {
          ...CLOSED,
          description: 'a second time range: every measure for both, and the change',
        },
      ),
    ),
    share: Type.Optional(Type.Boolean({ description: "adds each group's percentage of the total" })),
    without: Type.Optional(
      Type.Array(Type.String(), { ...UNLISTED, description: 'entities of which a row must have no related row' }),
    ),
    related: Type.Optional(
      Type.Array(RelatedFilter, {
        ...UNLISTED,
        description: 'conditions on the number of related rows, or on a measure over them; all must hold',
      }),
    ),
    portion: Type.Optional(
      Type.Object(ROW_CONDITIONS, {
        ...CLOSED,
        ...UNLISTED,
        description: 'turns every measure into the percentage of it that also meets these conditions',
      }),
    ),
    over: Type.Optional(
      Type.Object(
        {
          aggregate: oneOf(['avg', 'min', 'max']),
          entity: Type.Optional(
            Type.String({
              description: 'averages over all its rows that meet these conditions, also those without any measured row',
            }),
          ),
          ...ROW_CONDITIONS,
        },
        {
          ...CLOSED,
          ...UNLISTED,
          description:
            'aggregates the one measure again, over the groups of `dimensions`, or over the rows of `entity`',
        },
      ),
    ),
    orderBy: Type.Optional(
      Type.Array(
        Type.Object(
          {
            by: Type.String({ description: 'a measure or dimension of the plan' }),
            direction: Type.Optional(oneOf(['asc', 'desc'])),
          },
          CLOSED,
        ),
        { description: 'default: time ascending, else the largest measure first' },
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'most rows of the result' })),
    joinPath: Type.Optional(
      Type.Array(Type.String(), { description: 'names of the joins to use where several paths are possible' }),
    ),
  },
  CLOSED,
);
export type QueryPlan = Static<typeof QueryPlan>;
