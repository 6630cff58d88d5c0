/**
 * `npm run chaos -- [seconds]` (60): three servers on one PostgreSQL with 200 scheduled questions that come due and 100
 * actions that are approved, while servers are killed at random; then the same while PostgreSQL stops and starts, while it hangs,
 * and while one of the servers cannot reach it. Prints what became of them, and exits 1 when something was lost, done twice
 * or left over. `npm run chaos -- rolling` restarts each of the three twice under load, and exits 1 when a request failed.
 */
import { renderTable } from '../../plugins/cli/index.ts';
import { rollServers } from './rolling.ts';
import { type Figures, runScenario } from './scenario.ts';

if (process.argv[2] === 'rolling') {
  const { failed, exits, ...counts } = await rollServers(2);
  const lines = [
    JSON.stringify({ ...counts, failed: failed.length }),
    ...failed,
    ...exits.map((exit) => `A server ended with ${exit}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exit(failed.length + exits.length === 0 ? 0 : 1);
}
const seconds = Number(process.argv[2] ?? 60);
const SIZE = { tasks: 200, approvals: 100 };
const shortMs = Math.min(seconds, 20) * 1_000;
const results = {
  'servers killed': await runScenario({ ...SIZE, fault: 'kills', chaosMs: seconds * 1_000 }),
  'PostgreSQL stopped': await runScenario({ ...SIZE, fault: 'outage', chaosMs: shortMs }),
  'PostgreSQL hung': await runScenario({ ...SIZE, fault: 'hang', chaosMs: shortMs }),
  'one server cut off': await runScenario({ ...SIZE, fault: 'partition', chaosMs: shortMs }),
};

const names = Object.keys(results['servers killed']) as (keyof Figures)[];
const rows = names.map((figure) => ({
  figure,
  ...Object.fromEntries(Object.entries(results).map(([fault, figures]) => [fault, String(figures[figure])])),
}));
process.stdout.write(`${renderTable({ columns: ['figure', ...Object.keys(results)], rows }, { color: false })}\n`);
const isGood = Object.values(results).every(
  ({ exits, windows, windowsWithOneEndedRun, approved, endedOnce, overlaps, leftOver }) =>
    exits.length === 0 &&
    windows === windowsWithOneEndedRun &&
    approved === SIZE.approvals &&
    endedOnce === approved &&
    overlaps === 0 &&
    leftOver === 0,
);
process.exitCode = isGood ? 0 : 1;
