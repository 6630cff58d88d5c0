import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const VERSIONS = 'semantic_file_versions';

export const STORED_TABLES: readonly StoredTable[] = [{ table: VERSIONS }];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const { id, time } = columnTypes(dialect);
  return [
    migration('0001-file-versions', async (trx) => {
      await trx.schema.createTable(VERSIONS, (table) => {
        table.specificType('id', id).primary();
        // Empty: the shared layer.
        table.text('org_id').notNullable();
        table.text('path').notNullable();
        table.integer('number').notNullable();
        table.string('version', 32).notNullable();
        table.integer('bytes').notNullable();
        table.text('change').notNullable();
        table.specificType('replaced_at', time).notNullable();
        table.text('replaced_by');
        table.text('replaced_by_label');
        // Last, so that lists do not have to read beyond it.
        table.text('content').notNullable();
        table.unique(['org_id', 'path', 'number']);
        table.index(['org_id', 'replaced_at', 'number', 'id']);
      });
    }),
  ];
}
