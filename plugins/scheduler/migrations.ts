import type { Migration } from '../../kernel/index.ts';
import { columnTypes, type InternalDb, migration, type StoredTable } from '../internal-db/index.ts';

export const TASKS = 'scheduled_tasks';
export const RUNS = 'scheduled_runs';
export const DELIVERIES = 'scheduled_deliveries';

export const STORED_TABLES: readonly StoredTable[] = [
  { table: TASKS, sealed: ['presented', 'recipients'] },
  { table: RUNS },
  { table: DELIVERIES, sealed: ['recipient'] },
];

export function migrationsFor(dialect: InternalDb['dialect']): Migration[] {
  const { id, time } = columnTypes(dialect);
  return [
    migration('0001-scheduled-questions', async (trx) => {
      await trx.schema.createTable(TASKS, (table) => {
        table.specificType('id', id).primary();
        table.text('owner_id').notNullable();
        table.text('org_id').notNullable();
        table.text('auth_mode').notNullable();
        table.text('presented');
        table.specificType('presented_at', time);
        table.text('name').notNullable();
        table.text('question').notNullable();
        table.text('cron_expression').notNullable();
        table.text('timezone').notNullable();
        table.text('delivery_channel').notNullable();
        table.text('recipients').notNullable();
        table.text('connection_id');
        table.text('approval_mode').notNullable();
        table.text('missed_runs').notNullable();
        table.integer('timeout_seconds');
        table.boolean('enabled').notNullable();
        table.text('disabled_reason');
        // NULL while the task is disabled, so that this index alone finds what is due.
        table.specificType('next_run_at', time).index();
        table.specificType('last_run_at', time);
        table.specificType('created_at', time).notNullable();
        table.specificType('updated_at', time).notNullable();
        table.index(['owner_id', 'org_id', 'created_at', 'id'], 'scheduled_tasks_by_owner');
      });
      await trx.schema.createTable(RUNS, (table) => {
        table.specificType('id', id).primary();
        table.specificType('task_id', id).notNullable().references('id').inTable(TASKS).onDelete('CASCADE');
        table.specificType('scheduled_for', time);
        table.boolean('is_late').notNullable();
        table.text('status').notNullable();
        table.integer('attempt').notNullable();
        table.specificType('lease_until', time).notNullable();
        table.specificType('started_at', time).notNullable();
        table.specificType('completed_at', time);
        table.text('conversation_id');
        table.text('error');
        table.bigInteger('tokens_used');
        table.text('delivery_status');
        table.text('delivery_error');
        table.text('report');
        table.unique(['task_id', 'scheduled_for']);
        table.index(['task_id', 'started_at', 'id'], 'scheduled_runs_of_task');
      });
      await trx.raw(`CREATE INDEX scheduled_runs_running ON ${RUNS} (lease_until) WHERE status = 'running'`);
      await trx.schema.createTable(DELIVERIES, (table) => {
        table.specificType('id', id).primary();
        table.specificType('run_id', id).notNullable().references('id').inTable(RUNS).onDelete('CASCADE');
        table.integer('position').notNullable();
        table.text('recipient').notNullable();
        table.text('status').notNullable();
        table.text('error');
        table.unique(['run_id', 'position']);
      });
    }),
    migration('0002-delivery-conditions', async (trx) => {
      await trx.schema.alterTable(TASKS, (table) => void table.text('deliver_when'));
      await trx.schema.alterTable(RUNS, (table) => {
        table.text('digest');
        table.double('figure');
        table.text('delivery_reason');
      });
    }),
  ];
}
