/** Makes everything that is drawn of a chart: its points and the words beside them. */
import { columnsOf, type ResultColumn, type ResultTable } from './columns.ts';
import { type ChartPoints, chartPoints } from './points.ts';
import { type ChartWords, chartWords } from './sentence.ts';
import type { ChartSpec } from './spec.ts';
import type { ResultRow } from './values.ts';

export interface DrawnChart {
  readonly spec: ChartSpec;
  readonly drawn: ChartPoints;
  readonly words: ChartWords;
  readonly locale: string | undefined;
}

/** `columns`: of all rows, of which some are drawn. Of a chart that fits them. */
export function drawnChart(
  spec: ChartSpec,
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
  locale?: string,
): DrawnChart {
  const drawn = chartPoints(spec, columns, rows, locale);
  return { spec, drawn, words: chartWords(spec, columns, drawn, locale), locale };
}

export const drawnTable = (spec: ChartSpec, table: ResultTable, locale?: string): DrawnChart =>
  drawnChart(spec, columnsOf(table), table.rows, locale);
