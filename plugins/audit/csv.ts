/** Entries as comma-separated values: RFC 4180, and safe to open in a spreadsheet. */
import type { AuditEntry } from './store.ts';

const COLUMNS = [
  'timestamp',
  'userId',
  'userLabel',
  'authMode',
  'orgId',
  'surface',
  'connectionId',
  'dbType',
  'tables',
  'sql',
  'success',
  'error',
  'rowCount',
  'durationMs',
  'conversationId',
  'requestId',
  'id',
] as const satisfies readonly (keyof AuditEntry)[];

/** A spreadsheet takes a cell that begins like this for a formula, some also behind blanks, or in full width. */
const FORMULA = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function cell(value: AuditEntry[(typeof COLUMNS)[number]]): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`;

/** Waits for the first batch, so that a database that is away rejects before the answer has begun. */
export async function csv(batches: AsyncIterator<readonly AuditEntry[]>): Promise<AsyncIterable<string>> {
  return lines(await batches.next(), batches);
}

async function* lines(
  first: IteratorResult<readonly AuditEntry[]>,
  batches: AsyncIterator<readonly AuditEntry[]>,
): AsyncGenerator<string> {
  yield line(COLUMNS);
  for (let batch = first; batch.done !== true; batch = await batches.next()) {
    yield batch.value.map((entry) => line(COLUMNS.map((column) => cell(entry[column])))).join('');
  }
}
