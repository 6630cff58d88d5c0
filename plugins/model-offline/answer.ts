/** A result in a few sentences that state the numbers. */
import type { CompiledColumn, CompiledQuery } from '../semantic-query/index.ts';
import type { Reading } from './conversation.ts';
import { nameWords } from './words.ts';

/** What the SQL tool gives back. */
export interface ToolResult {
  readonly columns?: readonly string[];
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount?: number;
  readonly truncated?: boolean;
  readonly error?: string;
  readonly hint?: string;
}

const SHOWN_ROWS = 5;
const CURRENCIES = /^[A-Z]{3}$/;

export function answerText(
  reading: Extract<Reading, { kind: 'plan' }>,
  compiled: CompiledQuery,
  result: ToolResult,
): string {
  const basis = [`Read as: ${reading.understood}.`, ...reading.notes].join(' ');
  if (result.error !== undefined)
    return `The query could not be run: ${[result.error, result.hint].filter(Boolean).join(' ')}\n\n${basis}`;
  const rows = result.rows ?? [];
  const count = result.rowCount ?? rows.length;
  if (count === 0) return `No rows match.\n\n${basis}`;
  const note = result.truncated ? ' There are more rows than were fetched.' : '';
  const { columns } = compiled;
  const figures = columns.filter((column) => column.kind !== 'dimension');
  if (figures.length === 0) return `${listText(columns, rows, count)}${note}\n\n${basis}`;
  if (columns.length === figures.length && count === 1) return `${totalText(figures, rows[0]!)}\n\n${basis}`;
  return `${groupText(columns, rows, count)}${note}\n\n${basis}`;
}

function totalText(figures: readonly CompiledColumn[], row: Readonly<Record<string, unknown>>): string {
  if (figures.every((column) => row[column.name] === null)) return 'There is no value: no rows match, or none has one.';
  return `${figures.map((column) => `${label(column)}: ${formatValue(row[column.name], column)}`).join('; ')}.`.replace(
    /^./,
    (c) => c.toUpperCase(),
  );
}

function groupText(
  columns: readonly CompiledColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
  count: number,
): string {
  const keys = columns.filter((column) => column.kind === 'dimension');
  const figures = columns.filter((column) => column.kind !== 'dimension');
  const line = (row: Readonly<Record<string, unknown>>): string => {
    const key = keys.map((column) => formatValue(row[column.name], column)).join(', ');
    const values = figures.map((column) =>
      figures.length === 1
        ? formatValue(row[column.name], column)
        : `${label(column)} ${formatValue(row[column.name], column)}`,
    );
    return `- ${key}: ${values.join(', ')}`;
  };
  const head = `${figures.map(label).join(', ')} by ${keys.map(label).join(' and ')}`.replace(/^./, (c) =>
    c.toUpperCase(),
  );
  const shown = rows.slice(0, count <= 12 ? 12 : SHOWN_ROWS);
  const rest =
    count > shown.length
      ? `\n… ${formatNumber(count - shown.length)} more of ${formatNumber(count)} rows in the table.`
      : '';
  return `${head}:\n${shown.map(line).join('\n')}${rest}`;
}

function listText(
  columns: readonly CompiledColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
  count: number,
): string {
  const shown = columns.slice(0, 4);
  const head = `${formatNumber(count)} row${count === 1 ? '' : 's'}`;
  const lines = rows
    .slice(0, SHOWN_ROWS)
    .map((row) => `- ${shown.map((column) => formatValue(row[column.name], column)).join(', ')}`);
  const rest = count > lines.length ? `\n… ${formatNumber(count - lines.length)} more in the table.` : '';
  return `${head} (${shown.map(label).join(', ')}${columns.length > shown.length ? ', …' : ''}):\n${lines.join('\n')}${rest}`;
}

const label = (column: CompiledColumn): string => nameWords(column.name).join(' ');

const formatNumber = (value: number): string => {
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits === 2 ? 2 : 0 });
};

/** A value as people write it: thousands separated, with the unit the layer declares. */
function formatValue(value: unknown, column: CompiledColumn): string {
  if (value === null || value === undefined) return 'none';
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && column.type === 'number' && value.trim() !== ''
        ? Number(value)
        : Number.NaN;
  if (Number.isNaN(number)) return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (column.kind === 'dimension') return String(value);
  if (column.kind === 'share' || column.kind === 'change_percent') return `${formatNumber(number)} %`;
  const unit = column.unit ?? '';
  if (unit === 'percent' || column.format === 'percent') return `${formatNumber(number)} %`;
  if (CURRENCIES.test(unit) || column.format === 'currency')
    return `${number.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}${unit ? ` ${unit}` : ''}`;
  return unit ? `${formatNumber(number)} ${unit}` : formatNumber(number);
}
