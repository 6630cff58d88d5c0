/** Creates the tables of usage and budgets. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';
import { DAY_KEY, DAYS_FROM, MERGE_DAYS, MERGE_TOTALS, TOTALS_FROM } from './sums.ts';
import { DAYS, QUESTIONS, RESERVATIONS, TOTALS } from './tables.ts';

type Dialect = InternalDb['dialect'];

export const STORED_TABLES: readonly StoredTable[] = [
  ...[QUESTIONS, DAYS, TOTALS].map((table) => ({ table })),
  { table: RESERVATIONS, isTransient: true },
];

function counts(table: Knex.CreateTableBuilder): void {
  for (const name of ['model_calls', 'input_tokens', 'output_tokens', 'cached_input_tokens', 'estimated_tokens']) {
    table.bigInteger(name).notNullable();
  }
  // NULL: the model has no price.
  table.double('cost');
}

const tables = (dialect: Dialect): Migration =>
  migration('0001-usage', async (trx) => {
    const { id, time } = columnTypes(dialect);
    await trx.schema.createTable(QUESTIONS, (table) => {
      table.specificType('id', id).primary();
      table.specificType('asked_at', time).notNullable().index();
      table.string('day', 10).notNullable();
      table.text('user_id').notNullable();
      table.text('org_id').notNullable();
      table.text('surface').notNullable();
      table.text('request_id').notNullable();
      table.text('conversation_id').index();
      table.text('provider').notNullable();
      table.text('model').notNullable();
      counts(table);
      table.boolean('is_answered').notNullable();
    });
    await trx.schema.createTable(DAYS, (table) => {
      table.text('org_id').notNullable();
      table.text('user_id').notNullable();
      table.string('day', 10).notNullable().index();
      table.text('provider').notNullable();
      table.text('model').notNullable();
      table.bigInteger('questions').notNullable();
      counts(table);
      table.primary([...DAY_KEY]);
      table.index(['org_id', 'day']);
    });
    await trx.schema.createTable(TOTALS, (table) => {
      table.text('subject').notNullable();
      table.string('period', 10).notNullable();
      table.bigInteger('tokens').notNullable();
      table.primary(['subject', 'period']);
    });
    await trx.schema.createTable(RESERVATIONS, (table) => {
      table.specificType('id', id).notNullable();
      table.text('subject').notNullable();
      table.string('period', 10).notNullable();
      table.bigInteger('tokens').notNullable();
      // Milliseconds since the epoch.
      table.bigInteger('expires_at').notNullable().index();
      table.primary(['id', 'subject']);
      table.index(['subject', 'period']);
    });
    if (dialect === 'sqlite') await trx.raw(SQLITE_TRIGGER);
  });

/** Does what the statement for PostgreSQL does by itself; runs only for a question that was not there before. */
const SQLITE_TRIGGER = `CREATE TRIGGER usage_question_counted AFTER INSERT ON ${QUESTIONS} BEGIN
  INSERT INTO ${DAYS} ${DAYS_FROM(`${QUESTIONS} WHERE id = new.id`)} ${MERGE_DAYS};
  INSERT INTO ${TOTALS} ${TOTALS_FROM(`${QUESTIONS} WHERE id = new.id`)} ${MERGE_TOTALS};
  DELETE FROM ${RESERVATIONS} WHERE id = new.id;
END`;

export const migrationsFor = (dialect: Dialect): Migration[] => [tables(dialect)];
