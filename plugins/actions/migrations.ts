import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const ACTIONS = 'actions';
export const HISTORY = 'action_history';

export const STORED_TABLES: readonly StoredTable[] = [{ table: ACTIONS, sealed: ['payload'] }, { table: HISTORY }];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const { id, time } = columnTypes(dialect);
  return [
    migration('0001-actions', async (trx) => {
      await trx.schema.createTable(ACTIONS, (table) => {
        table.specificType('id', id).primary();
        table.text('org_id').notNullable();
        table.text('action_type').notNullable();
        table.text('target').notNullable();
        table.text('summary').notNullable();
        table.text('status').notNullable();
        table.text('approval').notNullable();
        table.text('requested_by').notNullable();
        table.text('requester').notNullable();
        table.text('surface').notNullable();
        table.text('conversation_id');
        table.text('payload').notNullable();
        table.boolean('is_sealed').notNullable();
        table.string('payload_hash', 64).notNullable();
        table.specificType('created_at', time).notNullable();
        table.specificType('expires_at', time).notNullable();
        table.text('resolved_by');
        table.specificType('resolved_at', time);
        table.text('reason');
        table.specificType('executed_at', time);
        table.text('result');
        table.text('error');
        table.text('lease');
        table.bigInteger('leased_until');
        table.integer('runs').notNullable();
        table.index(['org_id', 'status', 'created_at', 'id'], 'actions_by_organization');
        table.index(['requested_by', 'org_id', 'status', 'created_at', 'id'], 'actions_by_requester');
        table.index(['status', 'expires_at'], 'actions_by_expiry');
        table.index(['resolved_at'], 'actions_by_end');
      });
      await trx.schema.createTable(HISTORY, (table) => {
        table.bigIncrements('id');
        table.specificType('action_id', id).notNullable().references('id').inTable(ACTIONS).onDelete('CASCADE');
        table.text('move').notNullable();
        table.specificType('at', time).notNullable();
        table.text('actor_id');
        table.text('actor_label');
        table.text('auth_mode').notNullable();
        table.text('ip');
        table.text('surface').notNullable();
        table.text('request_id').notNullable();
        table.text('note');
        table.index(['action_id', 'id'], 'action_history_in_order');
      });
    }),
    migration('0002-wish-keys', async (trx) => {
      await trx.schema.alterTable(ACTIONS, (table) => {
        table.string('wish_key', 64);
      });
      await trx.raw(`CREATE UNIQUE INDEX actions_by_wish ON ${ACTIONS} (wish_key) WHERE status = 'pending'`);
    }),
  ];
}
