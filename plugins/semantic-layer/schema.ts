/**
 * Defines the schemas of the semantic layer's YAML files, from which validation and types are derived.
 * The formats are those of `docs/semantic-layer.md`.
 */
import { type Static, type TOptional, type TSchema, Type } from '@sinclair/typebox';
import { LANGUAGE_CODES, type LanguageCode } from '../language-kit/index.ts';

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const text = Type.String({ minLength: 1 });
const texts = Type.Array(text);
const CLOSED = { additionalProperties: false };

/** Other words for the same thing in other languages than English. */
export const Translations = Type.Object(
  Object.fromEntries(LANGUAGE_CODES.map((code) => [code, optional(texts)])) as Record<
    LanguageCode,
    TOptional<typeof texts>
  >,
  CLOSED,
);
export type Translations = Static<typeof Translations>;

/** What values of a column are called in other languages, by the value as the database has it. */
const wordsOfValues = Type.Record(text, texts);
const ValueTranslations = Type.Object(
  Object.fromEntries(LANGUAGE_CODES.map((code) => [code, optional(wordsOfValues)])) as Record<
    LanguageCode,
    TOptional<typeof wordsOfValues>
  >,
  CLOSED,
);

const time = Type.String({
  pattern: String.raw`^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$`,
  description: 'a date or timestamp such as 2024-11-01',
});

export const DimensionType = Type.Union([
  Type.Literal('string'),
  Type.Literal('number'),
  Type.Literal('boolean'),
  Type.Literal('date'),
  Type.Literal('timestamp'),
  Type.Literal('json'),
]);
export type DimensionType = Static<typeof DimensionType>;

export const Dimension = Type.Object(
  {
    name: text,
    /**
     * SQL expression over the entity's columns and, as `{dimension}`, its other dimensions. Default: the column `name`.
     */
    sql: optional(text),
    type: optional(DimensionType),
    description: optional(Type.String()),
    primary_key: optional(Type.Boolean()),
    sample_values: optional(Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]))),
    unique_count: optional(Type.Number()),
    null_count: optional(Type.Number()),
    /** The first and last value of a date or timestamp when the table was profiled. */
    range: optional(Type.Array(time, { minItems: 2, maxItems: 2 })),
    /** Whether the database permits NULL in the column; of a computed dimension it says nothing. */
    nullable: optional(Type.Boolean()),
    /**
     * The column that a declared foreign key refers to: `table.column`, in another schema `schema.table.column`, as the
     * database writes them and without quotes. Several when the column is part of several foreign keys.
     */
    references: optional(Type.Union([text, Type.Array(text, { minItems: 1 })])),
    synonyms: optional(texts),
    translations: optional(Translations),
    value_translations: optional(ValueTranslations),
    hidden: optional(Type.Boolean()),
    mask: optional(text),
  },
  CLOSED,
);
export type Dimension = Static<typeof Dimension>;

export const MeasureType = Type.Union([
  Type.Literal('count'),
  Type.Literal('count_distinct'),
  Type.Literal('sum'),
  Type.Literal('avg'),
  Type.Literal('min'),
  Type.Literal('max'),
  Type.Literal('ratio'),
]);
export type MeasureType = Static<typeof MeasureType>;

export const Measure = Type.Object(
  {
    name: text,
    /** What is aggregated; for `ratio` a whole aggregate expression. Default for `count`: every row. */
    sql: optional(text),
    type: MeasureType,
    description: optional(Type.String()),
    format: optional(Type.String()),
    /** Its values are states, such as balances: of several times, only the last ones are added. */
    additive: optional(Type.Literal('not over time')),
    synonyms: optional(texts),
    translations: optional(Translations),
  },
  CLOSED,
);
export type Measure = Static<typeof Measure>;

const JoinColumns = Type.Object({ from: text, to: text }, CLOSED);

export const Join = Type.Object(
  {
    /** Required where two joins lead to the same target. */
    name: optional(text),
    /** Name of the entity joined to. */
    target: text,
    relationship: Type.Union([
      Type.Literal('many_to_one'),
      Type.Literal('one_to_many'),
      Type.Literal('one_to_one'),
      Type.Literal('many_to_many'),
    ]),
    on: Type.Union([JoinColumns, Type.Array(JoinColumns, { minItems: 1 })]),
    description: optional(Type.String()),
  },
  CLOSED,
);
export type Join = Static<typeof Join>;

export const Segment = Type.Object(
  {
    name: text,
    sql: text,
    /** Questions mean only its rows unless they say otherwise. */
    default: optional(Type.Boolean()),
    description: optional(Type.String()),
    synonyms: optional(texts),
    translations: optional(Translations),
  },
  CLOSED,
);
export type Segment = Static<typeof Segment>;

/** How new the rows have to be. */
export const Freshness = Type.Object(
  {
    /** The date or timestamp whose last value tells. */
    column: text,
    /** How old that may be. */
    within: Type.String({ pattern: String.raw`^[1-9]\d{0,4}[mhd]$`, description: 'a time such as 30m, 24h or 7d' }),
  },
  CLOSED,
);

