/** Draws a table as a bar chart of characters. */
import { printableText, type RenderedTable } from './render.ts';

const MAX_BARS = 30;
const MAX_LABEL = 24;
const DEFAULT_WIDTH = 80;
/** A bar ends in an eighth of a character. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^-?\d+(\.\d+)?$/.test(value)) return undefined;
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/**
 * A bar for each of the first 30 rows: as long as the last column of numbers says, named by the other columns.
 * `undefined` when no column holds numbers alone. Bars of negative numbers are drawn with `░`.
 */
export function renderChart({ columns, rows }: RenderedTable, width = DEFAULT_WIDTH): string | undefined {
  const measured = columns.findLast(
    (name) => rows.length > 0 && rows.every((row) => row[name] === null || numberIn(row[name]) !== undefined),
  );
  if (measured === undefined) return undefined;
  const bars = rows.slice(0, MAX_BARS).map((row, index) => {
    const named = columns.filter((name) => name !== measured).map((name) => String(row[name] ?? '–'));
    const label = printableText(named.join(', ') || `${index + 1}`).replaceAll('\n', ' ');
    return { label: label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label, row };
  });
  const values = bars.map(({ row }) => numberIn(row[measured]) ?? 0);
  const texts = bars.map(({ row }) => String(row[measured] ?? ''));
  const labelWidth = Math.max(...bars.map(({ label }) => label.length));
  const room = Math.max(10, width - labelWidth - Math.max(...texts.map(({ length }) => length)) - 4);
  const longest = Math.max(...values.map(Math.abs)) || 1;
  const lines = bars.map(({ label }, index) => {
    const value = values[index] ?? 0;
    const eighths = Math.round((Math.abs(value) / longest) * room * 8);
    const bar = value < 0 ? '░'.repeat(Math.ceil(eighths / 8)) : `${'█'.repeat(eighths >> 3)}${EIGHTHS[eighths & 7]}`;
    return `${label.padEnd(labelWidth)}  ${bar} ${texts[index]}`;
  });
  const hidden = rows.length - bars.length;
  return [printableText(measured), ...lines, ...(hidden > 0 ? [`… ${hidden} more`] : [])].join('\n');
}
