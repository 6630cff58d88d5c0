/** Prints the counts of the test runner's runs as one line, and fails on a failure or a skip. */
import { readFileSync } from 'node:fs';

const paths = process.argv.slice(2);
if (paths.length === 0) throw new Error('usage: summary.ts <results.json>...');
const runs = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')));
const [passed, failed, pending, todo] = ['Passed', 'Failed', 'Pending', 'Todo'].map((state) =>
  runs.reduce((sum, run) => sum + run[`num${state}Tests`], 0),
);
const skipped = pending + todo;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0 || skipped > 0 || runs.some((run) => run.numPassedTests === 0)) process.exit(1);
