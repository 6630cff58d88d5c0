import { expect, it } from 'vitest';
import { privateBytes } from './private-memory.ts';

it.runIf(process.platform === 'linux')('grows with what a process takes for itself', () => {
  const before = privateBytes(process.pid);
  const taken = Buffer.alloc(50_000_000, 1);
  expect(privateBytes(process.pid) - before).toBeGreaterThan(taken.length * 0.9);
});

it('of a process that is gone, nothing is known', () => {
  expect(privateBytes(2 ** 30)).toBe(0);
});
