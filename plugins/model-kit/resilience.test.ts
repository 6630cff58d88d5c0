/** Checks fallback and circuit breaker with real servers of the OpenAI protocol. */
import { expect, test } from 'vitest';
import { type AtlasError, definePlugin, healthCheck, type PluginEntry, type Question } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { createPostgresDatabase } from '../../test/harness/postgres-database.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import { agent, modelCalled, type QuestionEnded, questionEnded } from '../agent/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { modelOpenai, openaiModel } from '../model-openai/index.ts';
import { sharedLimits } from '../shared-limits/index.ts';

const question: Question = { turns: [{ role: 'user', text: 'How many orders?' }], surface: 'api' };
type Options = NonNullable<Parameters<typeof modelOpenai>[0]>;

/** Two servers: the first model's, and the fallback's unless `alone`. */
async function two(
  first: (n: number) => Step,
  options: Options = {},
  second: Step | null = { text: 'Second.' },
  more: PluginEntry[] = [],
) {
  const one = await startOpenAIServer({ respond: ({ n }) => first(n) });
  const other = await startOpenAIServer({ respond: () => second ?? { text: '' } });
  const fallback = openaiModel({ provider: 'openai', apiKey: 'sk-second', baseUrl: other.url, model: 'second' });
  const ended: QuestionEnded[] = [];
  const calledModels: string[] = [];
  const observer = definePlugin({
    name: 'observer',
    version: '1.0.0',
    type: 'interaction',
    description: 'Records which model answered.',
    setup(ctx) {
      ctx.on(modelCalled, ({ model }) => void calledModels.push(model.modelId));
      ctx.on(questionEnded, (question) => void ended.push(question));
    },
  });
  const app = await createTestApp({
    plugins: [
      testShop(),
      observer(),
      modelOpenai({
        provider: 'openai-compatible',
        baseUrl: one.url,
        model: 'first',
        maxRetries: 0,
        ...(second !== null && { fallback }),
        ...options,
      }),
      agent(),
      ...more,
    ],
  });
  return {
    calledModels,
    notes: () => ended.at(-1)?.answer?.notes,
    app,
    one,
    other,
    ask: () =>
      app
        .get(agent)
        .answer(question, app.scope())
        .then(
          ({ text }) => text,
          (error: AtlasError) => error,
        ),
    async read() {
      let text = '';
      for await (const event of app.get(agent).ask(question, app.scope()))
        if (event.type === 'text') text += event.text;
      return text;
    },
    health: async () =>
      (await app.call(healthCheck, undefined, app.scope())).find(({ value }) => value.component === 'provider')?.value,
    async [Symbol.asyncDispose]() {
      await app.close();
      await one.close();
      await other.close();
    },
  };
}

test.each<[string, Step]>([
  ['a failure', { status: 500 }],
  ['a refused key', { status: 401 }],
  ['a model that is gone', { status: 404 }],
  ['a rate limit', { status: 429, headers: { 'retry-after': '60' } }],
  ['a page', { garbage: 'not-json' }],
  ['silence', { stall: true }],
  ['an error before the first word', { text: '', streamError: { message: 'overloaded', type: 'server_error' } }],
])('after %s the fallback answers, streamed or not', async (_, step) => {
  await using both = await two(() => step, { fallbackAfterMs: 300 });
  expect(await both.read()).toBe('Second.');
  if (step.streamError === undefined) expect(await both.ask()).toBe('Second.');
  expect(both.calledModels.slice(-1)).toEqual(['second']);
  expect(both.notes()).toMatchObject([{ code: 'fallback_model', message: expect.stringContaining('"second"') }]);
  expect(await both.health()).toMatchObject({
    status: 'degraded',
    details: { provider: 'openai-compatible', model: 'first', fallback: { provider: 'openai', model: 'second' } },
  });
  expect(JSON.stringify(both.app.lines)).not.toContain('sk-second');
});

