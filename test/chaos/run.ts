/**
 * `npm run chaos -- [seconds]` (60): three servers on one PostgreSQL with 200 scheduled questions that come due and 100
 * actions that are approved, while servers are killed at random; then the same while PostgreSQL stops and starts.
 * Prints what became of them, and exits 1 when something was lost, done twice or left over.
 */
import { renderTable } from '../../plugins/cli/index.ts';
import { runScenario } from './scenario.ts';

const seconds = Number(process.argv[2] ?? 60);
const SIZE = { tasks: 200, approvals: 100 };
const killed = await runScenario({ ...SIZE, fault: 'kills', chaosMs: seconds * 1_000 });
const away = await runScenario({ ...SIZE, fault: 'outage', chaosMs: Math.min(seconds, 20) * 1_000 });

const rows = Object.keys(killed).map((name) => {
  const of = (figures: object) => String(Object.entries(figures).find(([key]) => key === name)?.[1]);
  return { figure: name, 'servers killed': of(killed), 'PostgreSQL away': of(away) };
});
const columns = ['figure', 'servers killed', 'PostgreSQL away'];
process.stdout.write(`${renderTable({ columns, rows }, { color: false })}\n`);
const isGood = [killed, away].every(
  ({ exits, windows, windowsWithOneEndedRun, approved, endedOnce, overlaps, leftOver }) =>
    exits.length === 0 &&
    windows === windowsWithOneEndedRun &&
    approved === SIZE.approvals &&
    endedOnce === approved &&
    overlaps === 0 &&
    leftOver === 0,
);
process.exitCode = isGood ? 0 : 1;
