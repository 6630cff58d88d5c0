/** Answers as people read them in a terminal, and as programs read them. */
import Table from 'cli-table3';
import colors from 'picocolors';
import { csvLines } from '../csv-kit/index.ts';
import {
  formattedValue,
  originLines,
  type Provenance,
  type ValueFormat,
  type ValueFormats,
} from '../result-kit/index.ts';

export interface RenderedTable {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly truncated?: boolean;
  /** Why it is empty. */
  readonly explanation?: { readonly text: string };
  /** Other readings of the question. */
  readonly readings?: { readonly text: string };
  readonly provenance?: Provenance;
  readonly formats?: ValueFormats;
}

export interface RenderOptions {
  /** Colours, for a terminal. */
  readonly color: boolean;
  /** Width of the terminal in characters; missing: as wide as the values. */
  readonly width?: number;
  /** Rows drawn; the rest is counted in one line. Default 50. */
  readonly maxRows?: number;
}

const WIDEST_CELL = 60;
/** No column is made narrower than this, as long as there is room for it at all. */
const NARROWEST_CELL = 8;
/** Around the text of a cell: a line and a space before it, a space after it. */
const CELL_FRAME = 3;

/** How to draw for a stream: only a terminal has colours and a width to keep to. */
export function terminalStyle(stdout: { readonly isTTY?: boolean; readonly columns?: number }): RenderOptions {
  if (stdout.isTTY !== true) return { color: false };
  return { color: true, ...(stdout.columns !== undefined && stdout.columns > 0 && { width: stdout.columns }) };
}

/** One line: a terminal must not be steered by what stands in a database, so control characters are shown, not sent. */
export function printableLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (char) =>
    char === '\n' || char === '\t' ? ' ' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same for running text, which may have several lines. */
export function printableText(text: string): string {
  return text.split('\n').map(printableLine).join('\n');
}

function cellText(value: unknown, format?: ValueFormat): string {
  if (value === null || value === undefined) return '';
  const formatted = format && formattedValue(value, format, 'en-US');
  if (formatted !== undefined) return formatted;
  return printableLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A table with box lines; numbers to the right, long values cut, columns that do not fit the width left out. */
export function renderTable(table: RenderedTable, options: RenderOptions): string {
  const shown = table.rows.slice(0, options.maxRows ?? 50);
  const textOf = (row: RenderedTable['rows'][number], name: string) => cellText(row[name], table.formats?.[name]);
  const natural = table.columns.map((name) =>
    Math.max(...[printableLine(name), ...shown.map((row) => textOf(row, name))].map(wide)),
  );
  const widths = fitted(natural, options.width ?? Number.POSITIVE_INFINITY);
  const columns = table.columns.slice(0, widths.length);
  const cut = (text: string, index: number) => cutToWidth(text, widths[index] ?? 0);
  const drawn = new Table({
    head: columns.map((name, index) =>
      options.color ? colors.bold(cut(printableLine(name), index)) : cut(printableLine(name), index),
    ),
    colAligns: columns.map((name) => (shown.every((row) => isNumber(row[name])) ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  });
  for (const row of shown) drawn.push(columns.map((name, index) => cut(textOf(row, name), index)));
  const hidden = table.rows.length - shown.length;
  const left = table.columns.slice(columns.length).map(printableLine);
  const notes = [
    ...(hidden > 0 ? [`… ${hidden} more ${hidden === 1 ? 'row' : 'rows'}`] : []),
    ...(left.length > 0
      ? [`… ${left.length} more ${left.length === 1 ? 'column' : 'columns'}: ${left.join(', ')}`]
      : []),
    ...(table.truncated === true ? ['The result was cut at the limit; ask for less or raise SVC_ROW_LIMIT.'] : []),
  ];
  return [drawn.toString(), ...notes].join('\n');
}

/** The text, or as much of its beginning as fits into `width` places of a terminal. */
export function cutToWidth(text: string, width: number): string {
  if (wide(text) <= width) return text;
  return `${text.slice(0, Math.max(0, Math.floor((width * text.length) / wide(text)) - 1))}…`;
}

/** Letters of East Asian scripts and pictures take two places. */
function wide(text: string): number {
  return (
    text.length +
    (text.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60]/gu)?.length ?? 0)
  );
}

/** Widths of the columns that fit into `total`: the widest give way first, and the last ones are left out. */
function fitted(natural: readonly number[], total: number): number[] {
  const widths = natural.map((width) => Math.min(width, WIDEST_CELL));
  const taken = () => widths.reduce((sum, width) => sum + width + CELL_FRAME, 1);
  while (taken() > total) {
    const widest = Math.max(...widths);
    if (widest > NARROWEST_CELL) widths[widths.indexOf(widest)] = widest - 1;
    else if (widths.length > 1) widths.pop();
    else return [Math.max(1, total - CELL_FRAME - 1)];
  }
  return widths;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value === null || value === undefined;
}

/** CSV with a header line. */
export function renderCsv(table: RenderedTable): string {
  return csvLines([table.columns, ...table.rows.map((row) => table.columns.map((name) => row[name]))]);
}

/** Answer, statements and tables, one under the other. */
export function renderAnswer(
  answer: { readonly answer: string; readonly sql: readonly string[]; readonly data: readonly RenderedTable[] },
  options: RenderOptions,
): string {
  const label = (text: string) => (options.color ? colors.dim(text) : text);
  const blocks = [printableText(answer.answer)];
  answer.sql.forEach((sql, index) => {
    blocks.push(`${label('SQL')}\n${indent(printableText(sql))}`);
    const table = answer.data[index];
    if (table !== undefined) blocks.push(table.rows.length === 0 ? label('No rows.') : renderTable(table, options));
    for (const told of [table?.explanation, table?.readings])
      if (told !== undefined && !answer.answer.includes(told.text)) blocks.push(printableText(told.text));
  });
  return `${blocks.join('\n\n')}\n`;
}

/** Where the rows come from, for a terminal. */
export function originText({ provenance }: Pick<RenderedTable, 'provenance'>): string[] {
  const lines = provenance === undefined ? [] : originLines(provenance);
  return lines.map((line, at) => (at === 0 ? '' : ' '.repeat('From: '.length)) + printableLine(line));
}

export function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
