import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { timeSlicer } from './time-slices.ts';

function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('much long work at once goes on a slice in each turn of the event loop', async () => {
  const slicesAt: number[] = [];
  let turn = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turn += 1) await nextTurn();
  })();
  const works = Array.from({ length: 5 }, async () => {
    const pause = timeSlicer(undefined, 1);
    for (let step = 0; step < 4; step += 1) {
      busy(2);
      await pause();
      slicesAt.push(turn);
    }
  });
  await Promise.all(works);
  isOver = true;
  await counting;
  expect(slicesAt).toHaveLength(20);
  // Two, not one: the counter may run before or after the slice in its turn.
  for (const at of slicesAt) expect(slicesAt.filter((other) => other === at).length).toBeLessThanOrEqual(2);
});

test('work that was given up does not go on after its pause', async () => {
  const giveUp = new AbortController();
  const pause = timeSlicer(giveUp.signal, 0);
  const paused = pause();
  giveUp.abort(new Error('given up'));
  await expect(paused).rejects.toThrow('given up');
});
