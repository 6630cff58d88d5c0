/** Checks every provider package against a server that speaks its protocol, streaming and not, with a tool call. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, test } from 'vitest';
import { type AtlasError, healthCheck, type Question } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { startOpenAIServer } from '../../test/harness/openai-server.ts';
import { type ScriptedStep, startProviderServer } from '../../test/harness/provider-server.ts';
import { anthropicWire, bedrockWire, geminiWire, type ProviderStep } from '../../test/harness/provider-wire.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import { type AgentEvent, agent } from '../agent/index.ts';
import { modelAiSdk } from './index.ts';

type Options = NonNullable<Parameters<typeof modelAiSdk>[0]>;

const KEY = 'swordfish.opal.42';
const SQL = 'select count(*) as n from orders';
const question: Question = { turns: [{ role: 'user', text: 'How many orders?' }], surface: 'api' };
const reasoning = { text: 'Count them.', signature: 'c2VhbGVk' };
const CALL: ProviderStep = { reasoning, call: { id: 'call_1', name: 'executeSQL', args: { sql: SQL } } };
const TEXT: ProviderStep = { text: 'There are 500 orders.' };

async function asked(options: Options) {
  const app = await createTestApp({
    plugins: [testShop(), modelAiSdk({ apiKey: KEY, maxRetries: 1, ...options }), agent()],
  });
  return {
    app,
    async ask(streaming: boolean) {
      const events: AgentEvent[] = [];
      if (streaming) for await (const event of app.get(agent).ask(question, app.scope())) events.push(event);
      else await app.get(agent).answer(question, app.scope(), (event) => events.push(event));
      return events;
    },
    health: async () => (await app.call(healthCheck, undefined, app.scope()))[0]?.value,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

const answerIn = (events: readonly AgentEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'finish' ? last.answer : undefined;
};

describe.each([
  {
    provider: 'anthropic',
    wire: anthropicWire,
    path: '/messages',
    header: 'x-api-key',
    key: KEY,
    model: 'claude-haiku-4-5',
  },
  {
    provider: 'google',
    wire: geminiWire,
    path: 'enerateContent',
    header: 'x-goog-api-key',
    key: KEY,
    model: 'gemini-2.5-flash',
  },
  {
    provider: 'bedrock',
    wire: bedrockWire,
    path: '/converse',
    header: 'authorization',
    key: `Bearer ${KEY}`,
    model: 'amazon.nova-pro-v1:0',
  },
] as const)('$provider', ({ provider, wire, path, header, key, model }) => {
  const served = (steps: readonly ScriptedStep[]) => startProviderServer(wire, steps);

  test.each([true, false])(
    'answers with a tool call, and gets its reasoning back; streaming: %s',
    async (streaming) => {
      await using server = await served([CALL, TEXT]);
      await using run = await asked({ provider, baseUrl: server.url, region: 'eu-west-1' });
      const events = await run.ask(streaming);
      expect(answerIn(events)).toMatchObject({
        text: TEXT.text,
        sql: [SQL],
        steps: 2,
        usage: { inputTokens: 20, outputTokens: 10 },
      });
      expect(events).toContainEqual({ type: 'reasoning', text: reasoning.text });
      expect(server.requests).toHaveLength(2);
      for (const request of server.requests) {
        expect(request.path).toContain(path);
        expect(request.headers[header]).toBe(key);
      }
      // The call, what the provider sealed with it, and the result.
      const second = server.requests[1]?.text ?? '';
      for (const part of [reasoning.signature, SQL, '500']) expect(second).toContain(part);
      expect(await run.health()).toMatchObject({ status: 'ok', details: { provider } });
    },
  );

  test('a refused key is named, told in health and stands in no log line', async () => {
    await using server = await served([{ status: 401, message: `Invalid key ${KEY}.` }]);
    await using run = await asked({ provider, baseUrl: server.url, region: 'eu-west-1' });
    for (const streaming of [true, false]) {
      const error: unknown = await run.ask(streaming).catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'provider_auth_error' });
      expect(`${(error as AtlasError).message} ${(error as Error).stack}`).not.toContain(KEY);
    }
    expect(await run.health()).toMatchObject({ status: 'error' });
    expect(JSON.stringify(run.app.lines)).not.toContain(KEY);
  });

  test('a rate limit is tried again', async () => {
    for (const streaming of [true, false]) {
      await using server = await served([{ status: 429, message: 'Slow down.' }, TEXT]);
      await using run = await asked({ provider, baseUrl: server.url, region: 'eu-west-1' });
      expect(answerIn(await run.ask(streaming))?.text).toBe(TEXT.text);
      expect(server.requests).toHaveLength(2);
    }
  });

  test('settings and further fields reach the provider', async () => {
    await using server = await served([TEXT]);
    const settings: Options = {
      model,
      temperature: 0.25,
      headers: { 'x-team': 'data' },
      body: { extraField: 'extra' },
    };
    await using run = await asked({ provider, baseUrl: server.url, region: 'eu-west-1', ...settings });
    await run.ask(false);
    expect(server.requests[0]?.headers['x-team']).toBe('data');
    for (const part of ['0.25', '"extraField":"extra"']) expect(server.requests[0]?.text).toContain(part);
  });
});

describe.each([
  { provider: 'azure', protocol: 'responses', header: 'api-key', key: KEY },
  { provider: 'mistral', protocol: 'chat', header: 'authorization', key: `Bearer ${KEY}` },
] as const)('$provider', ({ provider, protocol, header, key }) => {
  test.each([true, false])('answers with a tool call; streaming: %s', async (streaming) => {
    const toolCall = { name: 'executeSQL', args: { sql: SQL }, id: 'call00001' };
    await using server = await startOpenAIServer({ script: [{ toolCall }, { text: TEXT.text ?? '' }] });
    await using run = await asked({ provider, baseUrl: server.url });
    expect(answerIn(await run.ask(streaming))).toMatchObject({ text: TEXT.text, sql: [SQL], steps: 2 });
    expect(server.requests.map((request) => [request.protocol, request.headers[header]])).toEqual(
      Array(2).fill([protocol, key]),
    );
    // Nothing is kept at the provider.
    if (protocol === 'responses') expect(server.requests[0]?.body).toMatchObject({ store: false });
  });
});

test('bedrock signs its requests with an access key', async () => {
  await using server = await startProviderServer(bedrockWire, [CALL, TEXT]);
  const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: KEY, region: 'eu-west-1' };
  await using run = await asked({
    provider: 'bedrock',
    baseUrl: server.url,
    apiKey: undefined as never,
    ...credentials,
  });
  expect(answerIn(await run.ask(true))?.text).toBe(TEXT.text);
  expect(server.requests[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\//);
});

test('a model of a package is one line', async () => {
  await using server = await startProviderServer(anthropicWire, [CALL, TEXT]);
  const model = createAnthropic({ apiKey: KEY, baseURL: server.url })('claude-haiku-5-5');
  await using run = await asked({ model });
  expect(answerIn(await run.ask(true))?.text).toBe(TEXT.text);
  expect(await run.health()).toMatchObject({ details: { provider: 'anthropic', model: 'claude-haiku-5-5' } });
});

test.each<[Options, string]>([
  [{ provider: 'anthropic' }, 'ANTHROPIC_API_KEY'],
  [{ provider: 'google' }, 'GOOGLE_GENERATIVE_AI_API_KEY'],
  [{ provider: 'azure', apiKey: KEY }, 'AZURE_RESOURCE_NAME'],
  [{ provider: 'bedrock', accessKeyId: 'AKIAEXAMPLE' }, 'AWS_SECRET_ACCESS_KEY'],
  [{ provider: 'bedrock', apiKey: KEY }, 'AWS_REGION'],
  [{ provider: 'mistral' }, 'MISTRAL_API_KEY'],
])('%j starts, says what is missing, and refuses questions', async (options, variable) => {
  await using app = await createTestApp({ plugins: [testShop(), modelAiSdk(options), agent()] });
  const error: unknown = await app
    .get(agent)
    .answer(question, app.scope())
    .catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'configuration_error', hint: expect.stringContaining(variable) });
  const [health] = await app.call(healthCheck, undefined, app.scope());
  expect(health?.value).toMatchObject({ status: 'not_configured' });
});

test.each<Options>([{}, { apiKey: KEY }, { provider: 'nobody' as never }])(
  '%j is refused at the start',
  async (options) => {
    await expect(createTestApp({ plugins: [testShop(), modelAiSdk(options), agent()] })).rejects.toThrow(
      'model-ai-sdk',
    );
  },
);
