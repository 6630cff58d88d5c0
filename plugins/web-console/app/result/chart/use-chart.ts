/** Keeps which chart of a result is drawn: the one that fits its columns, until the reader chooses another. */
import { useMemo, useState } from 'react';
import type { ResultColumn, ResultRow } from '../columns.ts';
import { type ChartSpec, type ChosenChart, chooseChart } from './chart-spec.ts';

export interface ChartModel {
  readonly chosen: ChosenChart;
  readonly spec: ChartSpec | undefined;
  readonly setSpec: (spec: ChartSpec) => void;
}

export function useChart(columns: readonly ResultColumn[], rows: readonly ResultRow[]): ChartModel {
  const [changed, setSpec] = useState<ChartSpec | undefined>();
  const chosen = useMemo(() => chooseChart(columns, rows), [columns, rows]);
  const spec = changed ?? (chosen !== undefined && 'chart' in chosen ? chosen.chart : undefined);
  return { chosen, spec, setSpec };
}
