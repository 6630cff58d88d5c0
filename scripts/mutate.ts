/**
 * Plants small bugs into a plugin, one at a time, and counts those that its own tests find:
 * `npm run mutate -- audit`, or of a part `npm run mutate -- sql-guard/resolve`. Test files after it run in place of all
 * tests of the plugin.
 */
import { existsSync, globSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';

/** Share of planted bugs that the tests have to find. */
const REQUIRED_PERCENT = 85;

/** The folder of that name, and files whose names begin with it, in the plugin; never tests. */
function optionsOf(area: string, tests: readonly string[]): ConstructorParameters<typeof Stryker>[0] {
  const [plugin = ''] = area.split('/');
  const files = globSync([`plugins/${area}/**/*.ts`, `plugins/${area}*.ts`]);
  const mutate = files.filter((file) => !/\.(?:test|fixture|d)\.ts$|\/fixtures\//.test(file));
  if (plugin === '' || !existsSync(`plugins/${plugin}`) || mutate.length === 0) {
    throw new Error(`There is no plugin or part "${area}"; write it as "audit" or "sql-guard/resolve".`);
  }
  const folder = `.mutants/${area.replaceAll('/', '-')}`;
  return {
    mutate,
    // There is none to rewrite: Node strips the types, and TypeScript 7 has not the API that this would need.
    tsconfigFile: 'none',
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { pool: 'forks', related: false },
    testFiles: tests.length > 0 ? [...tests] : globSync(`plugins/${plugin}/**/*.test.ts`),
    coverageAnalysis: 'perTest',
    // What runs when a file is loaded, such as schemas and tables, would need all tests for each bug.
    ignoreStatic: true,
    concurrency: 1,
    timeoutMS: 20_000,
    reporters: ['progress-append-only', 'clear-text', 'json'],
    jsonReporter: { fileName: `${folder}.json` },
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
    tempDirName: folder,
    ignorePatterns: ['dist', '.atlas', '.mutants'],
    thresholds: { high: 100, low: REQUIRED_PERCENT, break: REQUIRED_PERCENT },
    allowEmpty: false,
  };
}

// One engine is enough to see whether a test notices.
process.env.ATLAS_TEST_ENGINE ??= 'sqlite';
const [area = '', ...tests] = process.argv.slice(2);
await new Stryker(optionsOf(area, tests)).runMutationTest();
