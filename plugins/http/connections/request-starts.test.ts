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
  it('start a few in each turn, the essential ones before others, and neither keep the others out', async () => {
    const { seen, add } = createStarts();
    add(20, 'o');
    add(12, 'e');
    const [eight, four] = ['eeeeeeeeoooooooo', 'eeeeoooooooo'];
    for (let last = ''; seen.order.length < 32; last = seen.order) {
      await nextTurn();
      expect(['', eight, four, 'oooo']).toContain(seen.order.slice(last.length));
    }
    expect(seen.order).toBe(`${eight}${four}oooo`);
    add(1, 'o');
    await nextTurn();
    await nextTurn();
    expect(seen.order).toHaveLength(33);
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
    expect(await startedAfter(40)).toBe('e');
    expect(await startedAfter(15)).toBe('eooo');
  });

  it('do not wait for connections when they take up too many', async () => {
    const { seen, add } = createStarts();
    seen.mayWait = false;
    add(3, 'o');
    seen.connections += 1;
    await nextTurn();
    expect(seen.order).toBe('ooo');
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
