/** Draws the charts of results as SVG, as resources beside the texts of a tool's result. */
import { randomUUID } from 'node:crypto';
import type { AnswerTable } from '../agent/index.ts';
import type { ChartSpec } from '../chart-kit/index.ts';
import type { ValueFormats } from '../result-kit/index.ts';

/** A type alias: the library's type has an index signature. */
export type ChartResource = {
  type: 'resource';
  resource: { uri: string; mimeType: string; text: string };
  /** A picture tells a model nothing that the rows do not. */
  annotations: { audience: ['user'] };
};

/** Charts of one result; of several statements the last are the answer. */
const MAX_CHARTS = 3;
/** Limit of one chart, as JSON text; a larger one is left out. */
const MAX_CHART_BYTES = 64 * 1024;

export async function chartResources(tables: readonly AnswerTable[]): Promise<ChartResource[]> {
  const drawable = tables.flatMap(({ columns, rows, about }) =>
    about?.chart === undefined
      ? []
      : [
          {
            ...{ columns, rows, chart: about.chart as ChartSpec },
            ...(about.formats !== undefined && { formats: about.formats as ValueFormats }),
          },
        ],
  );
  if (drawable.length === 0) return [];
  const { drawChart, drawnTable, svgText } = await import('../chart-kit/index.ts');
  return drawable.slice(-MAX_CHARTS).flatMap(({ chart, ...table }) => {
    const drawn = drawnTable(chart, table, 'en');
    if (drawn.drawn.points.length === 0) return [];
    const text = svgText(drawChart(drawn, { background: '#ffffff' }));
    if (Buffer.byteLength(JSON.stringify(text)) > MAX_CHART_BYTES) return [];
    const resource = { uri: `atlas://charts/${randomUUID()}.svg`, mimeType: 'image/svg+xml', text };
    return [{ type: 'resource', resource, annotations: { audience: ['user'] } }];
  });
}
