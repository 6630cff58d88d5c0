import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('each gets a turn of its own, first come, first served', async () => {
  const turns = new Turns();
  const had: number[] = [];
  const all = Promise.all([1, 2, 3].map((n) => turns.next().then(() => had.push(n))));
  const atEachTurn: number[] = [];
  while (had.length < 3) {
    atEachTurn.push(had.length);
    await nextTurn();
  }
  await all;
  expect(had).toEqual([1, 2, 3]);
  expect(atEachTurn.every((count, at) => count - (atEachTurn[at - 1] ?? 0) <= 1)).toBe(true);
  await turns.next();
});
