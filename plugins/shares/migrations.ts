import type { Migration } from '../../kernel/index.ts';
import { CONVERSATION_TABLES } from '../conversations/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const SHARES = 'shares';

export const STORED_TABLES: readonly StoredTable[] = [{ table: SHARES }];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const { id, time } = columnTypes(dialect);
  const { conversations, messages } = CONVERSATION_TABLES;
  return [
    migration('0001-shares', async (trx) => {
      await trx.schema.createTable(SHARES, (table) => {
        const reference = (column: string, to: string) =>
          table.specificType(column, id).notNullable().references('id').inTable(to).onDelete('CASCADE');
        table.specificType('id', id).primary();
        table.text('org_id').notNullable();
        table.text('user_id').notNullable();
        reference('conversation_id', conversations).index('shares_by_conversation');
        reference('message_id', messages);
        // An answer is shared once.
        table.unique(['message_id'], { indexName: 'shares_by_message' });
        table.specificType('created_at', time).notNullable();
      });
    }),
  ];
}
