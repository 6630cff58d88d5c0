/**
 * Creates the tables that list backups and name the installation. A restore keeps both as they are, so their migrations
 * must bear being applied again.
 */
import { randomUUID } from 'node:crypto';
import { migration } from '../internal-db/index.ts';

export const BACKUPS_TABLE = 'backups';
/** One row: the id of this installation, which is that of its database. */
export const INSTALLATION_TABLE = 'backup_installation';
/** Neither dumped nor restored. */
export const OWN_TABLES: readonly string[] = [BACKUPS_TABLE, INSTALLATION_TABLE];

export const createBackups = migration('0001-backups', async ({ schema }) => {
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
});

export const nameInstallation = migration('0002-installation', async (trx) => {
  if (!(await trx.schema.hasColumn(BACKUPS_TABLE, 'installation'))) {
    // Whose the present ones are, nobody knows: another installation may have the same folder.
    await trx.schema.alterTable(BACKUPS_TABLE, (table) => void table.text('installation').index());
  }
  if (await trx.schema.hasTable(INSTALLATION_TABLE)) return;
  await trx.schema.createTable(INSTALLATION_TABLE, (table) => void table.text('id').notNullable().primary());
  await trx(INSTALLATION_TABLE).insert({ id: randomUUID() });
});
