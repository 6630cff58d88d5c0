/** Keeps which chart of a result is drawn: that of the answer, or the one that fits its columns, until the reader chooses another. */
import { useMemo, useState } from 'react';
import {
  type ChartSpec,
  type ChosenChart,
  chooseChart,
  fitsTable,
  type ResultColumn,
  type ResultTable,
} from '../../../../chart-kit/index.ts';

export interface ChartModel {
  readonly chosen: ChosenChart | undefined;
  readonly spec: ChartSpec | undefined;
  readonly setSpec: (spec: ChartSpec) => void;
}

/** `given`: with the answer. It may be of an earlier version of the columns. */
export function useChart(
  table: ResultTable,
  columns: readonly ResultColumn[],
  given: ChartSpec | undefined,
): ChartModel {
  const [changed, setSpec] = useState<ChartSpec | undefined>();
  const chosen = useMemo<ChosenChart | undefined>(
    () => (given !== undefined && fitsTable(given, table) ? { chart: given } : chooseChart(table, columns)),
    [table, columns, given],
  );
  return { chosen, spec: changed ?? chosen?.chart, setSpec };
}
