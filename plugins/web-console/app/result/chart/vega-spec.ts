/** Writes a chart as a Vega-Lite specification that holds fixed field names and no expression. */
import type { TopLevelSpec } from 'vega-lite';
import type { ChartPoints } from './chart-points.ts';
import type { ChartSpec } from './chart-spec.ts';

/** Each stands out by 3 : 1 from the light and the dark background. */
export const PALETTE = ['#3b7ddd', '#c9690b', '#2b9557', '#9b5de5', '#e0475b', '#158b98', '#a9745b', '#d0569f'];
const INK = '#1a2230';
const MUTED = '#55606f';
const LINE = '#d5dbe3';
const BAR_STEP = 20;
const HEIGHT = 300;
const MAX_LABEL_PIXELS = 160;
/** The width of an entry of the legend, with its symbol. */
const ENTRY_PIXELS = MAX_LABEL_PIXELS + 30;
const FONT = 'system-ui, sans-serif';

const CONFIG = {
  aria: false,
  background: 'transparent',
  font: FONT,
  range: { category: PALETTE },
  view: { stroke: null },
  axis: {
    labelColor: MUTED,
    titleColor: INK,
    domainColor: LINE,
    tickColor: LINE,
    gridColor: LINE,
    titleLimit: 300,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
  },
  legend: {
    labelColor: INK,
    titleColor: INK,
    labelLimit: MAX_LABEL_PIXELS,
    labelFontSize: 12,
    orient: 'bottom',
  },
} as const;

const VEGA_TYPES = { category: 'nominal', time: 'temporal', number: 'quantitative' } as const;

interface VegaInput {
  readonly spec: ChartSpec;
  readonly drawn: ChartPoints;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly width: number;
}

/** Vega looks titles up in an object, where `constructor` is found. */
const titleOf = (name: string) => (name in {} ? `${name} ` : name);

function marked({ mark }: ChartSpec) {
  if (mark === 'pie') return { type: 'arc', stroke: '#ffffff', strokeWidth: 1 } as const;
  if (mark === 'line') return { type: 'line', point: { size: 30 }, strokeWidth: 2 } as const;
  if (mark === 'area') return { type: 'area', opacity: 0.7, line: true } as const;
  if (mark === 'point') return { type: 'point', filled: true, size: 45, opacity: 0.75 } as const;
  return { type: 'bar', cornerRadiusEnd: 2 } as const;
}

export function vegaLiteSpec({ spec, drawn, xTitle, yTitle, width }: VegaInput): TopLevelSpec {
  const isPie = spec.mark === 'pie';
  const isLying = spec.mark === 'bar';
  const scale = drawn.xScale;
  const place = {
    field: 'x',
    type: VEGA_TYPES[scale],
    title: titleOf(xTitle),
    sort: null,
    ...(scale === 'time' && { scale: { type: 'utc' } }),
    ...(scale === 'number' && { scale: { zero: false } }),
    ...(isLying && { axis: { titleAnchor: 'end' } }),
  } as const;
  const value = {
    field: 'y',
    type: 'quantitative',
    title: titleOf(yTitle),
    // Many bars are higher than a screen.
    axis: { format: '~s', tickCount: 6, orient: isLying ? 'top' : 'left' },
    scale: { zero: spec.mark !== 'point' && spec.mark !== 'line' },
    ...(spec.mark !== 'bar' && spec.mark !== 'area' && { stack: null }),
  } as const;
  // A domain that is written out would become part of expressions; without it, the order of the points holds.
  const colour = isPie
    ? ({ field: 'x', type: 'nominal', title: null, sort: null } as const)
    : drawn.series.length > 1
      ? ({ field: 's', type: 'nominal', title: null, sort: null } as const)
      : ({ value: PALETTE[0] } as const);
  const tooltip = { field: 't', type: 'nominal' } as const;
  const [x, y] = isLying ? [value, place] : [place, value];
  return {
    width,
    height: isLying ? { step: BAR_STEP } : HEIGHT,
    padding: 4,
    autosize: { type: 'fit-x', contains: 'padding' },
    config: {
      ...CONFIG,
      axis: { ...CONFIG.axis, labelLimit: Math.min(MAX_LABEL_PIXELS, Math.round(width / 3)) },
      legend: { ...CONFIG.legend, columns: Math.max(1, Math.floor(width / ENTRY_PIXELS)) },
    },
    data: { values: drawn.points.map((point, o) => ({ ...point, o })) },
    mark: marked(spec),
    encoding: isPie
      ? {
          theta: { field: 'y', type: 'quantitative', stack: true },
          order: { field: 'o', type: 'quantitative' },
          color: colour,
          tooltip,
        }
      : { x, y, color: colour, tooltip },
  } as unknown as TopLevelSpec;
}
