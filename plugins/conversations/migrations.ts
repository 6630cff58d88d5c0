import type { Migration } from '../../kernel/index.ts';
import {
  changeColumnTypes,
  type InternalDb,
  type JsonColumns,
  migration,
  type StoredTable,
} from '../internal-db/index.ts';

export const CONVERSATIONS = 'conversations';
export const MESSAGES = 'conversation_messages';
export const COUNTS = 'conversation_counts';
export const REUSE = 'conversation_reuse';

export const STORED_TABLES: readonly StoredTable[] = [
  ...[CONVERSATIONS, MESSAGES, COUNTS].map((table) => ({ table })),
  // Where an archive is imported, policies and layer may be others.
  { table: REUSE, isTransient: true },
];

/** PostgreSQL only. Messages may hold NUL, which `jsonb` refuses, and `json` keeps the order of columns in results. */
export const JSON_COLUMNS: JsonColumns = { parts: 'json' };

const tableMigrations: readonly Migration[] = [
  migration('0001-conversations', async (trx) => {
    await trx.schema.createTable(CONVERSATIONS, (table) => {
      table.string('id', 36).primary();
      table.text('user_id').notNullable();
      table.text('org_id').notNullable();
      table.text('title').notNullable();
      table.text('surface').notNullable();
      table.text('connection_id');
      table.boolean('starred').notNullable();
      table.string('created_at', 24).notNullable();
      table.string('updated_at', 24).notNullable();
      table.index(['user_id', 'org_id', 'updated_at', 'id'], 'conversations_by_owner');
      table.index(['user_id', 'org_id', 'starred', 'updated_at', 'id'], 'conversations_by_star');
    });
    await trx.schema.createTable(MESSAGES, (table) => {
      table.string('id', 36).primary();
      table.string('conversation_id', 36).notNullable().references('id').inTable(CONVERSATIONS).onDelete('CASCADE');
      table.bigInteger('position').notNullable();
      table.text('role').notNullable();
      table.text('parts').notNullable();
      table.text('state').notNullable();
      table.text('writer');
      table.string('created_at', 24).notNullable();
      table.string('updated_at', 24).notNullable();
      table.index(['conversation_id', 'position'], 'conversation_messages_in_order');
    });
    // Counting a hundred thousand rows for each page would take longer than reading the page.
    await trx.schema.createTable(COUNTS, (table) => {
      table.text('user_id').notNullable();
      table.text('org_id').notNullable();
      table.integer('total').notNullable();
      table.integer('starred').notNullable();
      table.primary(['user_id', 'org_id']);
    });
  }),
  migration('0002-client-names', async (trx) => {
    await trx.schema.alterTable(CONVERSATIONS, (table) => void table.text('client_name'));
    // Most conversations have none, and take no room in the index.
    await trx.raw(
      `CREATE UNIQUE INDEX conversations_by_client_name ON ${CONVERSATIONS} (user_id, org_id, client_name)
          WHERE client_name IS NOT NULL`,
    );
  }),
];

const postgresMigrations: readonly Migration[] = [
  migration('0003-postgres-types', async (trx) => {
    const times = { created_at: 'timestamptz(3)', updated_at: 'timestamptz(3)' } as const;
    // Neither side of a reference can change its type alone.
    await trx.schema.alterTable(MESSAGES, (table) => table.dropForeign('conversation_id'));
    await changeColumnTypes(trx, CONVERSATIONS, { id: 'uuid', ...times });
    await changeColumnTypes(trx, MESSAGES, { id: 'uuid', conversation_id: 'uuid', ...times, ...JSON_COLUMNS });
    await trx.schema.alterTable(MESSAGES, (table) =>
      table.foreign('conversation_id').references('id').inTable(CONVERSATIONS).onDelete('CASCADE'),
    );
  }),
];

const orders = migration('0004-orders', async (trx) => {
  await trx.schema.alterTable(CONVERSATIONS, (table) => {
    table.index(['user_id', 'org_id', 'created_at', 'id'], 'conversations_by_creation');
  });
});

const feedback = migration('0005-feedback', async (trx) => {
  await trx.schema.alterTable(MESSAGES, (table) => {
    table.text('rating');
    table.text('rating_reason');
  });
});

const streams = migration('0006-streams', async (trx) => {
  await trx.schema.alterTable(MESSAGES, (table) => {
    table.text('stream');
    table.integer('readings').notNullable().defaultTo(0);
    table.text('finish');
  });
});

const reuseOn = (dialect: InternalDb['dialect']): Migration =>
  migration('0007-reuse', async (trx) => {
    await trx.schema.createTable(REUSE, (table) => {
      table
        .specificType('message_id', dialect === 'sqlite' ? 'varchar(36)' : 'uuid')
        .primary()
        .references('id')
        .inTable(MESSAGES)
        .onDelete('CASCADE');
      table.text('question_key').notNullable().index('conversation_reuse_by_question');
      table.text('calls').notNullable();
      table.text('statements').notNullable();
      table.text('policy').notNullable();
      table.text('day');
    });
  });

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const own = [orders, feedback, streams, reuseOn(dialect)];
  return [...tableMigrations, ...(dialect === 'postgres' ? postgresMigrations : []), ...own];
}
