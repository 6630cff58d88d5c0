/** Creates the table of allowed networks. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import type { StoredTable } from '../internal-db/index.ts';

export const ENTRIES = 'ip_allowlist';

export const STORED_TABLES: readonly StoredTable[] = [{ table: ENTRIES }];

export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-ip-allowlist',
    async up(connection) {
      await (connection as Knex.Transaction).schema.createTable(ENTRIES, (table) => {
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
    },
  },
];
