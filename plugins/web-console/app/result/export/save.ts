/** Makes a file of what is shown and hands it to the browser's downloads. Loaded when it is asked for. */

import { CHART_TEXTS, type ChartSpec, drawnChart, type ResultColumn } from '../../../../chart-kit/index.ts';
import { download } from '../../ui/download.ts';
import { RESULT_TEXTS } from '../texts.ts';
import { fileName } from './file-name.ts';
import { csvFile, type ExportedRows, jsonFile, markdownFile } from './files.ts';

const TEXTS = RESULT_TEXTS.chart;

export type Format = 'csv' | 'json' | 'md' | 'png' | 'svg';

export interface Exported {
  readonly question: string;
  readonly rows: () => ExportedRows;
  /** All columns, which the chart names by their places. */
  readonly columns: readonly ResultColumn[];
  /** Missing where no chart can be made. */
  readonly chart: ChartSpec | undefined;
}

const textFile = (text: string, type: string) => new Blob([text], { type: `${type};charset=utf-8` });

async function fileOf(format: Format, { question, rows, columns, chart }: Exported): Promise<Blob> {
  if (format === 'csv') return textFile(csvFile(rows()), 'text/csv');
  if (format === 'json') return textFile(jsonFile(rows()), 'application/json');
  if (format === 'md') return textFile(markdownFile(rows(), question), 'text/markdown');
  if (chart === undefined) throw new Error(TEXTS.impossible);
  const drawn = drawnChart(chart, columns, rows().rows);
  if (drawn.drawn.isRefused) throw new Error(CHART_TEXTS.negativePie);
  if (drawn.drawn.points.length === 0) throw new Error(TEXTS.noValues);
  const { chartFile } = await import('./chart-file.ts');
  return chartFile(drawn, format);
}

export async function save(format: Format, exported: Exported): Promise<void> {
  download(await fileOf(format, exported), fileName(exported.question, format));
}
