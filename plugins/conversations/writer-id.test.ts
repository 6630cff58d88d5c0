import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { isAtWork, writerId } from './writer-id.ts';

const ended = () => spawnSync(process.execPath, ['-e', '']).pid;
const writer = (host: string, pid: number, began: number) => JSON.stringify([host, pid, began]);
const HERE = hostname();

it('names this process', () => {
  expect(JSON.parse(writerId())).toEqual([HERE, process.pid, performance.timeOrigin, expect.any(String)]);
});

it.each([
  ['this process', writerId(), true],
  ['an earlier process of the same number', writer(HERE, process.pid, performance.timeOrigin - 1), false],
  ['another process of this host', writer(HERE, process.ppid, 0), true],
  // Process 1 belongs to another user unless the tests run as root; it is there either way.
  ['a process of another user', writer(HERE, 1, 0), true],
  ['a process that has ended', writer(HERE, ended(), 0), false],
  ['a process of another host', writer('elsewhere', ended(), 0), true],
  ['a process of another container', JSON.stringify([HERE, process.pid, 0, 'pid:[1]']), true],
])('%s may be at work for thirty seconds after its last sign: %s', (_, id, isThere) => {
  expect(isAtWork(id, 1_000, 1_000)).toBe(isThere);
  expect(isAtWork(id, 1_000, 31_000)).toBe(isThere);
  expect(isAtWork(id, 1_000, 31_001)).toBe(false);
});
