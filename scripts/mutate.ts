/**
 * Plants small bugs into a plugin, one at a time, and counts those that its own tests find:
 * `npm run mutate -- audit`, or of a part `npm run mutate -- sql-guard/resolve`. Test files after it run in place of all
 * tests of the plugin.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';

/** Only this command uses them: they are installed beside the others, and are no dependencies of the project. */
const PACKAGES = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1'];

/** Share of planted bugs that the tests have to find. */
const REQUIRED_PERCENT = 85;

/** The folder of that name, and files whose names begin with it, in the plugin; never tests. */
function optionsOf(area: string, tests: readonly string[]) {
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

const [area = '', ...tests] = process.argv.slice(2);
const options = optionsOf(area, tests);
if (!existsSync('node_modules/@stryker-mutator/vitest-runner')) {
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...PACKAGES], { stdio: 'inherit' });
}
mkdirSync('.mutants', { recursive: true });
const file = `${options.tempDirName}.config.json`;
writeFileSync(file, JSON.stringify(options));
execFileSync('npx', ['stryker', 'run', file], { stdio: 'inherit' });
