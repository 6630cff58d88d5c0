import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Arrivals } from './arrivals.ts';
import { RequestStarts } from './request-starts.ts';

afterEach(() => void vi.useRealTimers());

/** `order` holds an `e` for each essential request that has started, and an `o` for each of the others. */
function createStarts() {
  const seen = {
    connections: 0,
    order: '',
    mayWait: true,
    /** What each start takes. */
    startMs: 0,
    /** Those that are started in the next turn in which any is. */
    async next() {
      const { order } = seen;
      while (seen.order === order) await nextTurn();
      return seen.order.slice(order.length);
    },
  };
  const starts = new RequestStarts(new Arrivals(() => seen.connections), () => seen.mayWait);
  const add = (count: number, kind: 'e' | 'o') => {
    for (let n = 0; n < count; n += 1)
      starts.add(() => {
        seen.order += kind;
        if (vi.isFakeTimers()) vi.advanceTimersByTime(seen.startMs);
      }, kind === 'e');
  };
  return { seen, starts, add };
}

describe('requests that come together', () => {
  it('start a few in each turn, the essential ones at once, and neither keep the others out', async () => {
    const { seen, add } = createStarts();
    add(40, 'o');
    add(20, 'e');
    expect(seen.order).toBe('eeeeeeee');
    // The first ones start by twos and fours.
    expect(await seen.next()).toBe('eeeeeeeeoo');
    expect(await seen.next()).toBe('eeeeoooo');
    expect(await seen.next()).toBe('oooooooo');
    add(9, 'e');
    expect(seen.order).toHaveLength(8 + 10 + 8 + 8 + 8);
    expect(await seen.next()).toBe('eoooooooo');
    while (seen.order.length < 69) await seen.next();
    await nextTurn();
    add(8, 'e');
    await nextTurn();
    add(8, 'e');
    expect(seen.order).toHaveLength(85);
  });

  it('start by fewer while what they begin with takes long', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { seen, add } = createStarts();
    add(60, 'o');
    expect(await seen.next()).toHaveLength(2);
    expect(await seen.next()).toHaveLength(4);
    seen.startMs = 1;
    expect(await seen.next()).toHaveLength(8);
    seen.startMs = 4;
    expect(await seen.next()).toHaveLength(4);
    expect(await seen.next()).toHaveLength(2);
    expect(await seen.next()).toHaveLength(2);
    seen.startMs = 0;
    expect(await seen.next()).toHaveLength(2);
    // Others take the time.
    vi.advanceTimersByTime(100);
    expect(await seen.next()).toHaveLength(4);
    vi.advanceTimersByTime(100);
    expect(await seen.next()).toHaveLength(8);
  });

  it('of the essential ones none overtakes another', async () => {
    const { starts } = createStarts();
    const order: number[] = [];
    const add = (id: number) => starts.add(() => void order.push(id), true);
    for (let id = 0; id < 24; id += 1) add(id);
    const { length } = order;
    while (order.length === length) await nextTurn();
    for (let id = 24; id < 40; id += 1) add(id);
    while (order.length < 40) await nextTurn();
    expect(order).toEqual(Array.from({ length: 40 }, (_, id) => id));
  });

  it('let further connections come in first, but the essential ones do not wait', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { seen, add } = createStarts();
    add(3, 'o');
    const startedAfter = async (ms: number) => {
      for (let turn = 0; turn < ms; turn += 1) {
        seen.connections += 1;
        await nextTurn();
        vi.advanceTimersByTime(1);
      }
      return seen.order;
    };
    expect(await startedAfter(50)).toBe('');
    add(1, 'e');
    expect(seen.order).toBe('e');
    expect(await startedAfter(40)).toBe('e');
    expect(await startedAfter(15)).toBe('eooo');
  });

  it('do not wait for connections when they take up too many', async () => {
    const { seen, add } = createStarts();
    seen.mayWait = false;
    add(2, 'o');
    seen.connections += 1;
    await nextTurn();
    expect(seen.order).toBe('oo');
  });

  it('all start at once when the server stops', () => {
    const { seen, starts, add } = createStarts();
    add(100, 'o');
    starts.stop();
    expect(seen.order).toHaveLength(100);
    add(1, 'o');
    expect(seen.order).toHaveLength(101);
  });
});
