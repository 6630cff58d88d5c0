import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Arrivals } from './arrivals.ts';
import { RequestStarts } from './request-starts.ts';

afterEach(() => void vi.useRealTimers());

/** `order` holds an `e` for each essential request that has started, and an `o` for each of the others. */
function createStarts() {
  const seen = { connections: 0, order: '', mayWait: true };
  const starts = new RequestStarts(new Arrivals(() => seen.connections), () => seen.mayWait);
  const add = (count: number, kind: 'e' | 'o') => {
    for (let n = 0; n < count; n += 1) starts.add(() => (seen.order += kind), kind === 'e');
  };
  return { seen, starts, add };
}

describe('requests that come together', () => {
  it('start a few in each turn, the essential ones at once, and neither keep the others out', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { seen, add } = createStarts();
    add(40, 'o');
    add(20, 'e');
    const eight = 'eeeeeeee';
    expect(seen.order).toBe(eight);
    let last = eight;
    /** What is started in the next turn in which something is, which takes `ms`. */
    const pass = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      while (seen.order === last) await nextTurn();
      const started = seen.order.slice(last.length);
      last = seen.order;
      return started;
    };
    expect(await pass(5)).toBe(`${eight}oooo`);
    expect(await pass(5)).toBe('eeeeoooooooo');
    expect(await pass(5)).toBe('oooooooo');
    // Fewer while turns are long.
    expect(await pass(20)).toBe('oooo');
    expect(await pass(20)).toBe('oo');
    expect(await pass(20)).toBe('oo');
    expect(await pass(5)).toBe('oooo');
    expect(await pass(5)).toBe('oooooooo');
    expect(seen.order).toHaveLength(60);
    add(1, 'o');
    expect(await pass(5)).toBe('o');
    await nextTurn();
    add(9, 'e');
    expect(seen.order).toHaveLength(69);
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
