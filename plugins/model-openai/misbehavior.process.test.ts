/** Checks providers that misbehave: each question ends cleanly, nothing is left over, nothing is uncaught. */
import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { Draw, startMisbehavingServer } from '../../test/harness/openai-misbehavior.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { modelOpenai } from './index.ts';

const SEED = Number(process.env.ATLAS_TEST_SEED ?? 8);
const ANSWERS = 1_000;
const AT_ONCE = 40;
const CODES = [
  'provider_error',
  'provider_auth_error',
  'provider_model_not_found',
  'provider_rate_limit',
  'provider_timeout',
  'provider_unreachable',
  'request_cancelled',
];

const uncaught: unknown[] = [];
const remember = (error: unknown) => void uncaught.push(error);
beforeAll(() => {
  process.on('uncaughtException', remember);
  process.on('unhandledRejection', remember);
});
afterAll(() => {
  process.off('uncaughtException', remember);
  process.off('unhandledRejection', remember);
});

/** Asks one question in one of the ways there are, perhaps leaving early. Resolves to `answered` or the error's code. */
async function ask(app: TestApp, draw: Draw): Promise<string> {
  const question = { turns: [{ role: 'user', text: 'How many?' }], surface: 'api' } as const;
  const scope = app.scope();
  const [streaming, leaveAt] = [draw.chance(0.7), draw.chance(0.1) ? draw.below(8) : Number.POSITIVE_INFINITY];
  const timer = draw.chance(0.1) ? setTimeout(() => scope.abort(new Error('left')), draw.below(60)) : undefined;
  try {
    if (!streaming) await app.get(agent).answer(question, scope);
    else {
      let events = 0;
      for await (const event of app.get(agent).ask(question, scope)) {
        events += 1;
        JSON.stringify(event);
        if (events > leaveAt) break;
      }
    }
    return 'answered';
  } catch (error) {
    if (error instanceof AtlasError && CODES.includes(error.code)) return error.code;
    throw error;
  } finally {
    clearTimeout(timer);
    expect(getEventListeners(scope.signal, 'abort')).toHaveLength(0);
  }
}

test.each(['openai', 'openai-compatible'] as const)(
  `%s: ${ANSWERS} answers`,
  async (provider) => {
    const seed = SEED + (provider === 'openai' ? 0 : 1);
    await using server = await startMisbehavingServer(seed);
    const app = await createTestApp({
      plugins: [
        testShop(),
        // The breaker would answer most questions without a call.
        modelOpenai({ provider, apiKey: 'sk-test', baseUrl: server.url, maxRetries: 0, breakerFailures: 1_000 }),
        agent({ maxSteps: 4, stepTimeoutMs: 1_500 }),
      ],
    });
    const draw = new Draw(seed);
    const ends: Record<string, number> = {};
    const askOn = async () => {
      while (server.answers < ANSWERS) {
        const end = await ask(app, draw);
        ends[end] = (ends[end] ?? 0) + 1;
        // A breaker that opened on a busy machine refuses at once: the server must get its turn all the same.
        await nextTurn();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askOn));
    await app.close();
    // What was answered and what was not: neither may be missing, or the test has lost its point.
    expect(ends).toMatchObject({ answered: expect.any(Number), provider_error: expect.any(Number) });
    await expect.poll(() => server.connections).toBe(0);
    expect(uncaught, `seed ${seed}`).toEqual([]);
  },
  120_000,
);