export const EntityFile = Type.Object(
  {
    /** Physical table or view, optionally `schema.table`. */
    table: text,
    /** Name used in joins, metrics and questions. Default: the table's own name. */
    name: optional(text),
    type: optional(
      Type.Union([Type.Literal('table'), Type.Literal('view'), Type.Literal('fact'), Type.Literal('dimension')]),
    ),
    schema: optional(text),
    connection: optional(text),
    grain: optional(Type.String()),
    /** About how many rows the table had when it was profiled. */
    row_count: optional(Type.Number()),
    description: optional(Type.String()),
    synonyms: optional(texts),
    freshness: optional(Freshness),
    translations: optional(Translations),
    dimensions: optional(Type.Array(Dimension)),
    measures: optional(Type.Array(Measure)),
    joins: optional(Type.Array(Join)),
    segments: optional(Type.Array(Segment)),
    query_patterns: optional(Type.Array(Type.Object({ description: text, sql: text }, CLOSED))),
  },
  CLOSED,
);
export type EntityFile = Static<typeof EntityFile>;

export const Metric = Type.Object(
  {
    id: text,
    label: optional(text),
    description: optional(Type.String()),
    entity: optional(text),
    /** Name of a measure of `entity`; `sql` is an aggregate expression over it instead. */
    measure: optional(text),
    sql: optional(text),
    unit: optional(Type.String()),
    objective: optional(Type.Union([Type.Literal('maximize'), Type.Literal('minimize'), Type.Literal('maintain')])),
    synonyms: optional(texts),
    translations: optional(Translations),
    dimensions: optional(texts),
  },
  CLOSED,
);
export type Metric = Static<typeof Metric>;

export const MetricsFile = Type.Union([Type.Object({ metrics: Type.Array(Metric) }, CLOSED), Metric]);

export const Meaning = Type.Object(
  {
    name: text,
    description: optional(Type.String()),
    entity: optional(text),
    measure: optional(text),
    metric: optional(text),
    dimension: optional(text),
    sql: optional(text),
  },
  CLOSED,
);
export type Meaning = Static<typeof Meaning>;

export const GlossaryTerm = Type.Object(
  {
    term: text,
    status: optional(Type.Union([Type.Literal('defined'), Type.Literal('ambiguous')])),
    /** Plain text in the layer's own words, such as "A visit whose status is no_show." */
    definition: optional(Type.String()),
    entity: optional(text),
    /** A condition over `entity` that the term stands for. */
    sql: optional(text),
    synonyms: optional(texts),
    translations: optional(Translations),
    tables: optional(texts),
    meanings: optional(Type.Array(Type.Union([text, Meaning]))),
  },
  CLOSED,
);
export type GlossaryTerm = Static<typeof GlossaryTerm>;

export const GlossaryFile = Type.Object({ terms: Type.Array(GlossaryTerm) }, CLOSED);

export const VerifiedParameter = Type.Object(
  {
    /** `{name}` in wordings; in `sql` `:name`, of a period `:name_from` and, exclusive, `:name_to`. */
    name: Type.String({
      pattern: '^(?!constructor$)[a-z][a-z0-9_]{0,39}$',
      description: 'a name such as region or min_amount',
    }),
    type: Type.Union([Type.Literal('period'), Type.Literal('number'), Type.Literal('value'), Type.Literal('top')]),
    /** `entity.dimension`, whose listed values a `value` must be one of. */
    dimension: optional(text),
    /** Those that it must be one of instead, as where row security hides the values of the dimension. */
    values: optional(Type.Array(Type.Union([text, Type.Number()]), { minItems: 1 })),
    /** Taken where a wording does not have it: a number, a value, or a period as people write it. */
    default: optional(Type.Union([text, Type.Number()])),
    /** Without a default, NULL is bound where a wording does not have it. */
    optional: optional(Type.Boolean()),
    min: optional(Type.Number({ minimum: 0 })),
    max: optional(Type.Number({ minimum: 0 })),
  },
  CLOSED,
);
export type VerifiedParameter = Static<typeof VerifiedParameter>;

/** A file in `verified/` holds one. */
export const VerifiedQuery = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,79}$', description: 'a name such as revenue_by_region' }),
    /** As people ask it, with parameters as `{name}`. */
    question: text,
    /** Other wordings. */
    also: optional(texts),
    sql: optional(text),
    /** A plan of the tool `queryMetrics`, in which `"{name}"` stands for a parameter. */
    plan: optional(Type.Object({}, { additionalProperties: true })),
    parameters: optional(Type.Array(VerifiedParameter)),
    connection: optional(text),
    /** Who vouches for it, and since when. Without both it is an example only. */
    verifiedBy: optional(text),
    verifiedAt: optional(time),
    /** Offered to people who have not asked anything yet. */
    onboarding: optional(Type.Boolean()),
  },
  CLOSED,
);
export type VerifiedQuery = Static<typeof VerifiedQuery>;

export const CatalogFile = Type.Object(
  {
    name: optional(text),
    description: optional(Type.String()),
    entities: optional(
      Type.Array(
        Type.Object(
          {
            name: text,
            file: optional(text),
            grain: optional(Type.String()),
            description: optional(Type.String()),
            use_for: optional(texts),
            common_questions: optional(texts),
          },
          CLOSED,
        ),
      ),
    ),
  },
  CLOSED,
);
export type CatalogFile = Static<typeof CatalogFile>;
