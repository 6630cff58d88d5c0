import { expect, it } from 'vitest';
import { rollServers } from './rolling.ts';
import { runScenario } from './scenario.ts';

const SIZE = { tasks: 60, approvals: 30, chaosMs: 12_000 };

it.each(['kills', 'outage', 'partition'] as const)(
  'nothing is lost or done twice: %s',
  { timeout: 300_000 },
  async (fault) => {
    const figures = await runScenario({ ...SIZE, fault });
    expect(figures).toMatchObject({
      exits: [],
      windowsWithOneEndedRun: SIZE.tasks,
      approved: SIZE.approvals,
      endedOnce: SIZE.approvals,
      overlaps: 0,
      leftOver: 0,
    });
  },
);

it('no request fails while each server is restarted twice', { timeout: 300_000 }, async () => {
  const { restarts, answered, streamed, resumed, failed, exits } = await rollServers(2);
  expect({ restarts, failed, exits }).toEqual({ restarts: 6, failed: [], exits: [] });
  expect(Math.min(answered, streamed)).toBeGreaterThan(20);
  expect(resumed).toBeGreaterThan(10);
});
