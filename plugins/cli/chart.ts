/** Draws a table as a bar chart of characters. */
import { chooseChart, drawnTable, valueText } from '../chart-kit/index.ts';
import { truncate } from '../text-kit/index.ts';
import { printableText, type RenderedTable } from './render.ts';

const MAX_BARS = 30;
const MAX_LABEL = 24;
const DEFAULT_WIDTH = 80;
/** A bar ends in an eighth of a character. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

interface Bars {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number; readonly text: string }[];
}

/** The chart that other surfaces show, whatever its mark. */
function chosenBars(table: RenderedTable): Bars | undefined {
  const chart = chooseChart(table)?.chart;
  if (chart === undefined) return undefined;
  const { drawn, words, format } = drawnTable({ ...chart, mark: 'bar' }, table, 'en');
  const bars = drawn.points.map(({ x, y, s }) => ({
    label: s === '' ? String(x) : `${x}, ${s}`,
    value: y,
    text: valueText(y, format, 'en'),
  }));
  return { title: words.y, bars };
}

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^-?\d+(\.\d+)?$/.test(value)) return undefined;
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Each row as long as the last column of numbers says. */
function rowBars({ columns, rows }: RenderedTable): Bars | undefined {
  const measured = columns.findLast(
    (name) => rows.length > 0 && rows.every((row) => row[name] === null || numberIn(row[name]) !== undefined),
  );
  if (measured === undefined) return undefined;
  const bars = rows.map((row, index) => {
    const named = columns.filter((name) => name !== measured).map((name) => String(row[name] ?? '–'));
    const value = row[measured];
    return { label: named.join(', ') || `${index + 1}`, value: numberIn(value) ?? 0, text: String(value ?? '') };
  });
  return { title: measured, bars };
}

/**
 * At most 30 bars: those of the chart that fits the columns, or else one a row. `undefined` when no column holds numbers
 * alone. Bars of negative numbers are drawn with `░`.
 */
export function renderChart(table: RenderedTable, width = DEFAULT_WIDTH): string | undefined {
  const found = chosenBars(table) ?? rowBars(table);
  if (found === undefined) return undefined;
  const bars = found.bars.slice(0, MAX_BARS).map(({ label, ...bar }) => {
    return { ...bar, label: truncate(printableText(label).replaceAll('\n', ' '), MAX_LABEL) };
  });
  const labelWidth = Math.max(...bars.map(({ label }) => label.length));
  const room = Math.max(10, width - labelWidth - Math.max(...bars.map(({ text }) => text.length)) - 4);
  const longest = Math.max(...bars.map(({ value }) => Math.abs(value))) || 1;
  const lines = bars.map(({ label, value, text }) => {
    const eighths = Math.round((Math.abs(value) / longest) * room * 8);
    const bar = value < 0 ? '░'.repeat(Math.ceil(eighths / 8)) : `${'█'.repeat(eighths >> 3)}${EIGHTHS[eighths & 7]}`;
    return `${label.padEnd(labelWidth)}  ${bar} ${text}`;
  });
  const hidden = found.bars.length - bars.length;
  return [printableText(found.title), ...lines, ...(hidden > 0 ? [`… ${hidden} more`] : [])].join('\n');
}
