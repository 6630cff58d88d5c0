/** Draws a chart as a tree of SVG elements: with its title, the marks, a legend, and its content in words. */
import { type Drawing, drawBars, type Told } from './bars.ts';
import type { DrawnChart } from './drawn-chart.ts';
import { drawLines } from './lines.ts';
import { drawPie } from './pie.ts';
import { colourOf, fitted, textAt } from './style.ts';
import { element, rounded, type SvgElement, textElement } from './svg.ts';

export interface DrawingOptions {
  /** In pixels; the height follows. */
  readonly width?: number;
  /** Each mark says its value under the mouse: a page can show that, a picture cannot. */
  readonly isInteractive?: boolean;
  /** A colour behind the chart, which is transparent otherwise. */
  readonly background?: string;
}

const DEFAULT_WIDTH = 720;
const LEAST_WIDTH = 240;
const MARGIN = 4;
/** The width of an entry of the legend, with its symbol. */
const ENTRY = 190;
const ENTRY_HEIGHT = 18;
const TITLE_HEIGHT = 24;

/** Of a chart with points: without any there is nothing to draw. */
export function drawChart(chart: DrawnChart, options: DrawingOptions = {}): SvgElement {
  const { width = DEFAULT_WIDTH, isInteractive = false, background } = options;
  const outer = Math.max(LEAST_WIDTH, Math.round(width));
  const inner = outer - 2 * MARGIN;
  const told: Told = (shape, { t }) => (isInteractive ? { ...shape, children: [textElement('title', t)] } : shape);
  const { title, sentence } = chart.words;
  const head = title === undefined ? 0 : TITLE_HEIGHT;
  const { elements, height } = DRAW[chart.spec.mark](chart, inner, told);
  const legend = legendOf(chart, inner);
  const whole = Math.ceil(head + height + legend.height + 2 * MARGIN);
  const moved = (down: number, children: readonly SvgElement[]) =>
    element('g', { transform: `translate(${MARGIN} ${rounded(MARGIN + down)})` }, children);
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      role: 'img',
      'aria-label': sentence,
      width: outer,
      height: whole,
      viewBox: `0 0 ${outer} ${whole}`,
    },
    [
      ...(isInteractive ? [] : [textElement('title', title ?? sentence)]),
      textElement('desc', sentence),
      ...(background === undefined ? [] : [element('rect', { width: outer, height: whole, fill: background })]),
      ...(title === undefined ? [] : [moved(0, [textAt(fitted(title, inner), { x: 0, y: 14, kind: 'title' })])]),
      moved(head, elements),
      ...(legend.elements.length === 0 ? [] : [moved(head + height, legend.elements)]),
    ],
  );
}

const DRAW = { bar: drawBars, line: drawLines, area: drawLines, point: drawLines, pie: drawPie } as const;

/** Of a pie its parts, else its series. */
function legendOf({ spec, drawn }: DrawnChart, width: number): Drawing {
  const names = spec.mark === 'pie' ? drawn.points.map(({ x }) => String(x)) : drawn.series;
  if (spec.mark !== 'pie' && names.length < 2) return { elements: [], height: 0 };
  const columns = Math.max(1, Math.floor(width / ENTRY));
  const entries = names.flatMap((name, at) => {
    const [x, y] = [(at % columns) * ENTRY, Math.floor(at / columns) * ENTRY_HEIGHT + 6];
    return [
      element('rect', { x, y, width: 11, height: 11, rx: 2, fill: colourOf(at) }),
      textAt(fitted(name, Math.min(width, ENTRY) - 30), { x: x + 17, y: y + 10, kind: 'title' }),
    ];
  });
  return {
    elements: [element('g', { class: 'chart-legend' }, entries)],
    height: Math.ceil(names.length / columns) * ENTRY_HEIGHT + 8,
  };
}
