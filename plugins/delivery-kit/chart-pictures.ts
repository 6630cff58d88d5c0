/** Draws the charts of a report as PNG, where the optional package that makes pixels is installed. */
import type { ChartSpec } from '../chart-kit/index.ts';
import { type Dataset, type Report, rowsNote } from './report.ts';

export interface ChartPicture {
  /** Place of its dataset in the report. */
  readonly at: number;
  readonly png: Uint8Array;
  /** What it shows, for those who do not see it. */
  readonly text: string;
}

/** Rejects with nothing: a report without pictures is a whole one. */
export type DrawPictures = (report: Report) => Promise<readonly ChartPicture[]>;

/** Pictures of one report. */
const MAX_PICTURES = 5;
export const PICTURE_WIDTH = 720;
const SCALE = 2;
/** Where there is no font, a chart would have no words. */
const FONT_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="16">M</text></svg>';

type Pixels = (svg: string, width: number) => Promise<{ readonly pixels: Uint8Array; asPng(): Uint8Array }>;

/** Off the event loop. `undefined` where the package or every font of the machine is missing. */
async function pixelsWith(): Promise<Pixels | undefined> {
  try {
    const { renderAsync } = await import('@resvg/resvg-js');
    const pixels: Pixels = (svg, width) =>
      renderAsync(svg, {
        fitTo: { mode: 'width', value: width },
        font: { loadSystemFonts: true, defaultFontFamily: 'sans-serif' },
      });
    const probe = await pixels(FONT_PROBE, 20);
    return probe.pixels.some((value) => value !== 0) ? pixels : undefined;
  } catch {
    return undefined;
  }
}

/** What it has loaded, it keeps. */
export function chartPictures(): DrawPictures {
  let loading: Promise<Pixels | undefined> | undefined;
  return async ({ data }) => {
    const charts = data.flatMap((dataset, at) => (dataset.chart === undefined ? [] : [{ at, dataset }]));
    if (charts.length === 0) return [];
    loading ??= pixelsWith();
    const pixels = await loading;
    if (pixels === undefined) return [];
    const pictures: ChartPicture[] = [];
    for (const { at, dataset } of charts.slice(-MAX_PICTURES)) {
      const drawn = await picture(dataset, pixels).catch(() => undefined);
      if (drawn !== undefined) pictures.push({ at, ...drawn });
    }
    return pictures;
  };
}

async function picture(dataset: Dataset, pixels: Pixels): Promise<Omit<ChartPicture, 'at'> | undefined> {
  const { drawChart, drawnTable, fitsTable, svgText } = await import('../chart-kit/index.ts');
  const chart = dataset.chart as unknown as ChartSpec;
  if (!fitsTable(chart, dataset)) return undefined;
  const note = rowsNote(dataset);
  // Who sees the picture alone has to know that it shows a part.
  const title = [chart.title ?? [], note ?? []].flat().join(' · ');
  const drawn = drawnTable(title === '' ? chart : { ...chart, title }, dataset, 'en');
  if (drawn.drawn.points.length === 0) return undefined;
  const svg = svgText(drawChart(drawn, { width: PICTURE_WIDTH, background: '#ffffff' }));
  const made = await pixels(svg, PICTURE_WIDTH * SCALE);
  return { png: made.asPng(), text: [drawn.words.sentence, note ?? []].flat().join(' ') };
}
