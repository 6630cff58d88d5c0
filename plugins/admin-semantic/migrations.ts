/** Creates the table of earlier versions of the files. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import type { InternalDb, StoredTable } from '../internal-db/index.ts';

export const VERSIONS = 'semantic_file_versions';

export const STORED_TABLES: readonly StoredTable[] = [{ table: VERSIONS }];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const type = (sqlite: string, postgres: string) => (dialect === 'sqlite' ? sqlite : postgres);
  return [
    {
      name: '0001-file-versions',
      async up(connection) {
        const trx = connection as Knex.Transaction;
        await trx.schema.createTable(VERSIONS, (table) => {
          table.specificType('id', type('varchar(36)', 'uuid')).primary();
          // Empty: the shared layer.
          table.text('org_id').notNullable();
          table.text('path').notNullable();
          table.integer('number').notNullable();
          table.string('version', 32).notNullable();
          table.integer('bytes').notNullable();
          table.text('change').notNullable();
          table.specificType('replaced_at', type('varchar(24)', 'timestamptz(3)')).notNullable();
          table.text('replaced_by');
          table.text('replaced_by_label');
          // Last, so that lists do not have to read beyond it.
          table.text('content').notNullable();
          table.unique(['org_id', 'path', 'number']);
          table.index(['org_id', 'replaced_at', 'number', 'id']);
        });
      },
    },
  ];
}
