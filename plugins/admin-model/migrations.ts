import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const MODEL_CONFIGS = 'model_configs';

export const STORED_TABLES: readonly StoredTable[] = [{ table: MODEL_CONFIGS, sealed: ['api_key'] }];

export const migrationsFor = (dialect: InternalDb['dialect']): Migration[] => [
  migration('0001-model-configs', async (trx) => {
    const { id, time } = columnTypes(dialect);
    await trx.schema.createTable(MODEL_CONFIGS, (table) => {
      table.specificType('id', id).primary();
      // NULL: the server's own.
      table.text('org_id');
      table.text('provider').notNullable();
      table.text('model').notNullable();
      table.text('base_url');
      table.text('api_key');
      table.text('api_key_masked');
      // Rises with every change.
      table.integer('version').notNullable();
      table.specificType('created_at', time).notNullable();
      table.specificType('updated_at', time).notNullable();
    });
    await trx.raw(`CREATE UNIQUE INDEX model_configs_of_organization ON ${MODEL_CONFIGS} (coalesce(org_id, ''))`);
  }),
];
