/** Changes one thing of a chart, and with it what follows: the order of its places, and whether series stand on each other. */
import {
  aggregateOf,
  type ChartMark,
  type ChartSpec,
  isStacked,
  type ResultColumn,
  sortOf,
} from '../../../../chart-kit/index.ts';

export const isSplit = ({ series, y }: ChartSpec) => series !== undefined || y.length > 1;

export function withMark(spec: ChartSpec, mark: ChartMark, across: ResultColumn | undefined): ChartSpec {
  const sort = across === undefined ? spec.sort : sortOf(mark, across);
  return { ...spec, mark, sort, stack: isStacked(mark, spec.aggregate) && isSplit(spec) };
}

export function withAcross(spec: ChartSpec, across: ResultColumn | undefined): ChartSpec {
  return across === undefined ? spec : { ...spec, x: across.name, sort: sortOf(spec.mark, across) };
}

/** Without a column rows are counted. */
export function withValue(spec: ChartSpec, column: ResultColumn | undefined): ChartSpec {
  return { ...spec, y: column === undefined ? [] : [column.name], aggregate: aggregateOf(column) };
}

/** Several values are series themselves. */
export function withSeries({ series: _, ...spec }: ChartSpec, column: ResultColumn | undefined): ChartSpec {
  if (column === undefined) return { ...spec, stack: false };
  return {
    ...spec,
    series: column.name,
    y: spec.y.slice(0, 1),
    stack: isStacked(spec.mark, spec.aggregate),
  };
}
