import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { entity } from '../../test/fixtures/sql/sqlite-shop.ts';
import { sqlite } from '../sql-kit/index.ts';
import { allowedTables, allowedTablesInTurns } from './layer-tables.ts';

test('a large layer is read in turns of the event loop', async () => {
  const columns = Array.from({ length: 30 }, (_, n) => ({ name: `column_${n}` }));
  const entities = Array.from({ length: 3_000 }, (_, n) => entity(`table_${n}`, columns));
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns += 1) await nextTurn();
  })();
  const { tables } = await allowedTablesInTurns(entities, sqlite);
  isOver = true;
  await counting;
  expect(tables.tables).toHaveLength(entities.length);
  expect(turns).toBeGreaterThan(2);
});

test('finds the same at once', async () => {
  const entities = [
    entity('orders', [{ name: 'id' }, { name: 'note', hidden: true }, { name: 'mail', mask: 'now()' }]),
  ];
  expect(allowedTables(entities, sqlite)).toEqual(await allowedTablesInTurns(entities, sqlite));
});
