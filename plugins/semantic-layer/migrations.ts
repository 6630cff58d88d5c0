import type { Migration } from '../../kernel/index.ts';
import { migration } from '../internal-db/index.ts';

export const ORGANIZATIONS_TABLE = 'semantic_layer_organizations';

export const migrations: readonly Migration[] = [
  migration('0001-organizations-with-a-layer', async (trx) => {
    await trx.schema.createTable(
      ORGANIZATIONS_TABLE,
      (table) => void table.string('org_id', 128).notNullable().primary(),
    );
  }),
];
