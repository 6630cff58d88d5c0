import type { Migration } from '../../kernel/index.ts';
import { migration, type StoredTable } from '../internal-db/index.ts';

export const ENTRIES = 'ip_allowlist';

export const STORED_TABLES: readonly StoredTable[] = [{ table: ENTRIES }];

export const MIGRATIONS: readonly Migration[] = [
  migration('0001-ip-allowlist', async (trx) => {
    await trx.schema.createTable(ENTRIES, (table) => {
      table.string('id', 36).primary();
      // Empty: what belongs to no organization.
      table.text('org_id').notNullable();
      table.text('cidr').notNullable();
      table.text('description');
      table.string('created_at', 24).notNullable();
      table.text('created_by');
      table.unique(['org_id', 'cidr']);
      table.index(['org_id', 'created_at', 'id'], 'ip_allowlist_in_order');
    });
  }),
];
