import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MadeOnce } from './made-once.ts';

test('what many wait for is made once, and they go on in turns of their own', async () => {
  let made = 0;
  const things = new MadeOnce(function* ({ name }: { readonly name: string }) {
    made += 1;
    yield;
    return `made of ${name}`;
  });
  const clay = { name: 'clay' };
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn += 1) await nextTurn();
  })();
  const turns = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      expect(await things.inTurns(clay)).toBe('made of clay');
      return turn;
    }),
  );
  isOver = true;
  await counting;
  expect(made).toBe(1);
  expect(new Set(turns).size).toBe(4);
  expect(things.atOnce(clay)).toBe('made of clay');
  expect(made).toBe(1);
});
