/** Chooses the chart of a result. */
import type { ToolTable } from '../../kernel/index.ts';
import { type ChartSpec, chooseChart } from '../chart-kit/index.ts';

/** `undefined` where no chart shows more than the rows do: one row, one column of names, nested values. */
export function chartOf({ columns, rows }: Pick<ToolTable, 'columns' | 'rows'>): ChartSpec | undefined {
  return rows.length < 2 ? undefined : chooseChart({ columns, rows })?.chart;
}
