/** Creates the table of changes. */
import type { Knex } from 'knex';
import type { Migration } from '../../kernel/index.ts';

export const CHANGES_TABLE = 'atlas_changes';

export const createChanges: Migration = {
  name: '0001-changes',
  async up(connection) {
    await (connection as Knex.Transaction).schema.createTable(CHANGES_TABLE, (table) => {
      table.bigIncrements('id');
      table.text('topic').notNullable();
      // NULL: anything of the topic.
      table.text('subject');
      // Milliseconds since the epoch, by the clock of the database.
      table.bigInteger('published_at').notNullable();
    });
  },
};
