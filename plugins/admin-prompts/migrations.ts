/** Creates the tables of prompt collections and their prompts. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const COLLECTIONS = 'prompt_collections';
export const ITEMS = 'prompt_items';

export const STORED_TABLES: readonly StoredTable[] = [COLLECTIONS, ITEMS].map((table) => ({ table }));

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const { id, time } = columnTypes(dialect);
  const times = (table: Knex.CreateTableBuilder) => {
    for (const name of ['created_at', 'updated_at']) {
      table.specificType(name, time).notNullable();
    }
  };
  return [
    migration('0001-prompts', async (trx) => {
      await trx.schema.createTable(COLLECTIONS, (table) => {
        table.specificType('id', id).primary();
        // Empty: of no organization.
        table.text('org_id').notNullable();
        table.text('name').notNullable();
        table.text('industry').notNullable();
        table.text('description');
        table.integer('sort_order').notNullable();
        times(table);
        table.index(['org_id', 'sort_order', 'name', 'id']);
      });
      await trx.schema.createTable(ITEMS, (table) => {
        table.specificType('id', id).primary();
        table.specificType('collection_id', id).notNullable().references('id').inTable(COLLECTIONS).onDelete('CASCADE');
        table.text('question').notNullable();
        table.text('description');
        table.text('category');
        table.integer('sort_order').notNullable();
        times(table);
        table.index(['collection_id', 'sort_order', 'id']);
      });
    }),
  ];
}
