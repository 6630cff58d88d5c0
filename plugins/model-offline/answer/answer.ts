/** Writes a result in a few sentences that state the numbers, and a question back or refusal with its next step. */
import { saidInAnswer } from '../../agent/index.ts';
import { formattedValue, valueFormat } from '../../result-kit/index.ts';
import type { CompiledColumn, CompiledQuery } from '../../semantic-query/index.ts';
import type { Reading } from '../conversation.ts';
import { capital, spoken } from '../words/words.ts';

type Row = Readonly<Record<string, unknown>>;
/** What the SQL tool gives back. */
type Read = { rows: readonly Row[]; rowCount: number; truncated: boolean; notes: readonly string[] };
export type ToolResult = Readonly<Partial<Read & Record<'error' | 'hint', string>>>;

const [SHOWN_ROWS, SHOWN_GROUPS, SHOWN_COLUMNS] = [5, 12, 4];
const numbered = (texts: readonly string[]): string => texts.map((text, i) => `${i + 1}. ${text}`).join('\n');
const counted = (count: number): string => count.toLocaleString('en-US');
const label = (column: CompiledColumn): string => spoken(column.name);

export function withoutPlan(reading: Extract<Reading, { kind: 'clarify' | 'unclear' }>, notice = ''): string {
  if (reading.kind === 'clarify')
    return `${notice && `${notice}\n\n`}${reading.question}\n${numbered(reading.choices)}`;
  const { words, reason, suggestions } = reading;
  const named = words.length > 0 ? words.map((word) => `"${word}"`).join(', ') : 'the question';
  const unread = words.length > 0 || !reason ? `I did not understand ${named}.` : '';
  const said = [unread, reason, notice].filter(Boolean).join(' ');
  const offer = reading.isNear ? 'Did you mean:' : 'I can answer, for example:';
  return suggestions.length > 0
    ? `${said}\n\n${offer}\n${numbered(suggestions)}\n\nReply with a number to take one.`
    : `${said} Ask "help" for what I can answer.`;
}

export function answerText(
  { understood, plan: { orderBy = [], filters = [] } }: Extract<Reading, { kind: 'plan' }>,
  { columns }: CompiledQuery,
  { error, hint, rows = [], rowCount: count = rows.length, truncated, notes = [] }: ToolResult,
): string {
  const problem = error && `The query could not be run: ${[error, hint].filter(Boolean).join(' ')}`;
  const asked = [...orderBy.map(({ by }) => by), ...filters.map(({ dimension }) => dimension)];
  const text = problem ?? (count === 0 ? 'No rows match.' : resultText(columns, rows, count, asked));
  // Of an empty result all of them say why.
  const isEmpty = rows.every((row) => Object.values(row).every((cell) => Number(cell) === 0));
  const said = notes.flatMap((note) => {
    const own = saidInAnswer([note]);
    return isEmpty && own.length === 0 ? note : own;
  });
  return `${[text, ...said].join(text.includes('\n') ? '\n\n' : ' ')}${truncated ? ' There are more rows than were fetched.' : ''}\n\nRead as: ${understood}.`;
}

/** `asked`: of columns further behind, those that the question is about; the first of them are shown too. */
function resultText(columns: readonly CompiledColumn[], rows: readonly Row[], count: number, asked: readonly string[]) {
  const figures = columns.filter(({ kind }) => kind !== 'dimension');
  const all = columns.filter(({ kind }) => kind === 'dimension');
  const more = all.filter(({ source }, at) => at >= SHOWN_COLUMNS && asked.includes(source)).slice(0, 2);
  const keys = [...all.slice(0, SHOWN_COLUMNS - more.length), ...more];
  const said = (some: readonly CompiledColumn[], row: Row, isNamed = false): string[] =>
    some.map((column) => `${isNamed ? `${label(column)}: ` : ''}${formatValue(row[column.name], column)}`);
  if (keys.length === 0 && count === 1)
    return figures.every(({ name }) => rows[0]![name] === null)
      ? 'There is no value: no rows match, or none has one.'
      : capital(`${said(figures, rows[0]!, true).join('; ')}.`);
  const shown = rows.slice(0, figures.length > 0 && count <= SHOWN_GROUPS ? SHOWN_GROUPS : SHOWN_ROWS);
  const lines = shown.map((row) => {
    const values = said(figures, row, figures.length > 1).join(', ');
    return `- ${said(keys, row).join(', ')}${values ? `: ${values}` : ''}`;
  });
  const list = `${counted(count)} row${count === 1 ? '' : 's'} (${keys.map(label).join(', ')})`;
  const head = figures.length > 0 ? `${figures.map(label).join(', ')} by ${keys.map(label).join(' and ')}` : list;
  const rest = count > shown.length ? `\n… ${counted(count - shown.length)} more rows in the table.` : '';
  return `${capital(head)}:\n${lines.join('\n')}${rest}`;
}

/** A value as people write it, with the unit the layer declares. */
function formatValue(value: unknown, column: CompiledColumn): string {
  if (value === null || value === undefined) return 'none';
  const isNumber = typeof value === 'number' || (typeof value === 'string' && column.type === 'number');
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (column.kind === 'dimension' || !isNumber) return text;
  return formattedValue(value, valueFormat(column), 'en-US') ?? text;
}
