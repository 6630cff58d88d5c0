/** Draws charts with Vega, whose expressions are interpreted, since the page's policy allows no compiled ones. */
import { type Loader, logger, None, parse, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile } from 'vega-lite';
import type { DrawnChart } from './drawn-chart.ts';
import { vegaLiteSpec } from './vega-spec.ts';

const FILE_WIDTH = 900;
const PNG_SCALE = 2;

const refused = async (): Promise<never> => {
  throw new Error('A chart loads nothing.');
};
const LOADER = { options: {}, load: refused, sanitize: refused, http: refused, file: refused } as unknown as Loader;

function viewOf(chart: DrawnChart, width: number, container?: HTMLElement): View {
  const { spec } = compile(vegaLiteSpec({ ...chart, width }), { logger: logger(None) });
  return new View(parse(spec, undefined, { ast: true }), {
    expr: expressionInterpreter,
    loader: LOADER,
    logLevel: None,
    ...(container === undefined ? { renderer: 'none' } : { renderer: 'svg', container, hover: false }),
  } as ConstructorParameters<typeof View>[1]);
}

/** Draws into an element; the function that it gives takes the chart away again. */
export async function drawChart(chart: DrawnChart, container: HTMLElement): Promise<() => void> {
  const place = document.createElement('div');
  const view = viewOf(chart, container.clientWidth, place);
  await view.runAsync();
  container.append(place);
  return () => {
    view.finalize();
    place.remove();
  };
}

/** The chart in light colours on white, as a file. */
export async function chartFile(chart: DrawnChart, type: 'svg' | 'png'): Promise<Blob> {
  const view = viewOf(chart, FILE_WIDTH).background('#ffffff');
  try {
    if (type === 'svg') return new Blob([await view.toSVG()], { type: 'image/svg+xml' });
    const canvas = (await view.toCanvas(PNG_SCALE)) as unknown as HTMLCanvasElement;
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob === null) throw new Error('The browser made no image.');
    return blob;
  } finally {
    view.finalize();
  }
}
