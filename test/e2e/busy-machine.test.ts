/** A server on a machine whose processors are busy with other programs. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { emptyFolder, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';

it('refuses nobody', async () => {
  using folder = emptyFolder();
  createFleet(folder.path);
  await using server = await serve({ cwd: folder.path, env: { ...FLEET, SVC_LOG_LEVEL: 'error' } });
  const loops = Array.from({ length: 2 * availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  try {
    const statuses: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      const response = await fetch(`${server.url}/api/v1/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question: 'What is the boat count?' }),
      });
      statuses.push(response.status);
      await response.text();
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}, 60_000);
