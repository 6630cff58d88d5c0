/** Makes the points of a chart from rows: combined by place and series, sorted, and no more than can be read. */
import { truncate, visibleText } from '../text-kit/index.ts';
import { isTime } from './choice.ts';
import type { ResultColumn } from './columns.ts';
import { formatIn, valueText } from './number-text.ts';
import type { Aggregate, ChartSpec } from './spec.ts';
import { CHART_TEXTS as TEXTS } from './texts.ts';
import { instantOf, numberOf, plainText, type ResultRow, valueAt } from './values.ts';

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

/** A text from outside, short and without hidden characters. */
export function labelOf(text: string): string {
  return truncate(visibleText(text.slice(0, MAX_LABEL * 2).toWellFormed()), MAX_LABEL);
}

/** Two that are cut to the same text stay two. */
function labelsOf(texts: Iterable<string>): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  const used = new Set<string>();
  const counts = new Map<string, number>();
  for (const text of texts) {
    const label = labelOf(text);
    let unique = label;
    let count = counts.get(label) ?? 1;
    while (used.has(unique)) unique = `${label} (${++count})`;
    counts.set(label, count);
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

function xScaleOf(spec: ChartSpec, column: ResultColumn): XScale {
  if (spec.mark === 'point' && column.isQuantity) return 'number';
  const isLine = spec.mark === 'line' || spec.mark === 'area' || spec.mark === 'point';
  return isLine && column.kind === 'date' ? 'time' : isLine && column.isQuantity ? 'number' : 'category';
}

interface RawPoint {
  readonly place: string;
  readonly series: string;
  readonly value: number;
}

/** A pie has one value a place, whatever splits it. */
function rawPoints(spec: ChartSpec, rows: readonly ResultRow[]): RawPoint[] {
  const isPie = spec.mark === 'pie';
  const x = { name: spec.x };
  const split = spec.series === undefined || isPie ? undefined : { name: spec.series };
  const measures = isPie ? spec.y.slice(0, 1) : spec.y;
  return rows.flatMap((row) => {
    const value = valueAt(row, x);
    const place = value === null ? TEXTS.null : plainText(value);
    const series = split === undefined ? '' : plainText(valueAt(row, split) ?? TEXTS.null);
    if (measures.length === 0) return [{ place, series, value: 1 }];
    return measures.flatMap((name) => {
      const number = numberOf(valueAt(row, { name }));
      if (number === undefined) return [];
      return [{ place, series: split === undefined && measures.length > 1 ? name : series, value: number }];
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

function orderedPlaces(
  places: ReadonlyMap<string, ReadonlyMap<string, number>>,
  { sort }: ChartSpec,
  x: ResultColumn,
  xScale: XScale,
): string[] {
  const names = [...places.keys()];
  // A line that went back in time would be none.
  if (sort === 'x' || xScale !== 'category') return names.toSorted(byPlace(x));
  return sort === 'value' ? names.toSorted((a, b) => total(places.get(b)) - total(places.get(a))) : names;
}

function byPlace(x: ResultColumn): (a: string, b: string) => number {
  if (x.kind === 'date') return (a, b) => (instantOf(a) ?? 0) - (instantOf(b) ?? 0);
  if (isTime(x) || x.kind === 'number' || x.kind === 'digits') return (a, b) => Number(a) - Number(b);
  return (a, b) => (a < b ? -1 : a > b ? 1 : 0);
}

export function chartPoints(
  spec: ChartSpec,
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
  locale?: string,
): ChartPoints {
  const x = columns.find(({ name }) => name === spec.x) as ResultColumn;
  const xScale = xScaleOf(spec, x);
  const raw = rawPoints(spec, rows);
  // Of several measures, each is a series with a format of its own.
  const isByMeasure = spec.series === undefined && spec.y.length > 1 && spec.mark !== 'pie';
  const written = (value: number, series = '') =>
    valueText(value, formatIn(spec, columns, isByMeasure ? [series] : spec.y.slice(0, 1)), locale);
  const seriesNames = [...new Set(raw.map(({ series }) => series))];
  const shownSeries = seriesNames.slice(0, MAX_SERIES);
  const seriesLabels = labelsOf(shownSeries);
  const max = Math.min(MAX_SHOWN[spec.mark], Math.floor(MAX_POINTS / Math.max(1, shownSeries.length)));
  const xOf = (place: string) => (xScale === 'time' ? instantOf(place) : xScale === 'number' ? numberOf(place) : place);

  const isScatter = spec.mark === 'point';
  const places = isScatter ? undefined : grouped(raw, spec.aggregate);
  const isRefused = spec.mark === 'pie' && [...(places?.values() ?? [])].some(hasNegative);
  if (isRefused) return { points: [], xScale, series: [], all: 0, shown: 0, allSeries: 0, isRefused };
  const order = places === undefined ? [] : orderedPlaces(places, spec, x, xScale);
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
    if (s === undefined || at === undefined || !Number.isFinite(value)) return [];
    const label = labels.get(place) ?? '';
    const t = `${label}${s === '' ? '' : `, ${s}`}: ${written(value, series)}`;
    return [{ x: xScale === 'category' ? label : at, y: value, s, t }];
  });
  if (rest > 0 && Number.isFinite(rest)) {
    points.push({ x: TEXTS.rest, y: rest, s: '', t: `${TEXTS.rest}: ${written(rest)}` });
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
