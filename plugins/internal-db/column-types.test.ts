import knex from 'knex';
import { expect, it } from 'vitest';
import { startPostgres } from '../../test/harness/postgres.ts';
import { changeColumnTypes } from './column-types.ts';

it('keeps every list that jsonb can hold, and refuses anything else from then on', async () => {
  await using server = await startPostgres();
  const db = knex({ client: 'pg', connection: server.url });
  try {
    await db.raw('CREATE TABLE lists (items text)');
    // A backslash before "u0000", NUL, half of a character, a whole one.
    const texts = ['["a\\\\\\\\u0000"]', '["a\\\\u0000"]', '["a\\u0000"]', '["\\ud83d"]', '["\\u00e9"]'];
    for (const text of texts) await db.raw('INSERT INTO lists VALUES (?)', text);
    await db.transaction((trx) => changeColumnTypes(trx, 'lists', { items: 'jsonb' }));
    const { rows } = await db.raw('SELECT items FROM lists');
    expect(rows.map(({ items }: { items: string[] }) => items[0])).toEqual([
      'a\\\\u0000',
      'a\\u0000',
      'a\ufffd',
      '\ufffd',
      'é',
    ]);
    const asText = db.raw("INSERT INTO lists VALUES (to_jsonb('[]'::text))");
    await expect(asText).rejects.toMatchObject({ constraint: 'lists_items_is_list' });
  } finally {
    await db.destroy();
  }
});
