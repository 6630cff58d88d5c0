import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RequestQueue } from './request-queue.ts';

afterEach(() => void vi.useRealTimers());

describe('turns', () => {
  it('start one request in each turn of the event loop, in order', async () => {
    const turns = new RequestQueue();
    expect(turns.enter()).toBeUndefined();
    const started: number[] = [];
    const waiting = [1, 2, 3].map((request) => turns.enter()?.then(() => started.push(request)));
    const atEachTurn: number[] = [];
    while (started.length < 3) {
      atEachTurn.push(started.length);
      await nextTurn();
    }
    await Promise.all(waiting);
    expect(started).toEqual([1, 2, 3]);
    // Never two between one look and the next.
    expect(atEachTurn.every((count, at) => count - (atEachTurn[at - 1] ?? 0) <= 1)).toBe(true);
    await nextTurn();
    expect(turns.enter()).toBeUndefined();
  });

  it('refuse a request that has waited too long, and go on', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const turns = new RequestQueue();
    turns.enter();
    const late = expect(turns.enter()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 });
    vi.advanceTimersByTime(40_000);
    const fresh = turns.enter();
    await late;
    await fresh;
  });
});
