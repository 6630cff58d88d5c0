/** Creates the table of proposals that somebody did not want. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import type { StoredTable } from '../internal-db/index.ts';

export const DISMISSED = 'dismissed_proposals';

export const STORED_TABLES: readonly StoredTable[] = [{ table: DISMISSED }];

export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-dismissed-proposals',
    async up(connection) {
      await (connection as Knex.Transaction).schema.createTable(DISMISSED, (table) => {
        // Empty: for the shared layer.
        table.text('org_id').notNullable();
        table.string('id', 16).notNullable();
        table.string('dismissed_at', 24).notNullable();
        table.primary(['org_id', 'id']);
      });
    },
  },
];
