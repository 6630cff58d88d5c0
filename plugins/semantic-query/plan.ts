/**
 * Defines the typed plan of a query: measures, dimensions and filters. `compile.ts` turns it into one SQL statement.
 * Names are `entity.member`, or just the member's name when only one entity has it.
 */
import { type Static, Type } from '@sinclair/typebox';

const CLOSED = { additionalProperties: false };
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export const Grain = Type.Union([
  Type.Literal('day'),
  Type.Literal('week'),
  Type.Literal('month'),
  Type.Literal('quarter'),
  Type.Literal('year'),
]);
export type Grain = Static<typeof Grain>;

export const PlanFilter = Type.Object(
  {
    dimension: Type.String({ description: '`entity.dimension`' }),
    operator: Type.Union([
      Type.Literal('equals'),
      Type.Literal('not_equals'),
      Type.Literal('in'),
      Type.Literal('not_in'),
      Type.Literal('greater_than'),
      Type.Literal('greater_or_equal'),
      Type.Literal('less_than'),
      Type.Literal('less_or_equal'),
      Type.Literal('contains'),
      Type.Literal('starts_with'),
      Type.Literal('ends_with'),
      Type.Literal('is_null'),
      Type.Literal('is_not_null'),
    ]),
    values: Type.Optional(Type.Array(Scalar, { description: 'none for the null operators, one or more otherwise' })),
  },
  CLOSED,
);
export type PlanFilter = Static<typeof PlanFilter>;

const Comparison = Type.Union([
  Type.Literal('equals'),
  Type.Literal('not_equals'),
  Type.Literal('greater_than'),
  Type.Literal('greater_or_equal'),
  Type.Literal('less_than'),
  Type.Literal('less_or_equal'),
]);

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
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
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
    filters: Type.Optional(Type.Array(PlanFilter)),
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
    /**
     * Aggregates. Empty: the plan lists rows of `entity`, or distinct values of `dimensions` when it names no entity.
     */
    measures: Type.Optional(
      Type.Array(Type.String(), {
        description: '`entity.measure`, a metric id, or `entity.count` for a count of rows',
      }),
    ),
    /** Ad hoc aggregates over a dimension without a declared measure. */
    adhocMeasures: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String(),
            type: Type.Union([
              Type.Literal('count_distinct'),
              Type.Literal('sum'),
              Type.Literal('avg'),
              Type.Literal('min'),
              Type.Literal('max'),
            ]),
            dimension: Type.String(),
          },
          CLOSED,
        ),
      ),
    ),
    dimensions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            dimension: Type.String(),
            grain: Type.Optional(Grain),
            /**
             * Also groups by the primary key of the dimension's entity, without showing it, so that equal names stay
             * apart.
             */
            identity: Type.Optional(Type.Boolean()),
          },
          CLOSED,
        ),
      ),
    ),
    /** Entity whose rows are listed when there are no measures. */
    entity: Type.Optional(Type.String()),
    filters: Type.Optional(Type.Array(PlanFilter, { description: 'all must hold' })),
    /** Named segments, `entity.segment`, and glossary terms with a condition. All must hold. */
    segments: Type.Optional(Type.Array(Type.String())),
    /** At least one alternative of each list must hold; the alternatives of a list concern the same entity. */
    anyOf: Type.Optional(Type.Array(Type.Array(Alternative, { minItems: 2 }))),
    /** Segments or terms that must not hold. */
    excludedSegments: Type.Optional(Type.Array(Type.String())),
    measureFilters: Type.Optional(Type.Array(MeasureFilter)),
    timeRange: Type.Optional(TimeRange),
    /** A second range; every measure is returned for both, with the change and the change in percent. */
    comparison: Type.Optional(Type.Object({ from: Type.String(), to: Type.String() }, CLOSED)),
    /** Adds each group's share of the total, in percent, for every additive measure. */
    share: Type.Optional(Type.Boolean()),
    /** Rows of `entity` (or of the first dimension's entity) that have no related row in these entities. */
    without: Type.Optional(Type.Array(Type.String())),
    related: Type.Optional(Type.Array(RelatedFilter, { description: 'all must hold' })),
    /** Turns every measure into the percentage (0 to 100) of it that also matches these conditions. */
    portion: Type.Optional(Type.Object(ROW_CONDITIONS, CLOSED)),
    /**
     * A nested aggregate: the plan's one measure per group of `dimensions`, then this aggregate of those values.
     * `entity`: an average over all its rows that match these conditions, including rows without any measured row; the
     * plan then has no dimensions.
     */
    over: Type.Optional(
      Type.Object(
        {
          aggregate: Type.Union([Type.Literal('avg'), Type.Literal('min'), Type.Literal('max')]),
          entity: Type.Optional(Type.String()),
          ...ROW_CONDITIONS,
        },
        CLOSED,
      ),
    ),
    orderBy: Type.Optional(
      Type.Array(
        Type.Object(
          { by: Type.String(), direction: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])) },
          CLOSED,
        ),
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Names of the joins to use when the declared joins are ambiguous. */
    joinPath: Type.Optional(Type.Array(Type.String())),
  },
  CLOSED,
);
export type QueryPlan = Static<typeof QueryPlan>;
