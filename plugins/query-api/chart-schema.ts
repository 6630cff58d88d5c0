/** Declares the chart of a result as clients get it. */
import { Type } from '@sinclair/typebox';
import type { Aggregate, ChartFormat, ChartMark, ChartSort } from '../chart-kit/index.ts';

// The words are written here again, since nothing of the kit is loaded before a result is shown.
const word = <T extends string>(words: readonly T[], description?: string) =>
  Type.Union(
    words.map((one) => Type.Literal(one)),
    description === undefined ? {} : { description },
  );
const column = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

export const ChartSpec = Type.Object(
  {
    mark: word<ChartMark>(['bar', 'line', 'area', 'point', 'pie']),
    x: column('Column along the axis, or of the parts of a pie.'),
    y: Type.Array(column('Column of numbers.'), {
      maxItems: 4,
      description: 'What is drawn; several are series. None: rows are counted.',
    }),
    series: Type.Optional(column('Column that splits `y` into series.')),
    aggregate: word<Aggregate>(
      ['sum', 'mean', 'min', 'max', 'count'],
      'How rows of one place and series are combined.',
    ),
    sort: word<ChartSort>(['x', 'value', 'rows'], 'Along `x`, the largest value first, or as the rows come.'),
    stack: Type.Boolean({ description: 'Bars and areas of several series stand on each other.' }),
    format: Type.Optional(
      word<ChartFormat>(
        ['number', 'compact', 'percent'],
        'How values are written: `percent` takes 0.12 for 12 %. Default: as `formats` say of the columns, else `number`.',
      ),
    ),
    title: Type.Optional(Type.String({ maxLength: 120 })),
  },
  {
    title: 'ChartSpec',
    additionalProperties: false,
    description: 'A chart that shows the rows well. Missing where none does.',
  },
);
