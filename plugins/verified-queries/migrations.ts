import type { Migration } from '../../kernel/index.ts';
import { migration, type StoredTable } from '../internal-db/index.ts';

export const CHECKS = 'verified_query_checks';

/** Whoever imports an archive checks anew. */
export const STORED_TABLES: readonly StoredTable[] = [{ table: CHECKS, isTransient: true }];

export const migrations: readonly Migration[] = [
  migration('0001-checks', async (trx) => {
    await trx.schema.createTable(CHECKS, (table) => {
      // Empty: by the server itself, for all who use the shared layer.
      table.text('org_id').notNullable();
      table.text('name').notNullable();
      // A hash of the query as the layer had it: another content has to be checked anew.
      table.text('content').notNullable();
      table.text('status').notNullable();
      table.text('message');
      // What the columns and the result were like when it was first checked.
      table.text('baseline');
      table.text('checked_at').notNullable();
      table.primary(['org_id', 'name']);
    });
  }),
];
