/** Draws bars: they lie, so that their names can be read. */
import type { DrawnChart } from './drawn-chart.ts';
import { axisText } from './number-text.ts';
import type { ChartPoint } from './points.ts';
import { linearScale } from './scale.ts';
import { colourOf, fitted, gridLine, textAt, textWidth } from './style.ts';
import { element, rounded, type SvgElement } from './svg.ts';

export interface Drawing {
  readonly elements: readonly SvgElement[];
  readonly height: number;
}

/** Adds what the mouse is told. */
export type Told = (shape: SvgElement, point: ChartPoint) => SvgElement;

const STEP = 20;
const HEAD = 40;
const GAP = 6;
const MAX_LABEL_PIXELS = 160;
/** Bars of series beside each other stay visible. */
const LEAST_BAR = 6;
const MOST = Number.MAX_VALUE;

export function drawBars({ spec, drawn, words, locale, format }: DrawnChart, width: number, told: Told): Drawing {
  const { points, series } = drawn;
  const places = [...new Set(points.map(({ x }) => String(x)))];
  const isGrouped = series.length > 1 && !spec.stack;
  const step = isGrouped ? Math.max(STEP, series.length * LEAST_BAR + 4) : STEP;
  const bars = barsOf(points, isGrouped);
  const longest = Math.min(MAX_LABEL_PIXELS, Math.round(width / 3));
  const labels = places.map((place) => fitted(place, longest));
  const left = Math.max(40, ...labels.map(textWidth), textWidth(fitted(words.x, longest))) + GAP;
  const scale = linearScale(
    bars.flatMap(({ from, to }) => [from, to]),
    true,
  );
  const x = (value: number) => left + scale.at(value) * (width - left - 16);
  const bottom = HEAD + places.length * step;
  const rowOf = new Map(places.map((place, at) => [place, at]));
  const thick = isGrouped ? (step - 4) / series.length : step - 4;
  const shapes = bars.map(({ point, from, to }) => {
    const at = series.indexOf(point.s);
    const [begin, end] = [x(Math.min(from, to)), x(Math.max(from, to))];
    const top = HEAD + (rowOf.get(String(point.x)) ?? 0) * step + 2 + (isGrouped ? at * thick : 0);
    const size = { width: rounded(Math.max(end - begin, 0.5)), height: rounded(thick) };
    return told(element('rect', { x: rounded(begin), y: rounded(top), ...size, rx: 1, fill: colourOf(at) }), point);
  });
  return {
    height: bottom + 4,
    elements: [
      textAt(fitted(words.y, width - left), { x: (left + width) / 2, y: 14, anchor: 'middle', kind: 'title' }),
      textAt(fitted(words.x, longest), { x: left - GAP, y: 14, anchor: 'end', kind: 'title' }),
      ...scale.ticks.flatMap((tick) => [
        gridLine(x(tick), HEAD - 4, x(tick), bottom),
        textAt(axisText(tick, format, locale), { x: x(tick), y: 32, anchor: 'middle' }),
      ]),
      ...labels.map((label, at) => textAt(label, { x: left - GAP, y: HEAD + (at + 0.5) * step + 4, anchor: 'end' })),
      element('g', { class: 'mark-bar' }, shapes),
    ],
  };
}

interface Bar {
  readonly point: ChartPoint;
  readonly from: number;
  readonly to: number;
}

/** Stacked, those below zero stand on the other side. */
function barsOf(points: readonly ChartPoint[], isGrouped: boolean): Bar[] {
  const ends = new Map<string, number>();
  return points.map((point) => {
    const key = `${point.y < 0 ? '-' : '+'}${point.x}`;
    const from = isGrouped ? 0 : (ends.get(key) ?? 0);
    const to = Math.max(-MOST, Math.min(MOST, from + point.y));
    ends.set(key, to);
    return { point, from, to };
  });
}
