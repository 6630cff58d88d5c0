/** Says in a sentence what a chart shows, for those who do not see it. */

import { visibleText } from '../../ui/visible-text.ts';
import { columnLabel, type ResultColumn } from '../columns.ts';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import type { ChartPoint, ChartPoints } from './chart-points.ts';
import type { ChartSpec } from './chart-spec.ts';

const MAX_NAME = 60;

/** A name from outside, short and without hidden characters. */
export function nameOf(column: ResultColumn | undefined): string {
  if (column === undefined) return TEXTS.chart.count;
  const name = visibleText(columnLabel(column));
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

/** The words for the value axis. */
export function valueName(spec: ChartSpec, columns: readonly ResultColumn[]): string {
  if (spec.y.length > 1) return TEXTS.chart.values;
  if (spec.y.length === 0 || (spec.aggregate === 'count' && spec.mark !== 'point')) return TEXTS.chart.count;
  return nameOf(columns[spec.y[0] as number]);
}

export function chartSentence(spec: ChartSpec, columns: readonly ResultColumn[], drawn: ChartPoints): string {
  const names = spec.y.length > 1 ? spec.y.map((index) => nameOf(columns[index])).join(', ') : valueName(spec, columns);
  const split = spec.series === undefined ? '' : TEXTS.sentence.split(nameOf(columns[spec.series]));
  const head = TEXTS.sentence.head(TEXTS.chart.mark[spec.mark], names, nameOf(columns[spec.x])) + split;
  if (drawn.isRefused) return `${head}. ${TEXTS.chart.negativePie}`;
  // The rest of a pie stands last, and is no value of its own.
  const points = spec.mark === 'pie' ? drawn.points.slice(0, drawn.shown) : drawn.points;
  const bySize = points.toSorted((a, b) => a.y - b.y);
  const [least, most] = [bySize[0], bySize.at(-1)] as [ChartPoint | undefined, ChartPoint | undefined];
  const ends =
    least === undefined || most === undefined || least.y === most.y ? '' : ` ${TEXTS.sentence.ends(most.t, least.t)}`;
  const cut = drawn.shown < drawn.all ? ` ${TEXTS.chart.firstShown(drawn.shown, drawn.all)}` : '';
  const cutSeries =
    drawn.series.length < drawn.allSeries ? ` ${TEXTS.chart.otherSeries(drawn.series.length, drawn.allSeries)}` : '';
  return `${head}.${ends}${cut}${cutSeries}`;
}
