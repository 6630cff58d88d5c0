import { expect, it } from 'vitest';
import { runScenario } from './scenario.ts';

const SIZE = { tasks: 60, approvals: 30, chaosMs: 12_000 };

it.each(['kills', 'outage'] as const)('nothing is lost or done twice: %s', { timeout: 300_000 }, async (fault) => {
  const figures = await runScenario({ ...SIZE, fault });
  expect(figures).toMatchObject({
    exits: [],
    windowsWithOneEndedRun: SIZE.tasks,
    approved: SIZE.approvals,
    endedOnce: SIZE.approvals,
    overlaps: 0,
    leftOver: 0,
  });
});
