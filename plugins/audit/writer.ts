/** Writes audit entries, each one once. */
import { DurableWriter, type InternalDb, insertRows } from '../internal-db/index.ts';
import type { AuditRow } from './entry.ts';
import { AUDIT_TABLE, JSON_COLUMNS } from './migrations.ts';

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
  'cached',
] as const satisfies readonly (keyof AuditRow)[];

/**
 * A statement has one entry however often it is written. Only one that said "succeeded" is corrected, when its rows
 * were withheld after all.
 */
const ONCE = `ON CONFLICT (id) DO UPDATE SET success = excluded.success, error = excluded.error, row_count = excluded.row_count
  WHERE ${AUDIT_TABLE}.success AND NOT excluded.success`;

export function auditWriter(db: InternalDb): DurableWriter<AuditRow> {
  const sql = `${insertRows(db.dialect, AUDIT_TABLE, COLUMNS, JSON_COLUMNS)} ${ONCE}`;
  return new DurableWriter(db, { sql, order: 0, isById: true });
}
