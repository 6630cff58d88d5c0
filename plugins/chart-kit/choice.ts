/** Chooses a chart from the kinds of columns and how many values they have. */
import { columnsOf, type ResultColumn, type ResultTable } from './columns.ts';
import { type Aggregate, type ChartMark, type ChartSort, type ChartSpec, MAX_MEASURES, MAX_NAME } from './spec.ts';
import { type ResultRow, valueAt } from './values.ts';

export interface ChosenChart {
  readonly chart?: ChartSpec;
  /** Name of the column whose one number says it all, in place of a chart. */
  readonly number?: string;
}

/** Rows that are looked at: further ones change no choice. */
const SAMPLE_ROWS = 200;
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
function comparable(measures: readonly ResultColumn[], rows: readonly ResultRow[]): string[] {
  const [first, ...others] = measures.slice(0, MAX_MEASURES);
  if (first === undefined) return [];
  if (others.length === 0) return [first.name];
  const size = largest(rows, first);
  const isComparable = (other: number) => other <= size * MAX_TIMES_LARGER && size <= other * MAX_TIMES_LARGER;
  return [first, ...others.filter((column) => isComparable(largest(rows, column)))].map(({ name }) => name);
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
export function aggregateOf(column: ResultColumn | undefined): Aggregate {
  if (column === undefined) return 'count';
  return RATIO.test(column.name) ? 'mean' : 'sum';
}

/** Along time and numbers by value, categories of a bar or a pie by their size. */
export function sortOf(mark: ChartMark, x: ResultColumn): ChartSort {
  if (isTime(x) || x.isQuantity) return 'x';
  return mark === 'bar' || mark === 'pie' ? 'value' : 'rows';
}

/** Those that are stacked without being asked for: what is apart otherwise, such as averages, has no sum. */
export const isStacked = (mark: ChartMark, aggregate: Aggregate): boolean =>
  (mark === 'bar' || mark === 'area') && (aggregate === 'sum' || aggregate === 'count');

/** Whether the columns of a chart are those of a table. */
export function fitsTable({ x, y, series }: ChartSpec, { columns }: Pick<ResultTable, 'columns'>): boolean {
  return [x, ...y, ...(series === undefined ? [] : [series])].every((name) => columns.includes(name));
}

/** `columns`: of the table, where they are known. */
export function chooseChart(table: ResultTable, columns?: readonly ResultColumn[]): ChosenChart | undefined {
  const rows = table.rows.length > SAMPLE_ROWS ? table.rows.slice(0, SAMPLE_ROWS) : table.rows;
  if (rows.length === 0) return undefined;
  const known = columns ?? columnsOf({ ...table, rows });
  const drawable = known.filter(({ name }) => name !== '' && name.length <= MAX_NAME);
  const measures = drawable.filter(({ isQuantity }) => isQuantity);
  const [measure] = measures;
  if (table.rows.length === 1 && measure !== undefined && measures.length === 1) return { number: measure.name };
  const time = drawable.find(isTime);
  const categories = drawable.filter((column) => isCategory(column) && !isTime(column));
  const x = time ?? categories[0];
  const aggregate = aggregateOf(measure);
  const chart = (mark: ChartMark, across: ResultColumn, y: readonly string[], series?: string) => ({
    chart: {
      mark,
      x: across.name,
      y: [...y],
      ...(series !== undefined && { series }),
      aggregate,
      sort: sortOf(mark, across),
      stack: isStacked(mark, aggregate) && series !== undefined,
    },
  });
  if (measure !== undefined && x !== undefined) {
    const places = distinct(rows, x);
    // Where each place stands in one row, a split would leave series of one point.
    const splits = measures.length === 1 && places < rows.length ? categories.filter((column) => column !== x) : [];
    const series = splits.find((column) => distinct(rows, column) <= MAX_SERIES)?.name;
    if (time === undefined) return chart('bar', x, [measure.name], series);
    return chart(places > 1 ? 'line' : 'bar', time, comparable(measures, rows), series);
  }
  const [across, up] = measures;
  if (across !== undefined && up !== undefined) return chart('point', across, [up.name]);
  const counted = x === undefined ? 0 : distinct(rows, x);
  if (x === undefined || counted > MAX_COUNTED || counted === rows.length) return undefined;
  return chart(time ? 'line' : 'bar', x, []);
}
