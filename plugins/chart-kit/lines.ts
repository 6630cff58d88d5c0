/** Draws lines, areas and points over an axis of time, numbers or names. */
import type { Drawing, Told } from './bars.ts';
import type { DrawnChart } from './drawn-chart.ts';
import { axisText } from './number-text.ts';
import type { ChartPoint } from './points.ts';
import { linearScale, timeScale } from './scale.ts';
import { colourOf, fitted, gridLine, textAt, textWidth } from './style.ts';
import { element, rounded, type SvgElement } from './svg.ts';

const HEIGHT = 300;
const TOP = 28;
const LABEL_PIXELS = 90;
/** More of them on a line would hide it. */
const MAX_DOTS = 400;

interface Axis {
  /** From 0 to 1. */
  at(point: ChartPoint): number;
  readonly labels: readonly { readonly at: number; readonly text: string }[];
}

function axisOf({ drawn: { points, xScale }, locale, xFormat }: DrawnChart, width: number): Axis {
  const count = Math.max(2, Math.floor(width / LABEL_PIXELS));
  if (xScale === 'category') return nameAxis([...new Set(points.map(({ x }) => String(x)))], width, count);
  const values = points.map(({ x }) => Number(x));
  const at = (scale: { at(value: number): number }) => (point: ChartPoint) => scale.at(Number(point.x));
  if (xScale === 'time') {
    const scale = timeScale(values, count);
    return { at: at(scale), labels: scale.ticks.map((tick) => ({ at: scale.at(tick), text: scale.textOf(tick) })) };
  }
  const scale = linearScale(values, false, count);
  return {
    at: at(scale),
    labels: scale.ticks.map((tick) => ({ at: scale.at(tick), text: axisText(tick, xFormat, locale) })),
  };
}

/** Of many names, as many as can be read. */
function nameAxis(names: readonly string[], width: number, count: number): Axis {
  const placeOf = new Map(names.map((name, index) => [name, (index + 0.5) / names.length]));
  const every = Math.ceil(names.length / Math.max(count, 1));
  const shown = names.filter((_, index) => index % every === 0);
  const room = (width / Math.max(1, shown.length)) * 0.95;
  return {
    at: ({ x }) => placeOf.get(String(x)) ?? 0,
    labels: shown.map((name) => ({ at: placeOf.get(name) ?? 0, text: fitted(name, room) })),
  };
}

/** A point with the values between which it is drawn. */
interface Span {
  readonly point: ChartPoint;
  readonly from: number;
  readonly to: number;
}

export function drawLines(chart: DrawnChart, width: number, told: Told): Drawing {
  const { spec, drawn, words, locale, format } = chart;
  const series = seriesOf(chart);
  const values = series.flatMap((spans) => spans.flatMap(({ from, to }) => (spec.mark === 'area' ? [from, to] : [to])));
  const scale = linearScale(values, spec.mark === 'area');
  const ticks = scale.ticks.map((tick) => ({ at: scale.at(tick), text: axisText(tick, format, locale) }));
  const left = Math.max(...ticks.map(({ text }) => textWidth(text)), 20) + 12;
  const [right, bottom] = [width - 16, TOP + HEIGHT];
  const axis = axisOf(chart, right - left);
  const x = (at: number) => left + at * (right - left);
  const y = (value: number) => bottom - scale.at(value) * HEIGHT;
  const placed: Place = { x: (point) => rounded(x(axis.at(point))), y: (value) => rounded(y(value)) };
  const dots = drawn.points.length <= MAX_DOTS || spec.mark === 'point';
  return {
    height: bottom + 44,
    elements: [
      textAt(fitted(words.y, width), { x: 0, y: 14, kind: 'title' }),
      ...ticks.flatMap(({ at, text }) => [
        gridLine(left, bottom - at * HEIGHT, right, bottom - at * HEIGHT),
        textAt(text, { x: left - 6, y: bottom - at * HEIGHT + 4, anchor: 'end' }),
      ]),
      ...axis.labels.flatMap(({ at, text }) => [
        gridLine(x(at), bottom, x(at), bottom + 5),
        // A label at an end of the axis stays in the picture.
        textAt(text, {
          x: Math.max(textWidth(text) / 2, Math.min(x(at), width - textWidth(text) / 2)),
          y: bottom + 18,
          anchor: 'middle',
        }),
      ]),
      textAt(fitted(words.x, width), { x: (left + right) / 2, y: bottom + 38, anchor: 'middle', kind: 'title' }),
      ...series.flatMap((spans, at) => shapesOf(spec.mark, spans, colourOf(at), placed, dots ? told : undefined)),
    ],
  };
}

interface Place {
  x(point: ChartPoint): number;
  y(value: number): number;
}

/** Stacked areas stand on each other; what is missing in one of them is nothing, and below zero there is no stack. */
function seriesOf({ spec, drawn }: DrawnChart): Span[][] {
  const groups = drawn.series.map((name) => drawn.points.filter(({ s }) => s === name));
  const isStack = spec.mark === 'area' && spec.stack && groups.length > 1 && drawn.points.every(({ y }) => y >= 0);
  if (!isStack) return groups.map((points) => points.map((point) => ({ point, from: 0, to: point.y })));
  const places = [...new Set(drawn.points.map(({ x }) => x))];
  const heights = new Map<string | number, number>();
  return groups.map((points, at) => {
    const byPlace = new Map(points.map((point) => [point.x, point]));
    return places.map((x) => {
      const point = byPlace.get(x) ?? { x, y: 0, s: drawn.series[at] ?? '', t: '' };
      const from = heights.get(x) ?? 0;
      const to = Math.min(Number.MAX_VALUE, from + point.y);
      heights.set(x, to);
      return { point, from, to };
    });
  });
}

function shapesOf(
  mark: DrawnChart['spec']['mark'],
  spans: readonly Span[],
  colour: string,
  place: Place,
  told: Told | undefined,
): SvgElement[] {
  const shapes: SvgElement[] = [];
  const along = (value: (span: Span) => number, order: readonly Span[]) =>
    order.map((span) => `${place.x(span.point)} ${place.y(value(span))}`).join('L');
  if (mark === 'area' && spans.length > 0) {
    const d = `M${along(({ to }) => to, spans)}L${along(({ from }) => from, spans.toReversed())}Z`;
    shapes.push(element('path', { class: 'mark-area', d, fill: colour, 'fill-opacity': 0.7 }));
  }
  if (mark !== 'point' && spans.length > 0) {
    const look = { fill: 'none', stroke: colour, 'stroke-width': 2, 'stroke-linejoin': 'round' };
    shapes.push(element('path', { class: 'mark-line', d: `M${along(({ to }) => to, spans)}`, ...look }));
  }
  if (told !== undefined) {
    const look = { r: mark === 'point' ? 4 : 3, fill: colour, ...(mark === 'point' && { 'fill-opacity': 0.75 }) };
    const dots = spans
      .filter(({ point }) => point.t !== '')
      .map(({ point, to }) => told(element('circle', { cx: place.x(point), cy: place.y(to), ...look }), point));
    shapes.push(element('g', { class: 'mark-point' }, dots));
  }
  return shapes;
}
