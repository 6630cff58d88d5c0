/** Creates the table of the organizations that have had their own semantic layer. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';

export const ORGANIZATIONS_TABLE = 'semantic_layer_organizations';

export const migrations: readonly Migration[] = [
  {
    name: '0001-organizations-with-a-layer',
    async up(connection) {
      const trx = connection as Knex.Transaction;
      await trx.schema.createTable(
        ORGANIZATIONS_TABLE,
        (table) => void table.string('org_id', 128).notNullable().primary(),
      );
    },
  },
];
