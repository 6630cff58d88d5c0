import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const INTEGRATIONS = 'chat_integrations';
/** An organization has one bot of a platform. */
export const INTEGRATION_KEY = "(coalesce(org_id, ''), platform)";

export const STORED_TABLES: readonly StoredTable[] = [{ table: INTEGRATIONS, sealed: ['credentials'] }];

export const migrationsFor = (dialect: InternalDb['dialect']): Migration[] => [
  migration('0001-chat-integrations', async (trx) => {
    const { id, time } = columnTypes(dialect);
    await trx.schema.createTable(INTEGRATIONS, (table) => {
      table.specificType('id', id).primary();
      // NULL: the server's own.
      table.text('org_id');
      table.text('platform').notNullable();
      table.text('application_id').notNullable();
      table.text('bot_username').notNullable();
      table.text('bot_token_masked').notNullable();
      table.text('credentials').notNullable();
      table.text('created_by');
      table.specificType('created_at', time).notNullable();
      table.specificType('updated_at', time).notNullable();
    });
    await trx.raw(`CREATE UNIQUE INDEX chat_integrations_of_organization ON ${INTEGRATIONS} ${INTEGRATION_KEY}`);
  }),
];
