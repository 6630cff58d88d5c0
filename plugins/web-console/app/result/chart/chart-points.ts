/** Makes the points of a chart from rows: combined by place and series, sorted, and no more than can be read. */

import { visibleText } from '../../ui/visible-text.ts';
import { plainText } from '../cell-text.ts';
import { instantOf, type ResultColumn, type ResultRow, valueAt } from '../columns.ts';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import { type Aggregate, type ChartSpec, isTime } from './chart-spec.ts';

/** Only these fields reach the drawing: names of columns never do. */
export interface ChartPoint {
  /** A label, a number, or milliseconds since 1970. */
  readonly x: string | number;
  readonly y: number;
  readonly s: string;
  /** What the mouse is told. */
  readonly t: string;
}

export type XScale = 'category' | 'time' | 'number';

export interface ChartPoints {
  readonly points: readonly ChartPoint[];
  readonly xScale: XScale;
  /** In the order of the legend. */
  readonly series: readonly string[];
  /** How many places or points there are, and are shown. */
  readonly all: number;
  readonly shown: number;
  readonly allSeries: number;
  /** A pie of values below zero would say something else than they do. */
  readonly isRefused: boolean;
}

const MAX_LABEL = 60;
const MAX_SERIES = 8;
/** Most points of all series together: more take long to draw. */
const MAX_POINTS = 5_000;
const MAX_SHOWN: Readonly<Record<ChartSpec['mark'], number>> = {
  bar: 50,
  line: 2_000,
  area: 2_000,
  point: 2_000,
  pie: 7,
};

/** Short and without hidden characters; two that are cut to the same text stay two. */
function labelsOf(texts: Iterable<string>): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  // Vega keeps labels as names of properties, where this one is none.
  const used = new Set(['__proto__']);
  for (const text of texts) {
    const whole = visibleText(text.slice(0, MAX_LABEL * 2));
    const label = whole.length > MAX_LABEL ? `${whole.slice(0, MAX_LABEL - 1)}…` : whole;
    let unique = label;
    for (let count = 2; used.has(unique); count += 1) unique = `${label} (${count})`;
    used.add(unique);
    labels.set(text, unique);
  }
  return labels;
}

function combine(values: readonly number[], aggregate: Aggregate): number {
  if (aggregate === 'count') return values.length;
  if (aggregate === 'min') return values.reduce((least, value) => Math.min(least, value));
  if (aggregate === 'max') return values.reduce((most, value) => Math.max(most, value));
  const sum = values.reduce((total, value) => total + value, 0);
  return aggregate === 'mean' ? sum / values.length : sum;
}

