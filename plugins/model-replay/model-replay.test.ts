import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { contextCollect, definePlugin } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type OpenAIServer, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { freePort } from '../../test/harness/port.ts';
import { callSql, testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { modelReplay } from './index.ts';

const SECRET = 'a-secret-that-stands-in-no-recording';
const asked = (text: string) => ({ turns: [{ role: 'user' as const, text }], surface: 'api' });

let folder: ReturnType<typeof emptyFolder>;
let file: string;
beforeEach(() => {
  folder = emptyFolder();
  file = join(folder.path, 'sub', 'session.jsonl');
});
afterEach(() => folder[Symbol.dispose]());

/** The agent puts it between tags with a mark that is new in every app. */
const untrusted = definePlugin({
  name: 'test-context',
  version: '1.0.0',
  type: 'context',
  description: 'Gives untrusted text.',
  setup: (ctx) => ctx.tap(contextCollect, () => [{ title: 'Notes', text: 'Orders are orders.', trusted: false }]),
});

async function start(options: Partial<Parameters<typeof modelReplay>[0]>, now = '2026-01-15T12:00:00Z') {
  // The model is told before the server runs.
  const port = await freePort();
  return createTestApp({
    now: new Date(now),
    plugins: [
      modelReplay({ file, port, ...options }),
      testShop(),
      untrusted(),
      modelOpenai({
        provider: 'openai-compatible',
        baseUrl: `http://127.0.0.1:${port}/v1`,
        apiKey: SECRET,
        model: 'scripted',
        maxRetries: 0,
      }),
      agent(),
    ],
  });
}

const record = (model: OpenAIServer, more: object = {}) =>
  start({ mode: 'record', target: new URL(model.url).origin, ...more });

it('plays a recorded question back on another day, streamed and not, without the provider', async () => {
  const script = [callSql('select count(*) as n from orders'), { text: 'There are 500 orders.' }];
  {
    await using model = await startOpenAIServer({ respond: (_, n) => script[n % 2] ?? {} });
    await using app = await record(model);
    await app.get(agent).answer(asked('How many orders?'), app.scope());
    await Array.fromAsync(app.get(agent).ask(asked('How many orders?'), app.scope()));
  }
  const text = readFileSync(file, 'utf8');
  expect(text.trim().split('\n')).toHaveLength(4);
  expect(text).toContain('<data mark>');
  expect(text).not.toContain(SECRET);
  expect(readdirSync(join(folder.path, 'sub'))).toEqual(['session.jsonl']);
  await using app = await start({}, '2027-03-04T05:06:07Z');
  for (let time = 0; time < 2; time += 1) {
    const answer = await app.get(agent).answer(asked('How many orders?'), app.scope());
    expect([answer.text, answer.data[0]?.rows]).toEqual(['There are 500 orders.', [{ n: 500 }]]);
    const events = await Array.fromAsync(app.get(agent).ask(asked('How many orders?'), app.scope()));
    expect(events.at(-1)).toMatchObject({ type: 'finish', answer: { text: 'There are 500 orders.' } });
  }
});

it('names file and key of a request that was not recorded, to the client and in the log', async () => {
  await using app = await start({});
  const missing =
    /^There is no recording of POST \/v1\/chat\/completions with the key [0-9a-f]{16} in .*session\.jsonl\. Record it with mode: 'record'\.$/;
  for (const ask of [
    () => app.get(agent).answer(asked('How many orders?'), app.scope()),
    () => Array.fromAsync(app.get(agent).ask(asked('How many orders?'), app.scope())),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: 'configuration_error', message: expect.stringMatching(missing) });
  }
  expect(app.lines.some(({ plugin, message }) => plugin === 'model-replay' && missing.test(message))).toBe(true);
});

it('records failures, without what repeats the key, and plays responses to the same request in their order', async () => {
  const refusal = {
    error: { message: `Incorrect API key provided: ${SECRET}.`, type: 'auth', code: 'invalid_api_key' },
  };
  {
    await using model = await startOpenAIServer({ script: [{ status: 401, body: refusal }, { text: 'Hello.' }] });
    await using app = await record(model);
    await expect(app.get(agent).answer(asked('Hi?'), app.scope())).rejects.toMatchObject({
      code: 'provider_auth_error',
    });
    await app.get(agent).answer(asked('Hi?'), app.scope());
  }
  expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
  await using app = await start({});
  await expect(app.get(agent).answer(asked('Hi?'), app.scope())).rejects.toMatchObject({ code: 'provider_auth_error' });
  expect((await app.get(agent).answer(asked('Hi?'), app.scope())).text).toBe('Hello.');
  expect((await app.get(agent).answer(asked('Hi?'), app.scope())).text).toBe('Hello.');
});

it('records nothing of a call that was given up, and nothing beyond the size of the file', async () => {
  await using model = await startOpenAIServer({
    script: [{ text: 'x'.repeat(500), stall: 'mid' }, { text: 'Hello.' }],
  });
  await using app = await record(model, { maxFileBytes: 1024 });
  const leaving = new AbortController();
  const events = Array.fromAsync(app.get(agent).ask(asked('Hi?'), app.scope({ signal: leaving.signal })));
  events.catch(() => {});
  await expect.poll(() => model.requests.length).toBe(1);
  leaving.abort();
  await expect(events).rejects.toThrow();
  expect((await app.get(agent).answer(asked('Hi?'), app.scope())).text).toBe('Hello.');
  await expect
    .poll(() => app.lines.filter(({ plugin }) => plugin === 'model-replay').map(({ fields }) => fields.error))
    .toContainEqual(expect.stringContaining('has no room for another recording'));
  expect(readdirSync(folder.path)).toEqual([]);
});

it.each([
  ['{"key":"a","resp', /session\.jsonl:1 is not a recording\. Remove the line/],
  [`${'x'.repeat(2_000)}`, /have more than 1024 bytes\. Raise maxFileBytes/],
])('does not start with a file that is no recording: %#', async (content, message) => {
  file = join(folder.path, 'session.jsonl');
  writeFileSync(file, content);
  await expect(start({ maxFileBytes: 1024 })).rejects.toThrow(message);
});

it('does not record without a provider', async () => {
  await expect(start({ mode: 'record' })).rejects.toThrow(/Give target, such as/);
});
