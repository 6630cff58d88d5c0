/** Prints the test runner's counts as one line, and fails on a failure or a skip. */
import { readFileSync } from 'node:fs';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: summary.ts <results.json>');
const results = JSON.parse(readFileSync(path, 'utf8'));
const skipped = results.numPendingTests + results.numTodoTests;
console.log(`${results.numPassedTests} passed, ${results.numFailedTests} failed, ${skipped} skipped`);
if (results.numFailedTests > 0 || skipped > 0 || results.numPassedTests === 0) process.exit(1);
