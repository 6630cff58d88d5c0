/** Declares migrations that run in one transaction, and the types of columns that both databases have in their own way. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';
import type { InternalDb } from './api.ts';

/** `name`: as `Migration` has it. `up`: makes the change. */
export const migration = (name: string, up: (trx: Knex.Transaction) => unknown): Migration => ({
  name,
  async up(connection) {
    await up(connection as Knex.Transaction);
  },
});

/** Types of ids and times: ISO 8601 with milliseconds, so that pages by time stay exact. */
export const columnTypes = (dialect: InternalDb['dialect']) =>
  dialect === 'sqlite' ? { id: 'varchar(36)', time: 'varchar(24)' } : { id: 'uuid', time: 'timestamptz(3)' };
