import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The contract kits start and stop the plugin many times.
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000 },
});
