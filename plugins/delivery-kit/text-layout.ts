/** Lays out texts and rows for mail and Slack. */
import { formattedValue } from '../result-kit/index.ts';
import { truncate } from '../text-kit/index.ts';
import type { Dataset } from './report.ts';

const LONGEST_CELL = 40;

/** A value as people read it, on one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text =
    typeof value === 'string' ? value : value instanceof Date ? value.toISOString() : (textOf(value) ?? String(value));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would break the layout
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').toWellFormed();
}

const textOf = (value: unknown) =>
  typeof value === 'object'
    ? JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item))
    : undefined;

/** The bold text of a model's Markdown, `**so**`, in another notation: `<strong>$1</strong>`. */
export const withBold = (text: string, notation: string) => text.replace(/\*\*([^*\n]{1,300})\*\*/g, notation);

/** The value of a column with the unit and format that the layer declares. */
export const formattedCell = ({ formats }: Pick<Dataset, 'formats'>, column: string, value: unknown): string =>
  (formats?.[column] && formattedValue(value, formats[column], 'en-US')) ?? cellText(value);

/** Lines with aligned columns: the names, a rule, the rows. */
export function tableLines(dataset: Pick<Dataset, 'columns' | 'rows' | 'formats'>): string[] {
  const { columns, rows } = dataset;
  const shown = rows.map((row) => columns.map((column) => formattedCell(dataset, column, row[column])));
  const cells = [columns.map(cellText), ...shown].map((row) => row.map((text) => truncate(text, LONGEST_CELL)));
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0), 1));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const [head = [], ...body] = cells;
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)];
}
