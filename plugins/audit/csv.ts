/** Writes audit entries as CSV. */
import { csvLines } from '../csv-kit/index.ts';
import type { AuditEntry } from './schemas.ts';

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

const cell = (value: AuditEntry[(typeof COLUMNS)[number]]) => (Array.isArray(value) ? value.join(' ') : value);

/** Waits for the first batch, so that a database that is away rejects before the answer has begun. */
export async function csv(batches: AsyncIterator<readonly AuditEntry[]>): Promise<AsyncIterable<string>> {
  return lines(await batches.next(), batches);
}

async function* lines(
  first: IteratorResult<readonly AuditEntry[]>,
  batches: AsyncIterator<readonly AuditEntry[]>,
): AsyncGenerator<string> {
  yield csvLines([COLUMNS]);
  for (let batch = first; batch.done !== true; batch = await batches.next()) {
    yield csvLines(batch.value.map((entry) => COLUMNS.map((column) => cell(entry[column]))));
  }
}
