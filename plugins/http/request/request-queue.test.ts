import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Arrivals } from '../connections/arrivals.ts';
import { RequestQueue } from './request-queue.ts';

afterEach(() => void vi.useRealTimers());

describe('turns', () => {
  it('start one request in each turn of the event loop, in order', async () => {
    const turns = new RequestQueue(new Arrivals(() => 0));
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

  it('let connections come in first, but not for ever', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let connections = 0;
    const turns = new RequestQueue(new Arrivals(() => connections));
    turns.enter();
    let started = 0;
    const waiting = [1, 2, 3].map(() => turns.enter()?.then(() => (started += 1)));
    const startedAfter = async (ms: number) => {
      for (let turn = 0; turn < ms; turn += 1) {
        connections += 1;
        await nextTurn();
        vi.advanceTimersByTime(1);
      }
      return started;
    };
    expect(await startedAfter(90)).toBe(0);
    // After a hundred milliseconds they go on for as long.
    expect(await startedAfter(15)).toBe(3);
    await Promise.all(waiting);
  });

  it('refuse a request that has waited too long, and go on', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const turns = new RequestQueue(new Arrivals(() => 0));
    turns.enter();
    const late = expect(turns.enter()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 });
    vi.advanceTimersByTime(40_000);
    const fresh = turns.enter();
    await late;
    await fresh;
  });
});
