import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{kernel,plugins,config,bin,test,examples}/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes late on a busy machine; only a failure takes this long.
    expect: { poll: { timeout: 15_000 } },
    // Tests start real servers: a free port may be taken first, and changed files are noticed a moment later.
    retry: process.env.CI ? 1 : 0,
    // Each file in a process of its own: databases, children and servers of one test never meet another's.
    pool: 'forks',
  },
});
