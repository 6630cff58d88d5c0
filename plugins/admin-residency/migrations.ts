import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const REGION_MIGRATIONS = 'region_migrations';
export const STORED_TABLES: readonly StoredTable[] = [{ table: REGION_MIGRATIONS }];

export const migrationsFor = (dialect: InternalDb['dialect']): Migration[] => [
  migration('0001-region-migrations', async (trx) => {
    const { id, time } = columnTypes(dialect);
    await trx.schema.createTable(REGION_MIGRATIONS, (table) => {
      table.specificType('id', id).primary();
      // NULL: what belongs to no organization.
      table.text('org_id');
      table.text('source_region').notNullable();
      table.text('target_region').notNullable();
      table.text('status').notNullable();
      table.text('requested_by');
      table.specificType('requested_at', time).notNullable();
      table.specificType('completed_at', time);
      table.text('error_message');
      // Milliseconds since the epoch: until then a server moves it. NULL: the operator does, or nobody.
      table.bigInteger('leased_until');
      table.index(['org_id', 'requested_at', 'id'], 'region_migrations_by_organization');
      table.index(['requested_at', 'id'], 'region_migrations_by_time');
    });
    // At most one that is not over.
    await trx.raw(`CREATE UNIQUE INDEX region_migrations_open ON ${REGION_MIGRATIONS} (coalesce(org_id, ''))
        WHERE status IN ('pending', 'in_progress')`);
  }),
];
