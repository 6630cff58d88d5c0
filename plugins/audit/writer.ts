/** Writes entries so that many at once cost one commit. */
import { AtlasError, within } from '../../kernel/index.ts';
import { GroupCommit, type InternalDb, insertRows, jsonText } from '../internal-db/index.ts';
import type { AuditRow } from './entry.ts';
import { AUDIT_TABLE } from './migrations.ts';

const COLUMNS = [
  'id',
  'timestamp',
  'user_id',
  'user_label',
  'auth_mode',
  'sql',
  'duration_ms',
  'row_count',
  'success',
  'error',
  'connection_id',
  'db_type',
  'tables',
  'conversation_id',
  'request_id',
  'surface',
  'org_id',
] as const satisfies readonly (keyof AuditRow)[];

export type WriteEntry = (row: AuditRow) => Promise<void>;

/**
 * With so many statements underway, a commit waits a moment for those that are about to end, as `commit_siblings` and
 * `commit_delay` of PostgreSQL have it: fewer commits are worth more than a moment then.
 */
const SIBLINGS = 4;
const DELAY_MS = 2;

/** Longest wait for a database that hangs. */
const WAIT_MS = 5_000;

/** Resolves when the entry is committed; rejects when it could not be, or it is not known in time. */
export function auditWriter(db: InternalDb, underway: () => number): WriteEntry {
  const insert = insertRows(db.dialect, AUDIT_TABLE, COLUMNS);
  const group = new GroupCommit<AuditRow>((rows) => db.run((knex) => knex.raw(insert, [jsonText(rows)])), {
    delayMs: () => (underway() >= SIBLINGS ? DELAY_MS : 0),
  });
  return (row) =>
    within(WAIT_MS, group.add(row), () => {
      const late = new AtlasError('The internal database does not answer.', { code: 'unavailable' });
      group.withdraw(row, late);
      throw late;
    });
}
