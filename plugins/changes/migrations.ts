import { migration } from '../internal-db/index.ts';

export const CHANGES_TABLE = 'atlas_changes';

export const createChanges = migration('0001-changes', async (trx) => {
  await trx.schema.createTable(CHANGES_TABLE, (table) => {
    table.bigIncrements('id');
    table.text('topic').notNullable();
    // NULL: anything of the topic.
    table.text('subject');
    // Milliseconds since the epoch, by the clock of the database.
    table.bigInteger('published_at').notNullable();
  });
});
