/** Answers as people read them in a terminal, and as programs read them. */
import Table from 'cli-table3';
import colors from 'picocolors';

export interface RenderedTable {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly truncated?: boolean;
}

export interface RenderOptions {
  /** Colours, for a terminal. */
  readonly color: boolean;
  /** Width of the terminal in characters. */
  readonly width?: number;
  /** Rows drawn; the rest is counted in one line. Default 50. */
  readonly maxRows?: number;
}

const WIDEST_CELL = 60;

/** A terminal must not be steered by what stands in a database: control characters are shown, not sent. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (char) =>
    char === '\n' || char === '\t' ? ' ' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same for running text, which may have several lines. */
export function printableText(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A table with box lines; numbers to the right, long values cut. */
export function renderTable(table: RenderedTable, options: RenderOptions): string {
  const shown = table.rows.slice(0, options.maxRows ?? 50);
  const { color } = options;
  const drawn = new Table({
    head: table.columns.map((name) => (color ? colors.bold(printable(name)) : printable(name))),
    colAligns: table.columns.map((name) => (shown.every((row) => isNumber(row[name])) ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  });
  for (const row of shown) {
    drawn.push(
      table.columns.map((name) => {
        const text = cellText(row[name]);
        return text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1)}…` : text;
      }),
    );
  }
  const hidden = table.rows.length - shown.length;
  const notes = [
    ...(hidden > 0 ? [`… ${hidden} more ${hidden === 1 ? 'row' : 'rows'}`] : []),
    ...(table.truncated === true ? ['The result was cut at the limit; ask for less or raise SVC_ROW_LIMIT.'] : []),
  ];
  return [drawn.toString(), ...notes].join('\n');
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value === null || value === undefined;
}

function csvCell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with a header line. */
export function renderCsv(table: RenderedTable): string {
  const lines = [
    table.columns.map(csvCell).join(','),
    ...table.rows.map((row) => table.columns.map((name) => csvCell(row[name])).join(',')),
  ];
  return `${lines.join('\r\n')}\r\n`;
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
  });
  return `${blocks.join('\n\n')}\n`;
}

export function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
