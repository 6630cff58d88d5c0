/** Creates the table that lists backups. A restore keeps it as it is, so its migrations must bear being applied again. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';

export const BACKUPS_TABLE = 'backups';

export const createBackups: Migration = {
  name: '0001-backups',
  async up(connection) {
    const { schema } = connection as Knex.Transaction;
    if (await schema.hasTable(BACKUPS_TABLE)) return;
    await schema.createTable(BACKUPS_TABLE, (table) => {
      table.text('id').notNullable().primary();
      table.text('created_at').notNullable().index();
      table.text('status').notNullable();
      table.bigInteger('size_bytes').notNullable();
      table.text('storage_path').notNullable();
      table.text('retention_expires_at').notNullable();
      table.text('error_message');
      table.text('checksum');
      table.text('verified_at');
      // What the backup holds, as JSON.
      table.text('content');
      // What is being done with it: create, verify, restore.
      table.text('operation');
      // 1 while something is done: one at a time, on all servers.
      table.integer('slot').unique();
      // Until when the server that does it has promised to be alive.
      table.text('lease_until');
    });
  },
};
