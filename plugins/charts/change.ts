/** Changes a chart as a model asks for it: only to one that the columns of its result can show. */
import { AtlasError } from '../../kernel/index.ts';
import type { AnswerTable } from '../agent/index.ts';
import {
  aggregateOf,
  CHART_TEXTS,
  type ChartSpec,
  columnsOf,
  drawnTable,
  isCategory,
  isStacked,
  isTime,
  MAX_MEASURES,
  MAX_TITLE,
  type ResultColumn,
  sortOf,
} from '../chart-kit/index.ts';
import { chartOf } from './chart.ts';

/** What a model wants otherwise. */
export type ChartChange = Partial<Omit<ChartSpec, 'aggregate' | 'format'>>;

/** What is left out stays as it is, or follows from the rest. Throws `invalid_request` with what to change. */
export function changedChart(input: ChartChange, { columns: names, rows, about }: AnswerTable): ChartSpec {
  const table = { columns: names, rows };
  const columns = columnsOf(table);
  const current = (about?.chart as ChartSpec | undefined) ?? chartOf(table);
  const named = (name: string | undefined) => (name === undefined || name === '' ? undefined : columnIn(columns, name));
  const across = named(input.x ?? current?.x);
  if (across === undefined) throw refused('The chart has no x.', `Name a column: ${listed(columns)}.`);
  const y = (input.y ?? current?.y ?? []).map((name) => columnIn(columns, name));
  const series = named(input.series ?? (input.y !== undefined && y.length > 1 ? undefined : current?.series));
  const mark = input.mark ?? current?.mark ?? 'bar';
  checkColumns(across, y, series, columns);
  const isSame = current !== undefined && input.y === undefined;
  const aggregate = isSame ? current.aggregate : aggregateOf(y[0]);
  const isSplit = series !== undefined || y.length > 1;
  const isSorted = current !== undefined && input.x === undefined && input.mark === undefined;
  const title = input.title ?? current?.title;
  const spec: ChartSpec = {
    mark,
    x: across.name,
    y: y.map(({ name }) => name),
    ...(series !== undefined && { series: series.name }),
    aggregate,
    sort: input.sort ?? (isSorted ? current.sort : sortOf(mark, across)),
    stack: input.stack ?? (isSplit && isStacked(mark, aggregate)),
    ...(current?.format !== undefined && { format: current.format }),
    ...(title !== undefined && title !== '' && { title: title.slice(0, MAX_TITLE) }),
  };
  const { drawn } = drawnTable(spec, table);
  if (drawn.isRefused) throw refused(CHART_TEXTS.negativePie);
  if (drawn.points.length === 0) throw refused('There are no values to draw.', 'Name other columns.');
  return spec;
}

function checkColumns(
  across: ResultColumn,
  y: readonly ResultColumn[],
  series: ResultColumn | undefined,
  columns: readonly ResultColumn[],
): void {
  if (!(across.isQuantity || isCategory(across) || isTime(across)))
    throw refused(`The column "${across.name}" cannot be x.`, 'It takes dates, texts or numbers.');
  const text = y.find(({ kind }) => kind !== 'number' && kind !== 'digits');
  if (text !== undefined) {
    const numbers = columns.filter(({ isQuantity }) => isQuantity);
    throw refused(`The column "${text.name}" holds no numbers, so it cannot be y.`, `Those are: ${listed(numbers)}.`);
  }
  if (y.length > MAX_MEASURES) throw refused(`A chart shows at most ${MAX_MEASURES} columns as y.`);
  if (series === undefined) return;
  if (y.length > 1) throw refused('A chart with series takes one y.');
  if (!isCategory(series)) throw refused(`The column "${series.name}" cannot be series.`, 'It takes texts.');
}

const refused = (message: string, hint?: string) =>
  new AtlasError(message, { code: 'invalid_request', ...(hint !== undefined && { hint }) });

const listed = (columns: readonly ResultColumn[]) => columns.map(({ name }) => `"${name}"`).join(', ') || 'none';

function columnIn(columns: readonly ResultColumn[], name: string): ResultColumn {
  const column = columns.find((one) => one.name === name);
  if (column !== undefined) return column;
  throw refused(`The last result has no column "${name}".`, `Its columns are ${listed(columns)}.`);
}
