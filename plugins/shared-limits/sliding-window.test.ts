import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindow } from './sliding-window.ts';

const windowMs = 60_000;

it('agrees with counting by hand', () => {
  const event = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    afterMs: fc.constantFrom(0, 1, 999, 20_000, 59_999, 60_000),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(event, { maxLength: 60 }), (limit, events) => {
      const windows = new SlidingWindow({ limit, windowMs, maxKeys: 10 });
      const passed: { key: string; at: number }[] = [];
      let now = 0;
      for (const { key, afterMs } of events) {
        now += afterMs;
        const inside = passed.filter((one) => one.key === key && one.at > now - windowMs);
        const waitMs = windows.take(key, now);
        expect(waitMs).toBe(inside.length < limit ? 0 : (inside[0]?.at ?? 0) + windowMs - now);
        if (waitMs === 0) passed.push({ key, at: now });
      }
    }),
  );
});

it('agrees with counting by hand when other servers have let requests pass, too', () => {
  const event = fc.record({
    from: fc.constantFrom('here', 'there'),
    count: fc.integer({ min: 1, max: 3 }),
    afterMs: fc.constantFrom(0, 1, 999, 20_000, 59_999, 60_000),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(event, { maxLength: 60 }), (limit, events) => {
      const windows = new SlidingWindow({ limit, windowMs, maxKeys: 10 });
      // Others are known of once the key has been used here.
      expect(windows.take('a', 0)).toBe(0);
      const here = [0];
      const there: number[] = [];
      let now = 0;
      for (const { from, count, afterMs } of events) {
        now += afterMs;
        if (from === 'there') {
          for (let at = 0; at < count; at += 1) there.push(now);
          windows.learn(
            'a',
            [...Map.groupBy(there, (at) => at)].map(([atMs, all]) => ({ atMs, count: all.length })),
          );
          continue;
        }
        const inside = [...here, ...there].filter((at) => at > now - windowMs).toSorted((a, b) => a - b);
        const waitMs = windows.take('a', now);
        expect(waitMs).toBe(inside.length < limit ? 0 : (inside[inside.length - limit] ?? 0) + windowMs - now);
        if (waitMs === 0) here.push(now);
      }
      const parts = windows.counts('a', 30, now);
      const partOf = (at: number) => Math.floor((now - at) / (windowMs / 30));
      expect(parts).toEqual(Array.from({ length: 30 }, (_, part) => here.filter((at) => partOf(at) === part).length));
    }),
  );
});

describe('with more keys than there is room for', () => {
  it('a busy key is not reset by a flood of others', () => {
    const windows = new SlidingWindow({ limit: 5, windowMs, maxKeys: 1_000 });
    for (let at = 0; at < 5; at += 1) expect(windows.take('busy', at)).toBe(0);
    let passed = 0;
    for (let at = 0; at < 50_000; at += 1) {
      windows.take(`flood-${at}`, 100 + at / 1_000);
      if (at % 100 === 0 && windows.take('busy', 100 + at / 1_000) === 0) passed += 1;
    }
    expect([passed, windows.size]).toEqual([0, 1_000]);
  });

  it('nor when it lies low meanwhile', () => {
    const windows = new SlidingWindow({ limit: 50, windowMs, maxKeys: 1_000 });
    for (let at = 0; at < 50; at += 1) windows.take('busy', at);
    for (let at = 0; at < 20_000; at += 1) windows.take(`flood-${at}`, 100 + at / 1_000);
    expect(windows.take('busy', 200)).toBeGreaterThan(0);
  });

  it('a newcomer pays only for the quiet one it follows', () => {
    const windows = new SlidingWindow({ limit: 60, windowMs, maxKeys: 1_000 });
    for (let at = 0; at < 1_000; at += 1) windows.take(`flood-${at}`, at);
    let passed = 0;
    while (windows.take('new', 1_000) === 0) passed += 1;
    expect(passed).toBe(59);
  });

  it('all together get no more than as many windows as there are', () => {
    const [limit, maxKeys] = [3, 20];
    const windows = new SlidingWindow({ limit, windowMs, maxKeys });
    let passed = 0;
    for (let at = 0; at < 5_000; at += 1) if (windows.take(`k-${(at * 7_919) % 500}`, at) === 0) passed += 1;
    expect(passed).toBeLessThanOrEqual(limit * maxKeys);
    // Once the window is over all keys are admitted again.
    expect(windows.take('k-1', 5_000 + windowMs)).toBe(0);
  });
});

it('lets go of keys that have gone quiet', () => {
  const windows = new SlidingWindow({ limit: 5, windowMs, maxKeys: 100_000 });
  for (let at = 0; at < 10_000; at += 1) windows.take(`k-${at}`, 0);
  for (let at = 0; at < 6_000; at += 1) windows.take('one', windowMs);
  expect(windows.size).toBe(1);
});

it('keeps some of very many keys in little memory', { timeout: 120_000 }, () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 1_048_576;
  };
  const before = heap();
  const windows = new SlidingWindow({ limit: 60, windowMs, maxKeys: 50_000 });
  for (let at = 0; at < 200_000; at += 1) windows.take(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, at / 100);
  expect(heap() - before).toBeLessThan(32);
  expect(windows.size).toBe(50_000);
});
