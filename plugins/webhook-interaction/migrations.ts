import type { Migration } from '../../kernel/index.ts';
import { migration } from '../internal-db/index.ts';

export const REQUESTS = 'webhook_requests';
export const SIGNATURES = 'webhook_signatures';

export const MIGRATIONS: readonly Migration[] = [
  migration('0001-webhook-interaction', async (trx) => {
    await trx.schema.createTable(REQUESTS, (table) => {
      table.string('id', 36).primary();
      table.text('channel_id').notNullable();
      // Milliseconds since the epoch.
      table.bigInteger('accepted_at').notNullable().index();
      table.bigInteger('tried_at');
      table.index(['channel_id', 'tried_at', 'accepted_at'], 'webhook_requests_waiting');
    });
    await trx.schema.createTable(SIGNATURES, (table) => {
      table.string('id', 64).primary();
      table.bigInteger('expires_at').notNullable().index();
    });
  }),
];
