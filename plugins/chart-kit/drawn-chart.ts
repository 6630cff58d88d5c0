/** Makes everything that is drawn of a chart: its points and the words beside them. */
import { columnsOf, type ResultColumn, type ResultTable } from './columns.ts';
import { formatIn, type NumberFormat } from './number-text.ts';
import { type ChartPoints, chartPoints } from './points.ts';
import { type ChartWords, chartWords } from './sentence.ts';
import type { ChartSpec } from './spec.ts';
import type { ResultRow } from './values.ts';

export interface DrawnChart {
  readonly spec: ChartSpec;
  readonly drawn: ChartPoints;
  readonly words: ChartWords;
  readonly locale: string | undefined;
  /** How values are written. */
  readonly format: NumberFormat;
  /** How numbers along the axis are written. */
  readonly xFormat: NumberFormat;
}

/** `columns`: of all rows, of which some are drawn. Of a chart that fits them. */
export function drawnChart(
  spec: ChartSpec,
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
  locale?: string,
): DrawnChart {
  const drawn = chartPoints(spec, columns, rows, locale);
  const { format: xFormat } = columns.find(({ name }) => name === spec.x) ?? {};
  const words = chartWords(spec, columns, drawn, locale);
  return { spec, drawn, words, locale, format: formatIn(spec, columns), xFormat };
}

export const drawnTable = (spec: ChartSpec, table: ResultTable, locale?: string): DrawnChart =>
  drawnChart(spec, columnsOf(table), table.rows, locale);
