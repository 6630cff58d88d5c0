import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { privateBytes } from './private-memory.ts';

it.runIf(process.platform === 'linux')('is what a process takes for itself', async () => {
  const script = 'const taken = Buffer.alloc(200_000_000, 1); console.log(1); setInterval(() => taken, 1_000);';
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const taken = privateBytes(child.pid!);
  child.kill();
  expect(taken).toBeGreaterThan(200_000_000);
  expect(taken).toBeLessThan(300_000_000);
});

it('of a process that is gone, nothing is known', () => {
  expect(privateBytes(2 ** 30)).toBe(0);
});
