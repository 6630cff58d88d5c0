import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AtlasError, healthCheck, messagesOf, type Question } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import type { Step } from '../../test/harness/openai-server.ts';
import { callSql, type ScriptedApp, scriptedApp, testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { modelOpenai } from './index.ts';

const question: Question = { turns: [{ role: 'user', text: 'How many orders?' }], surface: 'api' };
const KEY = 'sk-very-secret';

async function failureOf({ app }: Pick<ScriptedApp, 'app'>, streaming: boolean): Promise<AtlasError> {
  const running = streaming
    ? (async () => {
        for await (const _ of app.get(agent).ask(question, app.scope()));
      })()
    : app.get(agent).answer(question, app.scope());
  const error: unknown = await running.then(
    () => new Error('It answered.'),
    (failure: unknown) => failure,
  );
  if (!(error instanceof AtlasError)) throw error;
  return error;
}

const health = async ({ app }: Pick<ScriptedApp, 'app'>) => {
  const items = await app.call(healthCheck, undefined, app.scope());
  return items.map(({ value }) => value).find(({ component }) => component === 'provider');
};

const FAILURES: [name: string, { step: Step; code: string; more?: object }][] = [
  ['401', { step: { status: 401 }, code: 'provider_auth_error' }],
  ['403', { step: { status: 403, body: 'no' }, code: 'provider_auth_error' }],
  ['404', { step: { status: 404 }, code: 'provider_model_not_found' }],
  [
    '429',
    {
      step: { status: 429, headers: { 'retry-after': '17' } },
      code: 'provider_rate_limit',
      more: { retryAfterSeconds: 17 },
    },
  ],
  [
    '429 without a time',
    {
      step: { status: 429, headers: { 'retry-after': '' } },
      code: 'provider_rate_limit',
      more: { retryAfterSeconds: 10 },
    },
  ],
  ['500', { step: { status: 500 }, code: 'provider_error' }],
  ['500 with a page', { step: { status: 500, body: '<h1>stack of the server</h1>' }, code: 'provider_error' }],
  ['504', { step: { status: 504, body: '' }, code: 'provider_timeout' }],
  [
    'too long',
    {
      step: { status: 400, body: { error: { message: 'bad', type: 'x', code: 'context_length_exceeded' } } },
      code: 'provider_error',
      more: { message: expect.stringContaining('longer than the model') },
    },
  ],
  [
    'redirect',
    { step: { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, code: 'provider_error' },
  ],
  ['a page with 200', { step: { garbage: 'not-json' }, code: 'provider_error' }],
];

describe.each(['openai', 'openai-compatible'] as const)('%s', (provider) => {
  const model = { provider, apiKey: KEY };

  test.each(FAILURES)('%s', async (_, { step, code, more }) => {
    await using scripted = await scriptedApp(() => step, { model });
    for (const streaming of [true, false]) {
      const error = await failureOf(scripted, streaming);
      expect(error).toMatchObject({ code, ...more });
      const shown = `${error.message} ${error.hint}`;
      expect(shown).not.toContain('stack of the server');
      expect(shown).not.toContain('sk-');
      expect(shown).not.toContain('127.0.0.1');
    }
    expect(await health(scripted)).toMatchObject({ status: 'error', details: { provider, model: 'scripted' } });
    expect(JSON.stringify(scripted.app.lines)).not.toContain(KEY);
  });

  test('a key that the provider repeats stands in no log line, whatever it looks like', async () => {
    const apiKey = 'swordfish.opal.42';
    const echo = { message: `Incorrect API key provided: ${apiKey}.`, type: apiKey, code: apiKey };
    const steps: Step[] = [
      { status: 401, body: { error: echo } },
      { status: 500, body: `no: ${apiKey}` },
      { text: 'x', streamError: echo },
    ];
    for (const step of steps) {
      await using scripted = await scriptedApp(() => step, { model: { provider, apiKey } });
      for (const streaming of step.streamError === undefined ? [true, false] : [true]) {
        // As the log writes it, with its causes and at the level debug with their stacks.
        const failure = await failureOf(scripted, streaming);
        const told = [messagesOf(failure), failure.stack, (failure.cause as Error).stack, await health(scripted)];
        expect(inspect([told, scripted.app.lines], { depth: 20 })).not.toContain(apiKey);
      }
      expect(scripted.server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
      expect(scripted.app.lines.length).toBeGreaterThan(0);
    }
  });

  test('an error inside a stream', async () => {
    for (const text of ['', 'Some text first']) {
      const streamError = { message: 'overloaded', type: 'server_error', code: 'server_error' };
      await using scripted = await scriptedApp(() => ({ text, streamError }), { model });
      expect(await failureOf(scripted, true)).toMatchObject({ code: 'provider_error' });
    }
  });

  test('no server listens', async () => {
    const plugins = [testShop(), modelOpenai({ ...model, baseUrl: 'http://127.0.0.1:9/v1', maxRetries: 1 }), agent()];
    await using app = await createTestApp({ plugins });
    expect(await failureOf({ app: app }, false)).toMatchObject({ code: 'provider_unreachable' });
    expect(await failureOf({ app: app }, true)).toMatchObject({ code: 'provider_unreachable' });
  });

  test('a failure that passes is tried again, and health recovers', async () => {
    const steps: Step[] = [{ status: 500 }, { status: 429, headers: { 'retry-after': '0' } }, { text: 'Here.' }];
    await using scripted = await scriptedApp(steps, { model: { ...model, maxRetries: 2 } });
    const { app, server } = scripted;
    expect((await app.get(agent).answer(question, app.scope())).text).toBe('Here.');
    expect(server.requests).toHaveLength(3);
    expect(await health(scripted)).toMatchObject({ status: 'ok' });
  });

  test('what does not pass is not tried again', async () => {
    const quota = { error: { message: 'You exceeded your quota', type: 'x', code: 'insufficient_quota' } };
    const steps: Step[] = [
      { status: 401 },
      { status: 404 },
      { status: 400 },
      { status: 429, headers: { 'retry-after': '60' } },
      { status: 429, body: quota },
      { text: 'Half of an answer', garbage: 'cut' },
    ];
    for (const step of steps) {
      await using scripted = await scriptedApp(() => step, { model: { ...model, maxRetries: 3 } });
      await failureOf(scripted, false);
      expect(scripted.server.requests).toHaveLength(1);
    }
  });

  test('a stream that has begun is not tried again', async () => {
    const step: Step = { text: 'one two three four five six seven eight', garbage: 'cut' };
    await using scripted = await scriptedApp(() => step, { model: { ...model, maxRetries: 3 } });
    expect(await failureOf(scripted, true)).toMatchObject({ code: 'provider_error' });
    expect(scripted.server.requests).toHaveLength(1);
  });

  test('a rate limit met on the way is what the client is told', async () => {
    const steps: Step[] = [{ status: 429, headers: { 'retry-after': '0' } }, { status: 500 }];
    await using scripted = await scriptedApp(steps, { model: { ...model, maxRetries: 1 } });
    expect(await failureOf(scripted, false)).toMatchObject({ code: 'provider_rate_limit' });
  });

  test('the deadline of a step bounds all its attempts', async () => {
    await using scripted = await scriptedApp(() => ({ status: 500 }), {
      model: { ...model, maxRetries: 5 },
      agent: { stepTimeoutMs: 300 },
    });
    expect(await failureOf(scripted, false)).toMatchObject({ code: 'provider_timeout' });
  });

  test('a client that leaves is no failure of the provider', async () => {
    await using scripted = await scriptedApp([{ stall: true }], { model });
    const { app, server } = scripted;
    const scope = app.scope();
    const running = app.get(agent).answer(question, scope);
    await expect.poll(() => server.requests.length).toBe(1);
    scope.abort(new Error('client left'));
    await expect(running).rejects.toThrow();
    expect(await health(scripted)).toMatchObject({ status: 'ok' });
  });
});

describe('requests', () => {
  test('openai: Responses with the key, nothing kept at the provider', async () => {
    await using scripted = await scriptedApp([{ text: 'Yes.' }], { model: { provider: 'openai', apiKey: KEY } });
    const { app, server } = scripted;
    await app.get(agent).answer(question, app.scope());
    expect(server.requests[0]).toMatchObject({ protocol: 'responses', body: { store: false, model: 'scripted' } });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('openai-compatible: Chat Completions, role system, no key unless there is one', async () => {
    for (const apiKey of ['', KEY]) {
      await using scripted = await scriptedApp([{ text: 'Yes.' }], { model: { apiKey, model: 'gpt-6-luna' } });
      const { app, server } = scripted;
      await app.get(agent).answer(question, app.scope());
      expect(server.requests[0]).toMatchObject({ protocol: 'chat', body: { messages: [{ role: 'system' }, {}] } });
      expect(server.requests[0]?.headers.authorization).toBe(apiKey === '' ? undefined : `Bearer ${KEY}`);
      expect(server.requests[0]?.body).not.toHaveProperty('store');
    }
  });

  test('reasoning of a Responses model goes back to it in the next step', async () => {
    const bodies: { input?: { type?: string; encrypted_content?: string }[]; include?: string[] }[] = [];
    const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed' };
    const call = {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_1',
      name: 'executeSQL',
      arguments: '{"sql":"select 1"}',
    };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'One.', annotations: [] }],
    };
    const server = createServer(async (request, response) => {
      bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      const output = bodies.length === 1 ? [reasoning, call] : [message];
      const usage = { input_tokens: 1, output_tokens: 1 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ id: 'r', created_at: 1, model: 'm', output, usage }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await using app = await createTestApp({ plugins: [testShop(), modelOpenai({ apiKey: KEY, baseUrl }), agent()] });
    expect((await app.get(agent).answer(question, app.scope())).text).toBe('One.');
    expect(bodies[0]?.include).toContain('reasoning.encrypted_content');
    expect(bodies[1]?.input?.find(({ type }) => type === 'reasoning')).toMatchObject({ encrypted_content: 'sealed' });
    server.close();
  });

  test('so does reasoning that was streamed, which is shown as it comes', async () => {
    const bodies: { input?: { type?: string; encrypted_content?: string }[] }[] = [];
    const item = { id: 'rs_1', type: 'reasoning', summary: [] };
    const call = {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'c',
      name: 'executeSQL',
      arguments: '{"sql":"select 1"}',
    };
    const summary = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
    const reasoned = [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, encrypted_content: '' } },
      { type: 'response.reasoning_summary_part.added', ...summary, part: { type: 'summary_text', text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...summary, delta: 'Count them.' },
      { type: 'response.reasoning_summary_part.done', ...summary, part: { type: 'summary_text', text: 'Count them.' } },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...item, summary: [{ type: 'summary_text', text: 'Count them.' }], encrypted_content: 'sealed' },
      },
      { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '', status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 1, item: { ...call, status: 'completed' } },
    ];
    const said = [
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'm', type: 'message', role: 'assistant', content: [] },
      },
      { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'One.' },
    ];
    const server = createServer(async (request, response) => {
      bodies.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      const created = { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } };
      const usage = { input_tokens: 1, output_tokens: 1 };
      const events = [
        created,
        ...(bodies.length === 1 ? reasoned : said),
        { type: 'response.completed', response: { usage } },
      ];
      response.setHeader('content-type', 'text/event-stream');
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await using app = await createTestApp({ plugins: [testShop(), modelOpenai({ apiKey: KEY, baseUrl }), agent()] });
    const events = await Array.fromAsync(app.get(agent).ask(question, app.scope()));
    expect(events).toContainEqual({ type: 'reasoning', text: 'Count them.' });
    expect(events.at(-1)).toMatchObject({ answer: { text: 'One.' } });
    expect(bodies[1]?.input?.find(({ type }) => type === 'reasoning')).toMatchObject({
      encrypted_content: 'sealed',
      summary: [{ type: 'summary_text', text: 'Count them.' }],
    });
    server.close();
  });

  test('connections are kept alive', async () => {
    await using scripted = await scriptedApp([callSql('select 1'), { text: 'One.' }]);
    const { app, server } = scripted;
    await app.get(agent).answer(question, app.scope());
    expect(server.requests[0]?.headers.connection).toBe('keep-alive');
  });
});

describe('configuration', () => {
  const started = (options: Parameters<typeof modelOpenai>[0]) =>
    createTestApp({ plugins: [testShop(), modelOpenai(options), agent()] });

  test.each([
    ['openai without a key', { provider: 'openai' }, 'OPENAI_API_KEY'],
    ['openai with an empty key', { provider: 'openai', apiKey: '' }, 'OPENAI_API_KEY'],
    ['openai-compatible without a URL', { provider: 'openai-compatible' }, 'OPENAI_BASE_URL'],
  ] as const)('%s starts, says so in health, and refuses questions', async (_, options, variable) => {
    await using app = await started(options);
    const error = await failureOf({ app: app }, false);
    expect(error).toMatchObject({ code: 'configuration_error' });
    expect(error.hint).toContain(variable);
    expect(await health({ app: app })).toMatchObject({ status: 'not_configured' });
  });

  test.each([
    { baseUrl: 'localhost:8080' },
    { baseUrl: 'http://[' },
    { provider: 'gemini' as never },
    { maxRetries: 99 },
  ])('refuses %j at the start', async (options) => {
    await expect(started({ apiKey: KEY, ...options })).rejects.toThrow(/model-openai|base URL/);
  });
});
