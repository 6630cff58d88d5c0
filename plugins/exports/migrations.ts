import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const EXPORTS = 'exports';

/** Of use only where the files are. */
export const STORED_TABLES: readonly StoredTable[] = [{ table: EXPORTS, isTransient: true, sealed: ['presented'] }];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const { id, time } = columnTypes(dialect);
  return [
    migration('0001-exports', async ({ schema }) => {
      await schema.createTable(EXPORTS, (table) => {
        table.specificType('id', id).primary();
        table.text('org_id').notNullable();
        table.text('user_id').notNullable();
        table.text('auth_mode').notNullable();
        // Role and claims, encrypted, where the mode cannot look them up.
        table.text('presented');
        table.text('format').notNullable();
        table.text('sql').notNullable();
        table.text('connection_id').notNullable();
        table.text('conversation_id');
        // Whether the user wrote the statement, and so needs the right to run one.
        table.boolean('is_own_sql').notNullable();
        table.text('status').notNullable();
        table.bigInteger('row_count').notNullable();
        table.bigInteger('size_bytes').notNullable();
        table.text('error');
        // The run that may write here, of several when a server died.
        table.text('run');
        table.text('file');
        // What the policies made of the statement that the file is the result of.
        table.text('policy');
        table.text('link_key').notNullable();
        table.specificType('created_at', time).notNullable();
        table.specificType('ended_at', time);
        table.specificType('expires_at', time).notNullable().index('exports_by_expiry');
        table.index(['org_id', 'user_id', 'created_at'], 'exports_by_user');
      });
    }),
  ];
}
