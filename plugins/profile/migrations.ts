import type { Migration } from '../../kernel/index.ts';
import { migration, type StoredTable } from '../internal-db/index.ts';

export const FACTS = 'layer_facts';
export const RUNS = 'layer_fact_runs';

/** Whoever imports an archive measures anew. */
export const STORED_TABLES: readonly StoredTable[] = [FACTS, RUNS].map((table) => ({ table, isTransient: true }));

export const migrations: readonly Migration[] = [
  migration('0001-facts', async (trx) => {
    await trx.schema.createTable(FACTS, (table) => {
      // Empty: of the shared layer.
      table.text('org_id').notNullable();
      // Connection, schema and name, as the layer writes them.
      table.text('table_key').notNullable();
      table.text('facts').notNullable();
      // Milliseconds since the epoch.
      table.bigInteger('measured_at').notNullable();
      table.primary(['org_id', 'table_key']);
    });
    await trx.schema.createTable(RUNS, (table) => {
      table.text('name').primary();
      table.bigInteger('started_at').notNullable();
    });
  }),
  migration('0002-attempts', async (trx) => {
    await trx.schema.alterTable(FACTS, (table) => {
      // Also of a table that did not answer.
      table.bigInteger('tried_at').notNullable().defaultTo(0);
    });
  }),
];
