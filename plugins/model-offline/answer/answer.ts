/** Writes a result in a few sentences that state the numbers, and a question back or refusal with its next step. */
import type { CompiledColumn, CompiledQuery } from '../../semantic-query/index.ts';
import type { Reading } from '../conversation.ts';
import { nameWords } from '../words/stem.ts';

type Row = Readonly<Record<string, unknown>>;

/** What the SQL tool gives back. */
export interface ToolResult {
  readonly columns?: readonly string[];
  readonly rows?: readonly Row[];
  readonly rowCount?: number;
  readonly truncated?: boolean;
  readonly error?: string;
  readonly hint?: string;
}

const SHOWN_ROWS = 5;
const SHOWN_GROUPS = 12;
const SHOWN_COLUMNS = 4;
const CURRENCIES = /^[A-Z]{3}$/;

const numbered = (texts: readonly string[]): string => texts.map((text, i) => `${i + 1}. ${text}`).join('\n');
const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());

export function withoutPlan(reading: Exclude<Reading, { kind: 'plan' }>, notice: string | undefined): string {
  if (reading.kind === 'talk') return reading.text;
  if (reading.kind === 'clarify') return `${reading.question}\n${numbered(reading.choices)}`;
  const { words, reason, suggestions } = reading;
  const named = words.length > 0 ? ` ${words.map((word) => `"${word}"`).join(', ')}` : reason ? '' : ' the question';
  const said = [named && `I did not understand${named}.`, reason, notice].filter(Boolean).join(' ');
  const offer = reading.isNear ? 'Did you mean:' : 'I can answer, for example:';
  return suggestions.length > 0
    ? `${said}\n\n${offer}\n${numbered(suggestions)}\n\nReply with a number to take one.`
    : `${said} Ask "help" for what I can answer.`;
}

export function answerText(
  reading: { readonly understood: string; readonly notes: readonly string[] },
  { columns }: CompiledQuery,
  result: ToolResult,
): string {
  const basis = [`Read as: ${reading.understood}.`, ...reading.notes].join(' ');
  if (result.error !== undefined)
    return `The query could not be run: ${[result.error, result.hint].filter(Boolean).join(' ')}\n\n${basis}`;
  const rows = result.rows ?? [];
  const count = result.rowCount ?? rows.length;
  if (count === 0) return `No rows match.\n\n${basis}`;
  const note = result.truncated ? ' There are more rows than were fetched.' : '';
  const figures = columns.filter((column) => column.kind !== 'dimension');
  if (columns.length === figures.length && count === 1) return `${totalText(figures, rows[0]!)}\n\n${basis}`;
  return `${figures.length === 0 ? listText(columns, rows, count) : groupText(columns, figures, rows, count)}${note}\n\n${basis}`;
}

function totalText(figures: readonly CompiledColumn[], row: Row): string {
  if (figures.every(({ name }) => row[name] === null)) return 'There is no value: no rows match, or none has one.';
  return capital(
    `${figures.map((column) => `${label(column)}: ${formatValue(row[column.name], column)}`).join('; ')}.`,
  );
}

function groupText(
  columns: readonly CompiledColumn[],
  figures: readonly CompiledColumn[],
  rows: readonly Row[],
  count: number,
): string {
  const keys = columns.filter((column) => column.kind === 'dimension');
  const line = (row: Row): string => {
    const key = keys.map((column) => formatValue(row[column.name], column)).join(', ');
    return `- ${key}: ${figures.map((column) => `${figures.length === 1 ? '' : `${label(column)} `}${formatValue(row[column.name], column)}`).join(', ')}`;
  };
  const shown = rows.slice(0, count <= SHOWN_GROUPS ? SHOWN_GROUPS : SHOWN_ROWS);
  const rest =
    count > shown.length
      ? `\n… ${formatNumber(count - shown.length)} more of ${formatNumber(count)} rows in the table.`
      : '';
  return `${capital(`${figures.map(label).join(', ')} by ${keys.map(label).join(' and ')}`)}:\n${shown.map(line).join('\n')}${rest}`;
}

function listText(columns: readonly CompiledColumn[], rows: readonly Row[], count: number): string {
  const shown = columns.slice(0, SHOWN_COLUMNS);
  const lines = rows
    .slice(0, SHOWN_ROWS)
    .map((row) => `- ${shown.map((column) => formatValue(row[column.name], column)).join(', ')}`);
  const rest = count > lines.length ? `\n… ${formatNumber(count - lines.length)} more in the table.` : '';
  const head = `${formatNumber(count)} row${count === 1 ? '' : 's'} (${shown.map(label).join(', ')}${columns.length > shown.length ? ', …' : ''})`;
  return `${head}:\n${lines.join('\n')}${rest}`;
}

const label = (column: CompiledColumn): string => nameWords(column.name).join(' ');

const formatNumber = (value: number): string => {
  const digits = Number.isInteger(value) ? 0 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits === 2 ? 2 : 0 });
};

/** A value as people write it: thousands separated, with the unit the layer declares. */
function formatValue(value: unknown, { type, kind, unit = '', format }: CompiledColumn): string {
  if (value === null || value === undefined) return 'none';
  const isText = typeof value === 'string' && type === 'number' && value.trim() !== '';
  const number = typeof value === 'number' ? value : isText ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (kind === 'dimension') return String(value);
  if (/^(share|change_percent)$/.test(kind) || [unit, format].includes('percent')) return `${formatNumber(number)} %`;
  const isMoney = CURRENCIES.test(unit) || format === 'currency';
  const text = isMoney
    ? number.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : formatNumber(number);
  return unit ? `${text} ${unit}` : text;
}
