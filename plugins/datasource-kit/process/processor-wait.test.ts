import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it, vi } from 'vitest';
import { processorWaitMs } from './processor-wait.ts';

it.runIf(process.platform === 'linux')(
  'processes that share the processors wait for them, one that sleeps does not',
  async () => {
    const node = (script: string) => spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const sleeping = node(`setInterval(() => {}, 60_000); console.log('ready')`);
    await new Promise((resolve) => sleeping.stdout.once('data', resolve));
    const busy = Array.from({ length: 2 * availableParallelism() }, () => node('for (;;) {}'));
    const waited = () => busy.reduce((sum, { pid = 0 }) => sum + processorWaitMs(pid), 0);
    try {
      const before = processorWaitMs(sleeping.pid ?? 0);
      await vi.waitFor(() => expect(waited()).toBeGreaterThan(100), 30_000);
      expect(processorWaitMs(sleeping.pid ?? 0) - before).toBeLessThan(100);
    } finally {
      for (const one of [sleeping, ...busy]) one.kill('SIGKILL');
    }
  },
);

it('of a process that is gone, nothing is known', () => {
  expect(processorWaitMs(2 ** 30)).toBe(0);
});
