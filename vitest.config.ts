import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const source = (path: string) => new URL(path, import.meta.url).pathname;

/** Only `npm run test:all` has these: real processes, further engines, random and complete corpora. */
const PROCESS_TESTS = [
  '**/*.process.test.ts',
  'test/{chaos,clients,e2e,fuzz}/**/*.test.ts',
  '{examples,plugins/plugin-scaffold/templates}/**/*.test.ts',
];
const FAST_TESTS = ['{kernel,plugins,config,bin,test}/**/*.test.ts'];

/** A test that takes nothing from the folder `test` starts nothing, and shares its process with the next one. */
const STARTS_NOTHING = /^(?!.*(?:from|import\() ?'[^']*\/test\/|.*\bvi\.|.*node:child_process)/s;
const UNIT_TESTS = globSync('{kernel,plugins,config,bin}/**/*.test.ts', { exclude: PROCESS_TESTS }).filter((path) =>
  STARTS_NOTHING.test(readFileSync(path, 'utf8')),
);

/** A test that replaces a module, or changes the environment, has a process of its own. */
const CHANGES_PROCESS = /\bvi\.(?:(?:un|do)?mock|stubEnv|stubGlobal)\(|\bprocess\.env\.\w+ = /;
const MOCKING_TESTS = globSync(FAST_TESTS, { exclude: PROCESS_TESTS }).filter((path) =>
  CHANGES_PROCESS.test(readFileSync(path, 'utf8')),
);

const servers = {
  globalSetup: ['test/harness/shared-servers.ts'],
  setupFiles: ['test/harness/check-answers.ts', 'test/harness/quick-passwords.ts'],
};

export default defineConfig({
  // Examples import the package by its name; here that is the sources.
  resolve: {
    alias: [
      { find: /^atlas-query$/, replacement: source('index.ts') },
      { find: /^atlas-query\/testing$/, replacement: source('test/testing.ts') },
      { find: /^atlas-query\/plugins\/([\w-]+)$/, replacement: source('plugins/$1/index.ts') },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT_TESTS, isolate: false } },
      {
        extends: true,
        test: {
          name: 'app',
          include: FAST_TESTS,
          exclude: [...PROCESS_TESTS, ...UNIT_TESTS, ...MOCKING_TESTS],
          isolate: false,
          ...servers,
        },
      },
      { extends: true, test: { name: 'mocks', include: MOCKING_TESTS, ...servers } },
      {
        extends: true,
        test: { name: 'process', include: PROCESS_TESTS, exclude: ['**/node_modules/**'], ...servers },
      },
    ],
    // What is waited for comes late on a busy machine; only a failure takes this long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Tests start real servers, and changed files are noticed a moment later.
    retry: process.env.CI ? 1 : 0,
    pool: 'forks',
    // Much of the time a test waits for a server: with one file for each core, a quarter of the cores is idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
});
