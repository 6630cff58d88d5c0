/** Shared parts of everything that shows charts, in a browser or not: the specification, the choice, the drawing. */
export {
  aggregateOf,
  type ChosenChart,
  chooseChart,
  fitsTable,
  isCategory,
  isStacked,
  isTime,
  sortOf,
} from './choice.ts';
export {
  type ColumnKind,
  columnById,
  columnLabel,
  columnsOf,
  type ResultColumn,
  type ResultTable,
} from './columns.ts';
export { type DrawingOptions, drawChart } from './drawing.ts';
export { type DrawnChart, drawnChart, drawnTable } from './drawn-chart.ts';
export { valueText } from './number-text.ts';
export { columnName } from './sentence.ts';
export {
  AGGREGATES,
  type Aggregate,
  type ChartFormat,
  type ChartMark,
  type ChartSort,
  type ChartSpec,
  FORMATS,
  MARKS,
  MAX_MEASURES,
  MAX_TITLE,
  SORTS,
} from './spec.ts';
export { type SvgElement, svgText } from './svg.ts';
export { CHART_TEXTS } from './texts.ts';
export { instantOf, isDecimal, plainText, type ResultRow, valueAt } from './values.ts';
