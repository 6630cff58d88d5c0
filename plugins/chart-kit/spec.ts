/** Declares a chart: which columns of a result are drawn, and how. It holds no expression, address or script. */
import { type Static, Type } from '@sinclair/typebox';

export const MARKS = ['bar', 'line', 'area', 'point', 'pie'] as const;
export type ChartMark = (typeof MARKS)[number];
export const AGGREGATES = ['sum', 'mean', 'min', 'max', 'count'] as const;
export type Aggregate = (typeof AGGREGATES)[number];
export const SORTS = ['x', 'value', 'rows'] as const;
export type ChartSort = (typeof SORTS)[number];
export const FORMATS = ['number', 'compact', 'percent'] as const;
export type ChartFormat = (typeof FORMATS)[number];

/** Columns of a longer name are not drawn unasked. */
export const MAX_NAME = 200;
export const MAX_TITLE = 120;
/** More measures are too many lines. */
export const MAX_MEASURES = 4;

// Made in a function that a bundler leaves out where nobody checks: pages need the words alone.
export const ChartSpec = /* @__PURE__ */ (() => {
  const column = (description: string) => Type.String({ minLength: 1, maxLength: MAX_NAME, description });
  const word = <T extends string>(words: readonly T[], description?: string) =>
    Type.Union(
      words.map((one) => Type.Literal(one)),
      description === undefined ? {} : { description },
    );
  return Type.Object(
    {
      mark: word(MARKS),
      x: column('Column along the axis, or of the parts of a pie.'),
      y: Type.Array(column('Column of numbers.'), {
        maxItems: MAX_MEASURES,
        description: 'What is drawn; several are series. None: rows are counted.',
      }),
      series: Type.Optional(column('Column that splits `y` into series.')),
      aggregate: word(AGGREGATES, 'How rows of one place and series are combined.'),
      sort: word(SORTS, 'Along `x`, the largest value first, or as the rows come.'),
      stack: Type.Boolean({ description: 'Bars and areas of several series stand on each other.' }),
      format: Type.Optional(word(FORMATS, 'How values are written: `percent` takes 0.12 for 12 %. Default: `number`.')),
      title: Type.Optional(Type.String({ maxLength: MAX_TITLE })),
    },
    { title: 'ChartSpec', additionalProperties: false, description: 'A chart that shows the rows well.' },
  );
})();
export type ChartSpec = Readonly<Static<typeof ChartSpec>>;
