/** Creates the table of chosen models. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import type { InternalDb, StoredTable } from '../internal-db/index.ts';

export const MODEL_CONFIGS = 'model_configs';

export const STORED_TABLES: readonly StoredTable[] = [{ table: MODEL_CONFIGS, sealed: ['api_key'] }];

export const migrationsFor = (dialect: InternalDb['dialect']): Migration[] => [
  {
    name: '0001-model-configs',
    async up(connection) {
      const trx = connection as Knex.Transaction;
      const type = (sqlite: string, postgres: string) => (dialect === 'sqlite' ? sqlite : postgres);
      await trx.schema.createTable(MODEL_CONFIGS, (table) => {
        table.specificType('id', type('varchar(36)', 'uuid')).primary();
        // NULL: the server's own.
        table.text('org_id');
        table.text('provider').notNullable();
        table.text('model').notNullable();
        table.text('base_url');
        table.text('api_key');
        table.text('api_key_masked');
        // Rises with every change.
        table.integer('version').notNullable();
        table.specificType('created_at', type('varchar(24)', 'timestamptz(3)')).notNullable();
        table.specificType('updated_at', type('varchar(24)', 'timestamptz(3)')).notNullable();
      });
      await trx.raw(`CREATE UNIQUE INDEX model_configs_of_organization ON ${MODEL_CONFIGS} (coalesce(org_id, ''))`);
    },
  },
];
