/** Prints the counts of the test runner's runs as one line, with the tests that failed or were skipped, and fails on either. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const paths = process.argv.slice(2);
if (paths.length === 0) throw new Error('usage: summary.ts <results.json>...');
const runs = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')));
const [passed, failed, pending, todo] = ['Passed', 'Failed', 'Pending', 'Todo'].map((state) =>
  runs.reduce((sum, run) => sum + run[`num${state}Tests`], 0),
);
const skipped = pending + todo;
for (const { name, assertionResults } of runs.flatMap(({ testResults }) => testResults)) {
  for (const { status, fullName } of assertionResults)
    if (status !== 'passed') console.log(`${status}: ${relative('.', name)} ${fullName}`);
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0 || skipped > 0 || runs.some((run) => run.numPassedTests === 0)) process.exit(1);