test('the fallback is not asked once the first model has begun, nor while it works', async () => {
  await using both = await two((n) => (n === 0 ? { text: 'First.' } : { text: 'one two three four', garbage: 'cut' }));
  expect(await both.ask()).toBe('First.');
  await expect(both.read()).rejects.toMatchObject({ code: 'provider_error' });
  expect(both.other.requests).toHaveLength(0);
  expect(await both.health()).toMatchObject({ status: 'degraded' });
});

test('when both fail, the first failure is told and the second named', async () => {
  await using both = await two(() => ({ status: 401 }), {}, { status: 500 });
  const error = (await both.ask()) as AtlasError;
  expect(error).toMatchObject({ code: 'provider_auth_error', message: expect.stringContaining('"openai"') });
  expect(await both.health()).toMatchObject({ status: 'error' });
});

test('a provider that keeps failing is left alone, tried once, and used again', async () => {
  const openMs = 1_000;
  let down = true;
  await using both = await two(
    () => (down ? { status: 503 } : { text: 'First.' }),
    { breakerFailures: 3, breakerOpenMs: openMs },
    null,
  );
  for (let n = 0; n < 3; n += 1) expect(await both.ask()).toMatchObject({ code: 'provider_error' });
  const refused = (await both.ask()) as AtlasError;
  expect(refused).toMatchObject({ code: 'provider_error', reason: 'E_MODEL_CIRCUIT_OPEN', retryAfterSeconds: 1 });
  expect(both.one.requests).toHaveLength(3);
  expect(await both.health()).toMatchObject({ status: 'error', details: { circuitBreaker: 'open' } });

  await new Promise((resolve) => setTimeout(resolve, openMs));
  expect(await both.health()).toMatchObject({ details: { circuitBreaker: 'half-open' } });
  // One call is the probe; the others are refused meanwhile.
  expect((await Promise.all([both.ask(), both.ask()])).map((end) => (end as AtlasError).reason)).toEqual(
    expect.arrayContaining(['E_MODEL', 'E_MODEL_CIRCUIT_OPEN']),
  );
  expect(both.one.requests).toHaveLength(4);

  down = false;
  await new Promise((resolve) => setTimeout(resolve, openMs));
  expect(await both.ask()).toBe('First.');
  expect(await both.health()).toMatchObject({ status: 'ok', details: { circuitBreaker: 'closed' } });
});

test('with an open breaker the fallback is asked at once', async () => {
  await using both = await two(() => ({ status: 503 }), { breakerFailures: 1, breakerOpenMs: 60_000 });
  for (let n = 0; n < 3; n += 1) expect(await both.ask()).toBe('Second.');
  expect(both.one.requests).toHaveLength(1);
  expect(both.other.requests).toHaveLength(3);
});

test('a wrong request does not open it', async () => {
  await using both = await two(() => ({ status: 400 }), { breakerFailures: 1 }, null);
  for (let n = 0; n < 3; n += 1) await both.ask();
  expect(both.one.requests).toHaveLength(3);
});

test('settings of every call are sent', async () => {
  const options: Options = {
    temperature: 0.5,
    reasoning: 'low',
    headers: { 'x-team': 'data' },
    body: { top_k: 7 },
  };
  await using both = await two(() => ({ text: 'First.' }), options, null);
  await both.ask();
  expect(both.one.requests[0]?.body).toMatchObject({ temperature: 0.5, reasoning_effort: 'low', top_k: 7 });
  expect(both.one.requests[0]?.headers['x-team']).toBe('data');
});

