/** Defines a chart: which columns of a result are drawn, and how. It holds no expression, address or script. */

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

/** Its JSON schema is `ChartSpec` of `query-api`. */
export interface ChartSpec {
  readonly mark: ChartMark;
  /** Column along the axis, or of the parts of a pie. */
  readonly x: string;
  /** Columns of numbers. None: rows are counted. Several: each is a series. */
  readonly y: readonly string[];
  /** Column that splits `y` into series. */
  readonly series?: string;
  /** How rows of one place and series are combined. */
  readonly aggregate: Aggregate;
  /** Along `x`, the largest value first, or as the rows come. */
  readonly sort: ChartSort;
  /** Bars and areas of several series stand on each other. */
  readonly stack: boolean;
  /** How values are written: `percent` takes 0.12 for 12 %. Default: as the layer says of the columns, else `number`. */
  readonly format?: ChartFormat;
  readonly title?: string;
}
