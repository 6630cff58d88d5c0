import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const RULES = 'approval_rules';

export const STORED_TABLES: readonly StoredTable[] = [{ table: RULES }];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const { id, time } = columnTypes(dialect);
  return [
    migration('0001-approval-rules', async (trx) => {
      await trx.schema.createTable(RULES, (table) => {
        table.specificType('id', id).primary();
        table.text('org_id').notNullable();
        table.text('name').notNullable();
        table.text('rule_type').notNullable();
        table.text('pattern');
        table.bigInteger('threshold');
        table.boolean('enabled').notNullable();
        table.specificType('created_at', time).notNullable();
        table.specificType('updated_at', time).notNullable();
        table.index(['org_id', 'created_at', 'id'], 'approval_rules_by_organization');
      });
    }),
  ];
}
