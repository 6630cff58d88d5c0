import type { Migration } from '../../kernel/index.ts';
import { changeColumnTypes, type InternalDb, type JsonColumns, migration } from '../internal-db/index.ts';
import { countsAndPages, countsOfSources } from './count-migration.ts';

export const AUDIT_TABLE = 'audit_log';

/** PostgreSQL only. */
export const JSON_COLUMNS: JsonColumns = { tables: 'jsonb' };

const tableMigrations: readonly Migration[] = [
  migration('0001-audit-log', async (trx) => {
    await trx.schema.createTable(AUDIT_TABLE, (table) => {
      table.string('id', 36).primary();
      table.string('timestamp', 24).notNullable();
      table.text('user_id');
      table.text('user_label');
      table.text('auth_mode').notNullable();
      table.text('sql').notNullable();
      table.double('duration_ms').notNullable();
      table.integer('row_count').notNullable();
      table.boolean('success').notNullable();
      table.text('error');
      table.text('connection_id');
      table.text('db_type');
      table.text('tables').notNullable();
      table.text('conversation_id');
      table.text('request_id').notNullable();
      table.text('surface').notNullable();
      table.text('org_id');
      table.string('deleted_at', 24);
      // Purged entries are never looked up.
      const predicate = trx.whereNull('deleted_at');
      table.index(['timestamp', 'id'], 'audit_log_by_time', { predicate });
      table.index(['org_id', 'timestamp'], 'audit_log_by_org', { predicate });
      table.index(['user_id', 'timestamp'], 'audit_log_by_user', { predicate });
    });
  }),
  migration('0002-erasure', async (trx) => {
    await trx.schema.alterTable(AUDIT_TABLE, (table) => {
      table.index(['deleted_at'], 'audit_log_by_deletion', { predicate: trx.whereNotNull('deleted_at') });
    });
  }),
];

const changes = migration('0004-changes', async (trx) => {
  await trx.schema.alterTable(AUDIT_TABLE, (table) => {
    for (const column of ['action', 'target_type', 'target_id', 'target_label', 'before', 'after']) table.text(column);
  });
  await trx.raw(`CREATE INDEX audit_log_changes ON ${AUDIT_TABLE} (org_id, timestamp, id)
      WHERE deleted_at IS NULL AND action IS NOT NULL`);
});

const cachedResults = migration('0007-cached-results', async (trx) => {
  await trx.schema.alterTable(AUDIT_TABLE, (table) => {
    table.boolean('cached').notNullable().defaultTo(false);
  });
});

const postgresMigrations: readonly Migration[] = [
  migration('0003-postgres-types', async (trx) => {
    const times = { timestamp: 'timestamptz(3)', deleted_at: 'timestamptz(3)' } as const;
    await changeColumnTypes(trx, AUDIT_TABLE, { id: 'uuid', ...times, ...JSON_COLUMNS });
  }),
];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const typed = dialect === 'postgres' ? postgresMigrations : [];
  return [...tableMigrations, ...typed, changes, countsAndPages(dialect), countsOfSources(dialect), cachedResults];
}
