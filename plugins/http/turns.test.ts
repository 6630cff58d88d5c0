import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Turns } from './turns.ts';

afterEach(() => void vi.useRealTimers());

describe('turns', () => {
  it('start one request in each turn of the event loop, in order', async () => {
    const turns = new Turns();
    expect(turns.next()).toBeUndefined();
    const started: number[] = [];
    const waiting = [1, 2, 3].map((request) => turns.next()?.then(() => started.push(request)));
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
    expect(turns.next()).toBeUndefined();
  });

  it('refuse a request that has waited too long, and go on', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const turns = new Turns();
    turns.next();
    const late = expect(turns.next()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 });
    vi.advanceTimersByTime(40_000);
    const fresh = turns.next();
    await late;
    await fresh;
  });
});
