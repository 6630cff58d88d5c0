/**
 * A typed question: what to measure, by what, under which conditions. `compile.ts` turns it into one SQL statement.
 * Names are `entity.member`, or a bare member name where only one entity has it.
 */
import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false };
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
  closed,
);
export type PlanFilter = Static<typeof PlanFilter>;

/** A condition on an aggregated measure (HAVING). */
export const MeasureFilter = Type.Object(
  {
    measure: Type.String({ description: '`entity.measure` or a metric id' }),
    operator: Type.Union([
      Type.Literal('equals'),
      Type.Literal('not_equals'),
      Type.Literal('greater_than'),
      Type.Literal('greater_or_equal'),
      Type.Literal('less_than'),
      Type.Literal('less_or_equal'),
    ]),
    value: Type.Number(),
  },
  closed,
);
export type MeasureFilter = Static<typeof MeasureFilter>;

/** `from` inclusive, `to` exclusive, both `YYYY-MM-DD` or an ISO timestamp; either may be open. */
export const TimeRange = Type.Object(
  {
    dimension: Type.String({ description: '`entity.dimension` of type date or timestamp' }),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
  },
  closed,
);
export type TimeRange = Static<typeof TimeRange>;

/**
 * A condition on rows by what is related to them: "customers with more than 5 orders in 2024", "products never ordered".
 * The rows of `entity` that belong to one row of `of` and meet the conditions are counted (or `measure` is taken over
 * them; over no row it is 0) and compared with `value`. Never multiplies rows: compiled to a correlated subquery.
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
    operator: Type.Union([
      Type.Literal('equals'),
      Type.Literal('not_equals'),
      Type.Literal('greater_than'),
      Type.Literal('greater_or_equal'),
      Type.Literal('less_than'),
      Type.Literal('less_or_equal'),
    ]),
    value: Type.Number(),
    filters: Type.Optional(Type.Array(PlanFilter)),
    segments: Type.Optional(Type.Array(Type.String())),
    excludedSegments: Type.Optional(Type.Array(Type.String())),
    timeRange: Type.Optional(TimeRange),
  },
  closed,
);
export type RelatedFilter = Static<typeof RelatedFilter>;

/** One way in which a row may qualify: all of it must hold. */
export const Alternative = Type.Object(
  { filters: Type.Optional(Type.Array(PlanFilter)), segments: Type.Optional(Type.Array(Type.String())) },
  closed,
);
export type Alternative = Static<typeof Alternative>;

export const QueryPlan = Type.Object(
  {
    /** Aggregates. Empty: the plan lists rows of `entity`, or distinct values of `dimensions` when it names no entity. */
    measures: Type.Optional(
      Type.Array(Type.String(), {
        description: '`entity.measure`, a metric id, or `entity.count` for a count of rows',
      }),
    ),
    /** Aggregates made on the spot over a dimension that has no declared measure. */
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
          closed,
        ),
      ),
    ),
    dimensions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            dimension: Type.String(),
            grain: Type.Optional(Grain),
            /** Also groups by the primary key of the dimension's entity, unseen, so that namesakes stay apart. */
            identity: Type.Optional(Type.Boolean()),
          },
          closed,
        ),
      ),
    ),
    /** Entity whose rows are listed when there are no measures. */
    entity: Type.Optional(Type.String()),
    filters: Type.Optional(Type.Array(PlanFilter, { description: 'all must hold' })),
    /** Named segments, `entity.segment`, and glossary terms with a condition. All must hold. */
    segments: Type.Optional(Type.Array(Type.String())),
    /** For each list, at least one alternative must hold; the alternatives of a list are about the same entity. */
    anyOf: Type.Optional(Type.Array(Type.Array(Alternative, { minItems: 2 }))),
    /** Segments or terms that must not hold. */
    excludedSegments: Type.Optional(Type.Array(Type.String())),
    measureFilters: Type.Optional(Type.Array(MeasureFilter)),
    timeRange: Type.Optional(TimeRange),
    /** A second range; every measure is returned for both, with the change and the change in percent. */
    comparison: Type.Optional(Type.Object({ from: Type.String(), to: Type.String() }, closed)),
    /** Adds each group's share of the total, in percent, for every measure that adds up. */
    share: Type.Optional(Type.Boolean()),
    /** Rows of `entity` (or of the first dimension's entity) that have no related row in these entities. */
    without: Type.Optional(Type.Array(Type.String())),
    related: Type.Optional(Type.Array(RelatedFilter, { description: 'all must hold' })),
    /** Every measure becomes the percentage (0 to 100) of itself that also meets these conditions. */
    portion: Type.Optional(
      Type.Object(
        {
          filters: Type.Optional(Type.Array(PlanFilter)),
          segments: Type.Optional(Type.Array(Type.String())),
          excludedSegments: Type.Optional(Type.Array(Type.String())),
          related: Type.Optional(Type.Array(RelatedFilter)),
        },
        closed,
      ),
    ),
    /**
     * One figure over groups: the plan's one measure for each group of `dimensions`, then this aggregate of those
     * values. `entity`: an average over all its rows that meet these conditions, also those without any measured row;
     * the plan then has no dimensions.
     */
    over: Type.Optional(
      Type.Object(
        {
          aggregate: Type.Union([Type.Literal('avg'), Type.Literal('min'), Type.Literal('max')]),
          entity: Type.Optional(Type.String()),
          filters: Type.Optional(Type.Array(PlanFilter)),
          segments: Type.Optional(Type.Array(Type.String())),
          excludedSegments: Type.Optional(Type.Array(Type.String())),
          related: Type.Optional(Type.Array(RelatedFilter)),
        },
        closed,
      ),
    ),
    orderBy: Type.Optional(
      Type.Array(
        Type.Object(
          { by: Type.String(), direction: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])) },
          closed,
        ),
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Names of joins to take where the declared joins leave a choice. */
    joinPath: Type.Optional(Type.Array(Type.String())),
  },
  closed,
);
export type QueryPlan = Static<typeof QueryPlan>;

export type Dialect = 'sqlite' | 'postgres' | 'mysql' | 'duckdb';

export interface CompiledColumn {
  readonly name: string;
  readonly kind: 'dimension' | 'measure' | 'comparison' | 'change' | 'change_percent' | 'share';
  /** The measure or dimension it came from, as `entity.member`, or the metric id. */
  readonly source: string;
  readonly type: 'string' | 'number' | 'boolean' | 'date' | 'timestamp' | 'json';
  readonly unit?: string;
  readonly format?: string;
}

export interface CompiledQuery {
  readonly sql: string;
  readonly columns: readonly CompiledColumn[];
  /** Entities read, by name. */
  readonly entities: readonly string[];
  readonly connection: string | undefined;
}

/** The plan cannot be compiled as it stands. `choices` names the ways out where there are several. */
export class PlanError extends Error {
  readonly code: 'unknown_name' | 'ambiguous_name' | 'ambiguous_path' | 'no_path' | 'fan_out' | 'invalid_plan';
  readonly choices: readonly string[];
  constructor(code: PlanError['code'], message: string, choices: readonly string[] = []) {
    super(message);
    this.name = 'PlanError';
    this.code = code;
    this.choices = choices;
  }
}
