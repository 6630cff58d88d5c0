import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Departures } from './departures.ts';

it('cancels for one client in each turn of the event loop, in order, and at once when nobody waits', async () => {
  const departures = new Departures();
  const cancelled: number[] = [];
  for (const client of [1, 2, 3]) departures.add(() => cancelled.push(client));
  expect(cancelled).toEqual([1]);
  for (let before = 1; cancelled.length < 3; before = cancelled.length) {
    await nextTurn();
    expect(cancelled.length - before).toBeLessThanOrEqual(1);
  }
  expect(cancelled).toEqual([1, 2, 3]);
  await nextTurn();
  departures.add(() => cancelled.push(4));
  expect(cancelled).toHaveLength(4);
});
