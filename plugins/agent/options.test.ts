import { expect, test } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from './index.ts';

test.each([
  [{}, 180_000],
  [{ stepTimeoutMs: 5_000 }, 180_000],
  [{ stepTimeoutMs: 600_000 }, 1_800_000],
  [{ stepTimeoutMs: 600_000, requestTimeoutMs: 60_000 }, 60_000],
])('with %j a question may take %i ms', async (options, expected) => {
  await using app = await createTestApp({ plugins: [testShop(), agent(options)] });
  expect(app.get(agent).requestTimeoutMs).toBe(expected);
});
