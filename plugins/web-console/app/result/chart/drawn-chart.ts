/** Makes everything that is drawn of a chart: its points and the words beside them. */
import type { ResultColumn, ResultRow } from '../columns.ts';
import { type ChartPoints, chartPoints } from './chart-points.ts';
import { nameOf, valueName } from './chart-sentence.ts';
import type { ChartSpec } from './chart-spec.ts';

export interface DrawnChart {
  readonly spec: ChartSpec;
  readonly drawn: ChartPoints;
  readonly xTitle: string;
  readonly yTitle: string;
}

export function drawnChart(spec: ChartSpec, columns: readonly ResultColumn[], rows: readonly ResultRow[]): DrawnChart {
  return {
    spec,
    drawn: chartPoints(spec, columns, rows),
    xTitle: nameOf(columns[spec.x]),
    yTitle: valueName(spec, columns),
  };
}