function numberOf(value: unknown): number | undefined {
  if (value === null || typeof value === 'object' || typeof value === 'boolean' || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

export function xScaleOf(spec: ChartSpec, column: ResultColumn): XScale {
  if (spec.mark === 'point' && column.isQuantity) return 'number';
  const isLine = spec.mark === 'line' || spec.mark === 'area' || spec.mark === 'point';
  return isLine && column.kind === 'date' ? 'time' : isLine && column.isQuantity ? 'number' : 'category';
}

interface RawPoint {
  readonly place: string;
  readonly series: string;
  readonly value: number;
}

function rawPoints(spec: ChartSpec, columns: readonly ResultColumn[], rows: readonly ResultRow[]): RawPoint[] {
  const x = columns[spec.x] as ResultColumn;
  const split = spec.series === undefined ? undefined : columns[spec.series];
  return rows.flatMap((row) => {
    const value = valueAt(row, x);
    const place = value === null ? TEXTS.nullTitle : plainText(value);
    const series = split === undefined ? '' : plainText(valueAt(row, split) ?? TEXTS.nullTitle);
    if (spec.y.length === 0) return [{ place, series, value: 1 }];
    return spec.y.flatMap((index) => {
      const column = columns[index] as ResultColumn;
      const number = numberOf(valueAt(row, column));
      if (number === undefined) return [];
      return [{ place, series: split === undefined && spec.y.length > 1 ? column.name : series, value: number }];
    });
  });
}

/** Values by place and, inside it, by series. */
function grouped(raw: readonly RawPoint[], aggregate: Aggregate): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const places = new Map<string, Map<string, number[]>>();
  for (const { place, series, value } of raw) {
    const inner = places.get(place) ?? new Map<string, number[]>();
    places.set(place, inner);
    const values = inner.get(series);
    if (values === undefined) inner.set(series, [value]);
    else values.push(value);
  }
  return new Map(
    [...places].map(([place, inner]) => [
      place,
      new Map([...inner].map(([series, values]) => [series, combine(values, aggregate)])),
    ]),
  );
}

const total = (inner: ReadonlyMap<string, number> | undefined) =>
  [...(inner?.values() ?? [])].reduce((sum, value) => sum + value, 0);

const hasNegative = (inner: ReadonlyMap<string, number>) => [...inner.values()].some((value) => value < 0);

/** Along time and numbers by value, categories of a bar or a pie by their sum. */
function orderedPlaces(
  places: ReadonlyMap<string, ReadonlyMap<string, number>>,
  spec: ChartSpec,
  x: ResultColumn,
): string[] {
  const names = [...places.keys()];
  if (x.kind === 'date') return names.toSorted((a, b) => (instantOf(a) ?? 0) - (instantOf(b) ?? 0));
  if (isTime(x) || x.isQuantity) return names.toSorted((a, b) => Number(a) - Number(b));
  const isRanked = spec.mark === 'bar' || spec.mark === 'pie';
  return isRanked ? names.toSorted((a, b) => total(places.get(b)) - total(places.get(a))) : names;
}

export function chartPoints(
  spec: ChartSpec,
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
): ChartPoints {
  const x = columns[spec.x] as ResultColumn;
  const xScale = xScaleOf(spec, x);
  const raw = rawPoints(spec, columns, rows);
  const seriesNames = [...new Set(raw.map(({ series }) => series))];
  const shownSeries = seriesNames.slice(0, MAX_SERIES);
  const seriesLabels = labelsOf(shownSeries);
  const max = Math.min(MAX_SHOWN[spec.mark], Math.floor(MAX_POINTS / Math.max(1, shownSeries.length)));
  const xOf = (place: string) => (xScale === 'time' ? instantOf(place) : xScale === 'number' ? numberOf(place) : place);

  const isScatter = spec.mark === 'point';
  const places = isScatter ? undefined : grouped(raw, spec.aggregate);
  const isRefused = spec.mark === 'pie' && [...(places?.values() ?? [])].some(hasNegative);
  if (isRefused) return { points: [], xScale, series: [], all: 0, shown: 0, allSeries: 0, isRefused };
  const order = places === undefined ? [] : orderedPlaces(places, spec, x);
  const kept: readonly RawPoint[] =
    places === undefined
      ? raw.slice(0, max)
      : order
          .slice(0, max)
          .flatMap((place) => [...(places.get(place) ?? [])].map(([series, value]) => ({ place, series, value })));
  const rest = spec.mark === 'pie' ? order.slice(max).reduce((sum, place) => sum + total(places?.get(place)), 0) : 0;
  const labels = labelsOf(new Set(kept.map(({ place }) => place)));
  const points = kept.flatMap(({ place, series, value }): ChartPoint[] => {
    const s = seriesLabels.get(series);
    const at = xOf(place);
    if (s === undefined || at === undefined) return [];
    const label = labels.get(place) ?? '';
    const t = `${label}${s === '' ? '' : `, ${s}`}: ${value.toLocaleString()}`;
    return [{ x: xScale === 'category' ? label : at, y: value, s, t }];
  });
  if (rest > 0) {
    points.push({ x: TEXTS.chart.rest, y: rest, s: '', t: `${TEXTS.chart.rest}: ${rest.toLocaleString()}` });
  }
  return {
    points,
    xScale,
    series: [...seriesLabels.values()],
    all: isScatter ? raw.length : order.length,
    shown: isScatter ? kept.length : Math.min(order.length, max),
    allSeries: seriesNames.length,
    isRefused,
  };
}
