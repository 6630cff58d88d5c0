/** Says in words what a chart shows: the titles of its axes, and a sentence for those who do not see it. */
import { columnLabel, type ResultColumn } from './columns.ts';
import { type ChartPoint, type ChartPoints, labelOf } from './points.ts';
import type { ChartSpec } from './spec.ts';
import { CHART_TEXTS as TEXTS } from './texts.ts';

/** The name of a column, short and without hidden characters. */
export const columnName = (column: Pick<ResultColumn, 'name' | 'index'>): string => labelOf(columnLabel(column));

function nameIn(columns: readonly ResultColumn[], name: string): string {
  const column = columns.find((one) => one.name === name);
  return column === undefined ? labelOf(name) : columnName(column);
}

export interface ChartWords {
  readonly title: string | undefined;
  readonly x: string;
  readonly y: string;
  readonly sentence: string;
}

/** The words for the value axis. */
function valueName({ y, aggregate, mark }: ChartSpec, columns: readonly ResultColumn[]): string {
  const [first] = y;
  if (y.length > 1) return TEXTS.values;
  if (first === undefined || (aggregate === 'count' && mark !== 'point')) return TEXTS.count;
  return nameIn(columns, first);
}

export function chartWords(
  spec: ChartSpec,
  columns: readonly ResultColumn[],
  drawn: ChartPoints,
  locale?: string,
): ChartWords {
  const [x, y] = [nameIn(columns, spec.x), valueName(spec, columns)];
  const values = spec.y.length > 1 ? spec.y.map((name) => nameIn(columns, name)).join(', ') : y;
  const split = spec.series === undefined ? '' : TEXTS.split(nameIn(columns, spec.series));
  const title = spec.title === undefined || spec.title.trim() === '' ? undefined : labelOf(spec.title);
  const head = TEXTS.head(TEXTS.mark[spec.mark], values, x) + split;
  return { title, x, y, sentence: `${head}. ${restOf(spec, drawn, locale)}`.trim() };
}

function restOf({ mark }: ChartSpec, drawn: ChartPoints, locale: string | undefined): string {
  if (drawn.isRefused) return TEXTS.negativePie;
  const number = (value: number) => value.toLocaleString(locale);
  // The rest of a pie stands last, and is no value of its own.
  const points = mark === 'pie' ? drawn.points.slice(0, drawn.shown) : drawn.points;
  const bySize = points.toSorted((a, b) => a.y - b.y);
  const [least, most] = [bySize[0], bySize.at(-1)] as [ChartPoint | undefined, ChartPoint | undefined];
  const sentences = [
    least === undefined || most === undefined || least.y === most.y ? '' : TEXTS.ends(most.t, least.t),
    drawn.shown < drawn.all ? TEXTS.firstShown(number(drawn.shown), number(drawn.all)) : '',
    drawn.series.length < drawn.allSeries
      ? TEXTS.otherSeries(number(drawn.series.length), number(drawn.allSeries))
      : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
