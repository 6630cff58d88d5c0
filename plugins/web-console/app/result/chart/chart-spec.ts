/** Chooses a chart from the kinds of columns. A chart is described by these few words alone. */
import { type ResultColumn, type ResultRow, valueAt } from '../columns.ts';

export const MARKS = ['bar', 'line', 'area', 'point', 'pie'] as const;
export type ChartMark = (typeof MARKS)[number];
export const AGGREGATES = ['sum', 'mean', 'min', 'max', 'count'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export interface ChartSpec {
  readonly mark: ChartMark;
  /** Places of columns. */
  readonly x: number;
  /** None: rows are counted. Several: each is a series. */
  readonly y: readonly number[];
  readonly series: number | undefined;
  /** How rows of the same place are combined. */
  readonly aggregate: Aggregate;
}

/** One number that says it all. */
export interface BigNumber {
  readonly column: number;
}

export type ChosenChart = { readonly chart: ChartSpec } | { readonly number: BigNumber } | undefined;

const MAX_MEASURES = 4;
/** A split into more series is unreadable. */
const MAX_SERIES = 8;
/** More categories are not worth counting. */
const MAX_COUNTED = 50;
/** Lines of values that differ more than this lie flat beside each other. */
const MAX_TIMES_LARGER = 30;
const RATIO = /(?:^|[_\s.-])(?:avg|average|mean|median|rate|ratio|share|percent|pct|price)(?:$|[_\s.-])|%/i;

function distinct(rows: readonly ResultRow[], column: ResultColumn): number {
  return new Set(rows.map((row) => String(valueAt(row, column)))).size;
}

function largest(rows: readonly ResultRow[], column: ResultColumn): number {
  return rows.reduce((most, row) => Math.max(most, Math.abs(Number(valueAt(row, column))) || 0), 0);
}

/** The first measure and those that are seen beside it. */
function comparable(measures: readonly ResultColumn[], rows: readonly ResultRow[]): number[] {
  const [first, ...others] = measures.slice(0, MAX_MEASURES);
  if (first === undefined) return [];
  const size = largest(rows, first);
  const isComparable = (other: number) => other <= size * MAX_TIMES_LARGER && size <= other * MAX_TIMES_LARGER;
  return [first, ...others.filter((column) => isComparable(largest(rows, column)))].map(({ index }) => index);
}

/** It has an order along which values develop. */
export function isTime(column: ResultColumn): boolean {
  return column.kind === 'date' || (column.kind === 'number' && /year$/i.test(column.name));
}

/** It can be split by: it names things. */
export function isCategory({ kind, isQuantity }: ResultColumn): boolean {
  return kind === 'text' || kind === 'boolean' || (!isQuantity && (kind === 'number' || kind === 'digits'));
}

/** Sums of averages and prices would say nothing. */
function aggregateOf(column: ResultColumn | undefined): Aggregate {
  if (column === undefined) return 'count';
  return RATIO.test(column.name) ? 'mean' : 'sum';
}

export function chooseChart(columns: readonly ResultColumn[], rows: readonly ResultRow[]): ChosenChart {
  const measures = columns.filter(({ isQuantity }) => isQuantity);
  const times = columns.filter(isTime);
  const categories = columns.filter((column) => isCategory(column) && !isTime(column));
  const [measure] = measures;
  if (rows.length === 0) return undefined;
  if (rows.length === 1 && measure !== undefined && measures.length === 1) return { number: { column: measure.index } };
  const [time] = times;
  const x = time ?? categories[0];
  const splits = categories.filter((column) => column !== x);
  // Where each place stands in one row, a split would leave series of one point.
  const hasSplit = x !== undefined && measures.length === 1 && distinct(rows, x) < rows.length;
  const series = hasSplit ? splits.find((column) => distinct(rows, column) <= MAX_SERIES) : undefined;
  const common = { series: series?.index, aggregate: aggregateOf(measure) };
  const y = comparable(measures, rows);
  if (measure !== undefined && time !== undefined) {
    return { chart: { mark: distinct(rows, time) > 1 ? 'line' : 'bar', x: time.index, y, ...common } };
  }
  if (measure !== undefined && x !== undefined) {
    return { chart: { mark: 'bar', x: x.index, y: y.slice(0, 1), ...common } };
  }
  const [across, up] = measures;
  if (across !== undefined && up !== undefined) {
    return { chart: { mark: 'point', x: across.index, y: [up.index], series: undefined, aggregate: 'sum' } };
  }
  const counted = x === undefined ? 0 : distinct(rows, x);
  if (x === undefined || counted > MAX_COUNTED || counted === rows.length) return undefined;
  return { chart: { mark: time ? 'line' : 'bar', x: x.index, y: [], series: undefined, aggregate: 'count' } };
}
