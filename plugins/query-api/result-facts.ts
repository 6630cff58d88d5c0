/** Describes what stands beside the rows of a result: its origin, how it is written and drawn, what else may be meant. */
import { type TSchema, Type } from '@sinclair/typebox';
import { FILTER_OPERATORS } from '../result-kit/index.ts';
import { ChartSpec } from './chart-schema.ts';

const sql = Type.Optional(Type.String({ description: 'Left out for readers who may not see SQL.' }));
const part = Type.Optional(
  Type.String({
    description: 'Of a statement that reads tables in several parts: the common table or subquery that it limits.',
  }),
);
const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const Freshness = Type.Object(
  {
    column: Type.String({ description: "The table's time column." }),
    last: orNull(Type.String(), 'Its last value among the rows that you may see; null: there is none.'),
    checkedAt: Type.String({ format: 'date-time' }),
    within: Type.Optional(Type.String({ description: 'How old it may be, as the layer declares it: `24h`.' })),
    isLate: Type.Boolean({ description: 'It is older than that.' }),
  },
  { title: 'Freshness' },
);

const Operator = Type.Union(
  FILTER_OPERATORS.map((operator) => Type.Literal(operator)),
  { description: 'How it compares the column with the values.' },
);

export const Provenance = Type.Object(
  {
    tables: Type.Array(
      Type.Object({
        name: Type.String({ description: 'As the layer calls it.' }),
        freshness: orNull(Freshness, 'How new the rows are; null: not known, or not known in time.'),
      }),
    ),
    measures: Type.Array(
      Type.Object({
        name: Type.String({
          description: '`entity.measure`, the id of a metric, or the words for a calculation of the statement.',
        }),
        column: Type.Optional(Type.String({ description: 'The column of the result that it is.' })),
        definition: Type.String(),
        sql,
      }),
    ),
    filters: Type.Array(
      Type.Object({
        text: Type.String({ description: 'In words: `status of orders is completed`.' }),
        column: Type.Optional(Type.String({ description: '`entity.dimension`, where it is about one.' })),
        operator: Type.Optional(Operator),
        values: Type.Optional(
          Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
            description: 'As the statement has them.',
          }),
        ),
        orMissing: Type.Optional(Type.Boolean({ description: 'It holds where there is no value, too.' })),
        named: Type.Optional(Type.String({ description: 'The segment or term of the layer that it is.' })),
        part,
        sql,
      }),
      { description: 'All of them hold, beside the periods.' },
    ),
    periods: Type.Array(
      Type.Object({
        column: Type.String({ description: '`entity.dimension`.' }),
        text: Type.String(),
        from: Type.Optional(Type.String({ description: 'Inclusive; missing: open.' })),
        to: Type.Optional(Type.String()),
        includesTo: Type.Boolean({ description: 'Whether `to` belongs to it.' }),
        timeZone: orNull(Type.String(), 'Of its times; null: it has days only, or the connection decides.'),
        part,
      }),
    ),
    joins: Type.Array(
      Type.Object({
        from: Type.String(),
        to: Type.String(),
        on: Type.Array(Type.Object({ from: Type.String(), to: Type.String() })),
      }),
    ),
    policies: Type.Array(Type.Union([Type.Literal('rows'), Type.Literal('values')]), {
      description: '`rows`: row security limits the rows; `values`: columns are masked.',
    }),
    limit: Type.Object({
      rows: orNull(Type.Integer(), 'Most rows that the statement asks for.'),
      truncated: Type.Boolean(),
      sampled: Type.Boolean({ description: 'The statement reads a random part of a table.' }),
    }),
    assumptions: Type.Array(Type.String(), { description: 'How the question was read, one sentence each.' }),
  },
  {
    title: 'Provenance',
    description: 'Where a result comes from; what policies add to the statement is no part of it.',
  },
);

const Formats = Type.Record(
  Type.String(),
  Type.Object(
    {
      style: Type.Union(
        (['number', 'currency', 'percent', 'duration', 'compact'] as const).map((style) => Type.Literal(style)),
      ),
      unit: Type.Optional(Type.String({ description: 'The code of a currency, or the unit of the values.' })),
    },
    { title: 'ValueFormat' },
  ),
  { description: 'How the values of columns are written, by their names; `rows` has them as they are.' },
);

const Explanation = Type.Object(
  {
    text: Type.String({ description: 'All of it in a few sentences.' }),
    filters: Type.Array(Type.String(), { description: 'The filters that leave nothing, in words.' }),
    nearValues: Type.Optional(
      Type.Array(
        Type.Object({
          column: Type.String({ description: '`entity.dimension`.' }),
          value: Type.String({ description: 'What no row has.' }),
          values: Type.Array(Type.String(), {
            description: 'Values that rows have: the nearest first, or all where there are few and none is near.',
          }),
        }),
      ),
    ),
    period: Type.Optional(
      Type.Object(
        { column: Type.String(), from: Type.String(), to: Type.String() },
        { description: 'Days of the first and the last row that there is without the filter by time.' },
      ),
    ),
  },
  {
    title: 'Explanation',
    description: 'Why a result is empty, from the rows that the reader may see; missing where that is not known.',
  },
);
const Readings = Type.Object(
  {
    text: Type.String({ description: 'All of them in one sentence, with their numbers.' }),
    others: Type.Array(
      Type.Object({
        name: Type.String({
          description: 'The time or measure: `entity.dimension`, `entity.measure`, or the id of a metric.',
        }),
        insteadOf: Type.String({ description: 'The one that `rows` of the result are about.' }),
        rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
          description: 'What it gives, with the columns of the result in their order.',
        }),
      }),
    ),
  },
  {
    title: 'Readings',
    description: 'Other readings of the question that give different numbers; missing where none is known.',
  },
);
/** Fields that plugins add to a result. */
export const RESULT_FACTS = {
  provenance: Type.Optional(Provenance),
  formats: Type.Optional(Formats),
  chart: Type.Optional(ChartSpec),
  explanation: Type.Optional(Explanation),
  readings: Type.Optional(Readings),
};
