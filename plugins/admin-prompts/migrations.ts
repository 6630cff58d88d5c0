/** Creates the tables of prompt collections and their prompts. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import type { InternalDb, StoredTable } from '../internal-db/index.ts';

export const COLLECTIONS = 'prompt_collections';
export const ITEMS = 'prompt_items';

export const STORED_TABLES: readonly StoredTable[] = [COLLECTIONS, ITEMS].map((table) => ({ table }));

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const type = (sqlite: string, postgres: string) => (dialect === 'sqlite' ? sqlite : postgres);
  const times = (table: Knex.CreateTableBuilder) => {
    for (const name of ['created_at', 'updated_at']) {
      table.specificType(name, type('varchar(24)', 'timestamptz(3)')).notNullable();
    }
  };
  return [
    {
      name: '0001-prompts',
      async up(connection) {
        const trx = connection as Knex.Transaction;
        await trx.schema.createTable(COLLECTIONS, (table) => {
          table.specificType('id', type('varchar(36)', 'uuid')).primary();
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
          table.specificType('id', type('varchar(36)', 'uuid')).primary();
          table
            .specificType('collection_id', type('varchar(36)', 'uuid'))
            .notNullable()
            .references('id')
            .inTable(COLLECTIONS)
            .onDelete('CASCADE');
          table.text('question').notNullable();
          table.text('description');
          table.text('category');
          table.integer('sort_order').notNullable();
          times(table);
          table.index(['collection_id', 'sort_order', 'id']);
        });
      },
    },
  ];
}
