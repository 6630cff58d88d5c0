import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const CONNECTIONS = 'connections';

export const STORED_TABLES: readonly StoredTable[] = [{ table: CONNECTIONS, sealed: ['url'] }];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const { id, time } = columnTypes(dialect);
  return [
    migration('0001-connections', async (trx) => {
      await trx.schema.createTable(CONNECTIONS, (table) => {
        table.specificType('id', id).primary();
        table.text('org_id');
        table.text('name').notNullable();
        table.text('db_type').notNullable();
        table.text('url').notNullable();
        table.text('masked_url').notNullable();
        table.text('description');
        table.text('given_schema');
        table.text('schema');
        table.integer('revision').notNullable();
        table.text('created_by');
        table.specificType('created_at', time).notNullable();
        table.specificType('updated_at', time).notNullable();
      });
      // Names are unique within an organization, and among those of no organization.
      await trx.raw(`create unique index connections_by_name on ${CONNECTIONS} (org_id, name)`);
      await trx.raw(`create unique index connections_of_none on ${CONNECTIONS} (name) where org_id is null`);
    }),
  ];
}
