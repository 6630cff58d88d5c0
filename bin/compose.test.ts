import { expect, it } from 'vitest';
import { composePreset } from './compose.ts';

it.each([
  [{}, 0],
  [{ SVC_LOG_LEVEL: 'debug' }, 0],
  [{ SVC_LOG_LEVEL: 'warn' }, 1],
  [{ SVC_LOG_LEVEL: 'error' }, 1],
  [{ SVC_LOG_LEVEL: 'error', DATABASE_URL: 'sqlite:atlas.db' }, 0],
])('%j: %i warnings that nothing is audited', (env, count) => {
  expect(composePreset(env).warnings.filter((line) => line.startsWith('Nothing is audited: '))).toHaveLength(count);
});
