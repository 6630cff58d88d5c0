import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { Admission } from './admission.ts';

afterEach(() => void vi.useRealTimers());

const { signal: never } = new AbortController();

/** Names in the order in which they were admitted. */
function entering(admission: Admission, admitted: string[], name: string, signal = never) {
  const turn = admission.enter(signal);
  if (turn === undefined) admitted.push(name);
  return turn?.then(() => void admitted.push(name));
}

it('admits as many as there are places, and the others in turn as places become free', async () => {
  const admission = new Admission(2, 10);
  const admitted: string[] = [];
  const turns = ['a', 'b', 'c', 'd'].map((name) => entering(admission, admitted, name));
  expect(admitted).toEqual(['a', 'b']);
  admission.leave(10);
  await turns[2];
  expect(admitted).toEqual(['a', 'b', 'c']);
  admission.leave(10);
  admission.leave(10);
  await turns[3];
  admission.leave(10);
  entering(admission, admitted, 'e');
  entering(admission, admitted, 'f');
  expect(admitted).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

it('a request whose client leaves gives up its place in the waiting room', async () => {
  const admission = new Admission(1, 10);
  const admitted: string[] = [];
  const leaving = new AbortController();
  entering(admission, admitted, 'a');
  const left = entering(admission, admitted, 'b', leaving.signal);
  const next = entering(admission, admitted, 'c');
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  admission.leave(10);
  await next;
  expect(admitted).toEqual(['a', 'c']);
});

it('expects a wait from how long requests take, and none beyond the waiting room', () => {
  // Those that still wait at the end would be refused later, while other tests run.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const admission = new Admission(2, 3);
  for (let count = 0; count < 2; count += 1) admission.enter(never);
  expect(admission.expectedMs).toBe(0);
  // A request that took long leaves its place to one that takes as long.
  for (let count = 0; count < 100; count += 1) {
    void admission.enter(never);
    admission.leave(1_000);
  }
  expect(admission.expectedMs).toBeCloseTo(500, -1);
  for (let count = 0; count < 2; count += 1) void admission.enter(never);
  expect(admission.expectedMs).toBeCloseTo(1_500, -1);
  void admission.enter(never);
  expect(admission.expectedMs).toBe(Number.POSITIVE_INFINITY);
});

it('refuses a request that has waited too long, and goes on with the others', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const admission = new Admission(1, 10);
  const admitted: string[] = [];
  entering(admission, admitted, 'a');
  const late = entering(admission, admitted, 'b');
  const refused = expect(late).rejects.toMatchObject({ code: 'overloaded' });
  vi.advanceTimersByTime(20_000);
  const next = entering(admission, admitted, 'c');
  vi.advanceTimersByTime(15_000);
  await refused;
  admission.leave(35_000);
  await next;
  await nextTurn();
  expect(admitted).toEqual(['a', 'c']);
});
