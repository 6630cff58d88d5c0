import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const source = (path: string) => new URL(path, import.meta.url).pathname;

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
    setupFiles: ['test/harness/check-answers.ts', 'test/harness/quick-passwords.ts'],
    include: ['{kernel,plugins,config,bin,test,examples}/**/*.test.ts'],
    // What is waited for comes late on a busy machine; only a failure takes this long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    // Tests start real servers, and changed files are noticed a moment later.
    retry: process.env.CI ? 1 : 0,
    // Each file runs in a separate process: databases, children and servers of one test never meet another's.
    pool: 'forks',
    // Much of the time a test waits for a server: with one file for each core, a quarter of the cores is idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
});