test('a provider that refuses the calls of one server is asked by no other', async () => {
  const url = await createPostgresDatabase();
  const shared = [internalDb({ url }), sharedLimits()];
  const options = { breakerFailures: 3, breakerOpenMs: 60_000 };
  await using one = await two(() => ({ status: 503 }), options, null, shared);
  await using other = await two(() => ({ text: 'First.' }), options, null, shared);
  for (let n = 0; n < 3; n += 1) expect(await one.ask()).toMatchObject({ reason: 'E_MODEL' });
  await expect.poll(() => isRefusing(other.app)).toBe(true);
  const refused = (await Promise.all([one.ask(), other.ask()])) as AtlasError[];
  expect(refused).toMatchObject([{ reason: 'E_MODEL_CIRCUIT_OPEN' }, { reason: 'E_MODEL_CIRCUIT_OPEN' }]);
  const [here = 0, there = 0] = refused.map(({ retryAfterSeconds }) => retryAfterSeconds);
  expect(Math.abs(here - there)).toBeLessThanOrEqual(1);
  const message = 'The model provider "openai-compatible" answers other servers with errors.';
  expect(refused[1]?.message).toBe(`${message} Atlas stopped calling it for now.`);
  expect(await other.health()).toMatchObject({ status: 'error', message, details: { circuitBreaker: 'open' } });
  expect(other.one.requests).toHaveLength(0);
});

test('requests that are too large for a rate limit stop nobody else', async () => {
  const said = 'Request too large for first on tokens per min (TPM): Limit 30000, Requested 46787.';
  const tooLarge: Step = {
    status: 429,
    body: { error: { message: said, type: 'tokens', code: 'rate_limit_exceeded' } },
  };
  await using both = await two((n) => (n < 4 ? tooLarge : { text: 'First.' }), { breakerFailures: 3 }, null);
  for (let n = 0; n < 4; n += 1)
    expect(await both.ask()).toMatchObject({ code: 'provider_rate_limit', reason: 'E_MODEL' });
  expect(await both.ask()).toBe('First.');
});

test('one call of one server is tried then, and its answer lets all ask again', async () => {
  const url = await createPostgresDatabase();
  const shared = [internalDb({ url }), sharedLimits()];
  const options = { breakerFailures: 1, breakerOpenMs: 2_000 };
  const first = (n: number) => (n === 0 ? { status: 429 } : { text: 'First.', afterMs: 500 });
  await using one = await two(first, options, null, shared);
  await using other = await two((n) => first(n + 1), options, null, shared);
  await one.ask();
  await expect.poll(() => isRefusing(other.app)).toBe(true);
  const ended: unknown[] = [];
  while (!ended.includes('First.')) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    ended.push(...(await Promise.all([one, other, one, other, one, other].map((server) => server.ask()))));
  }
  expect(ended.filter((end) => end === 'First.')).toHaveLength(1);
  expect(one.one.requests.length + other.one.requests.length).toBe(2);
  for (const server of [one, other]) await expect.poll(() => server.ask()).toBe('First.');
});

/** Whether servers know that the provider refuses calls. */
async function isRefusing(app: TestApp): Promise<boolean> {
  const attempts = app.get(sharedLimits).attempts('model-kit.circuit-breakers');
  return (await attempts.count([], 'openai-compatible first first')).isRemembered;
}

test('a provider that one server cannot reach is asked by others, of which two failures are enough', async () => {
  const url = await createPostgresDatabase();
  const shared = [internalDb({ url }), sharedLimits()];
  const options = { breakerFailures: 5, breakerOpenMs: 60_000 };
  const cut = { text: 'One two three.', garbage: 'cut' } as const;
  await using one = await two(() => cut, options, null, shared);
  await using other = await two((n) => (n === 3 ? { text: 'First.' } : cut), options, null, shared);
  for (let n = 0; n < 4; n += 1) await one.ask();
  for (let n = 0; n < 3; n += 1) await other.ask();
  expect(other.one.requests).toHaveLength(3);
  await one.ask();
  expect(await one.ask()).toMatchObject({ reason: 'E_MODEL_CIRCUIT_OPEN' });
  // What it can reach itself it goes on asking.
  expect(await other.ask()).toBe('First.');
  await other.ask();
  await expect.poll(() => other.ask()).toMatchObject({ reason: 'E_MODEL_CIRCUIT_OPEN' });
  expect(other.one.requests.length).toBeLessThan(8);
});
