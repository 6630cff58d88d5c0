import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WaitingQueue } from './waiting-queue.ts';

const OPTIONS = { connection: 'shop', queueLimit: 10_000, acquireTimeoutMs: 10_000 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A queue that `waiting` entries wait in, after `departures` have left it, one every `everyMs`. */
function queueOf({ waiting, departures = 0, everyMs = 0, limit = OPTIONS.queueLimit }: Record<string, number>) {
  const queue = new WaitingQueue<number>({ ...OPTIONS, queueLimit: limit as number });
  for (let entry = 0; entry < (waiting as number) + departures; entry += 1) queue.add(entry);
  for (let left = 0; left < departures; left += 1) {
    vi.advanceTimersByTime(everyMs);
    queue.take();
  }
  return queue;
}

describe('a waiting queue', () => {
  it('serves in order, and forgets those that give up', () => {
    const queue = queueOf({ waiting: 4 });
    queue.remove(1);
    expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual([0, 2, 3, undefined]);
  });

  it('takes any number of short statements', () => {
    expect(() => queueOf({ waiting: 5_000, departures: 40, everyMs: 1 }).checkRoom(0)).not.toThrow();
  });

  it('refuses a statement that would wait too long, and says when to come back', () => {
    const queue = queueOf({ waiting: 30, departures: 10, everyMs: 500 });
    expect(() => queue.checkRoom(0)).toThrow(expect.objectContaining({ code: 'overloaded', retryAfterSeconds: 15 }));
    expect(() => queue.checkRoom(15)).not.toThrow();
  });

  it('judges by the latest departures', () => {
    const queue = queueOf({ waiting: 100, departures: 10, everyMs: 500 });
    expect(() => queue.checkRoom(0)).toThrow();
    for (let left = 0; left < 40; left += 1) {
      vi.advanceTimersByTime(1);
      queue.take();
    }
    expect(() => queue.checkRoom(0)).not.toThrow();
  });

  it('is patient with the first statements of a process', () => {
    expect(() => queueOf({ waiting: 1_000, departures: 10, everyMs: 50 }).checkRoom(0)).not.toThrow();
  });

  it('expects nothing before enough have left, nor from a queue that has emptied', () => {
    expect(() => queueOf({ waiting: 1_000, departures: 5, everyMs: 5_000 }).checkRoom(0)).not.toThrow();
    const queue = queueOf({ waiting: 0, departures: 20, everyMs: 5_000 });
    for (let entry = 0; entry < 100; entry += 1) queue.add(entry);
    expect(() => queue.checkRoom(0)).not.toThrow();
  });

  it('is bounded all the same', () => {
    const queue = queueOf({ waiting: 5, limit: 5 });
    expect(() => queue.checkRoom(0)).toThrow(expect.objectContaining({ code: 'overloaded', retryAfterSeconds: 1 }));
    expect(() => queue.checkRoom(1)).not.toThrow();
  });
});
