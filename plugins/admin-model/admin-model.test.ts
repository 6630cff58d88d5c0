import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { healthCheck } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, dialects, type TestEngine } from '../../test/harness/internal-databases.ts';
import {
  Client,
  databases,
  idOf,
  organization,
  setRole,
  startServer,
  userOf,
} from '../../test/harness/managed-server.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { testShop } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { modelAiSdk } from '../model-ai-sdk/index.ts';
import { modelOffline } from '../model-offline/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { outbound } from '../outbound/index.ts';
import { queryApi } from '../query-api/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { usage } from '../usage/index.ts';
import { adminModel } from './index.ts';

const needs = () => [internalDb(), outbound()];
pluginContract('admin-model', () => adminModel(), { with: needs });

const PATH = '/api/v1/admin/model-config';
const KEY = 'sk-a-secret-of-the-organization-4711';
const ENCRYPTION = Buffer.alloc(32, 7).toString('base64');

const says = (text: string, more: Step = {}): Promise<OpenAIServer> =>
  startOpenAIServer({ respond: () => ({ text, usage: { input: 10, output: 2 }, ...more }) });

interface Composed {
  readonly own: OpenAIServer;
  readonly allowPrivate?: readonly string[];
  readonly options?: Parameters<typeof adminModel>[0];
}

const hostOf = ({ url }: { url: string }) => new URL(url).host;

/** The plugins between a question and its model. */
const answering = ({ own, allowPrivate = [], options }: Composed) => [
  outbound({ allowPrivate: [...allowPrivate] }),
  semanticLayer({ dir: 'test/fixtures/no-such-layer' }),
  testShop(),
  adminModel(options),
  modelOpenai({ provider: 'openai-compatible', baseUrl: own.url, model: 'own', maxRetries: 0 }),
  modelAiSdk({ isDefault: false }),
  modelOffline({ isDefault: false }),
  agent(),
  usage(),
  queryApi(),
];

const compatible = (server: OpenAIServer, more: object = {}) => ({
  provider: 'openai-compatible',
  model: 'chosen',
  baseUrl: server.url,
  apiKey: KEY,
  ...more,
});

describe.each(chosenEngines)('a model without organizations, on %s', (_, engine) => {
  let stored: TestEngine;
  beforeAll(async () => {
    stored = await engine();
  });
  afterAll(() => stored[Symbol.asyncDispose]());

  const started = (url: string | undefined, composed: Composed) =>
    createTestApp({
      plugins: [
        http({ port: 0 }),
        authNone(),
        internalDb(url === undefined ? {} : { url, encryptionKeys: [ENCRYPTION] }),
        ...answering(composed),
      ],
    });
  type App = Awaited<ReturnType<typeof started>>;
  const send = async (app: App, method: 'GET' | 'PUT' | 'POST' | 'DELETE', payload?: object | string, path = PATH) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await app.inject({ method, url: path, ...(payload !== undefined && { payload, headers }) });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: answer.statusCode, body: answer.json<any>(), text: answer.body };
  };
  const chat = async (app: App, messages: object) => {
    const response = await fetch(`${app.get(http).url()}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
    });
    return { status: response.status, text: await response.text() };
  };
  const ask = async (app: App) => (await send(app, 'POST', { question: 'How many?' }, '/api/v1/query')).body;

  it('is chosen, used by the next question, kept over a restart, and given up again', async () => {
    await using own = await says('from the server');
    await using other = await says('from the organization');
    const url = await stored.fresh();
    const composed = { own, allowPrivate: [hostOf(other)] };
    {
      await using app = await started(url, composed);
      expect((await send(app, 'GET')).body).toMatchObject({ config: null });
      expect((await send(app, 'DELETE')).status).toBe(404);
      expect((await send(app, 'POST', undefined, `${PATH}/test`)).status).toBe(404);
      expect((await ask(app)).answer).toBe('from the server');

      const put = await send(app, 'PUT', compatible(other));
      expect(put).toMatchObject({
        status: 200,
        body: {
          config: {
            id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            orgId: null,
            provider: 'openai-compatible',
            model: 'chosen',
            baseUrl: other.url,
            apiKeyMasked: '****4711',
            createdAt: expect.stringMatching(/Z$/),
            updatedAt: expect.stringMatching(/Z$/),
          },
        },
      });
      expect(put.text).not.toContain(KEY);
      expect(other.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      expect((await ask(app)).answer).toBe('from the organization');
      expect(other.requests.at(-1)?.body.model).toBe('chosen');
      expect((await send(app, 'GET')).body.config).toEqual(put.body.config);
      // Usage without a budget is recorded beside the answer.
      const used = async () => {
        const { entries } = (await send(app, 'GET', undefined, '/api/v1/usage?scope=organization')).body;
        return entries.map((entry: { provider: string; model: string }) => [entry.provider, entry.model]);
      };
      await expect.poll(used).toEqual([
        ['openai-compatible', 'chosen'],
        ['openai-compatible', 'own'],
      ]);
    }
    await using app = await started(url, composed);
    expect((await ask(app)).answer).toBe('from the organization');
    expect(await send(app, 'POST', undefined, `${PATH}/test`)).toMatchObject({
      status: 200,
      body: { status: 'ok', provider: 'openai-compatible', model: 'chosen', latencyMs: expect.any(Number) },
    });
    expect(await send(app, 'DELETE')).toMatchObject({ status: 200, body: { success: true } });
    expect((await ask(app)).answer).toBe('from the server');
  });

  it("does not show in the health report, which is about the server's own", async () => {
    await using own = await says('from the server');
    const sql = `select '${'x '.repeat(2_000)}' as a`;
    await using other = await startOpenAIServer({
      respond: ({ toolResults }, n) =>
        n === 0 || toolResults.length > 0
          ? { text: 'cut', usage: { input: 300, output: 1 } }
          : { toolCall: { name: 'executeSQL', args: { sql } } },
    });
    await using app = await started(await stored.fresh(), { own, allowPrivate: [hostOf(other)] });
    await send(app, 'PUT', compatible(other));
    const { notes } = await ask(app);
    expect(notes).toMatchObject([{ code: 'prompt_truncated' }]);
    const health = await app.call(healthCheck, undefined, app.scope());
    const items = health.map(({ value }) => value).filter(({ component }) => component === 'provider');
    expect(items).toMatchObject([{ status: 'ok', details: { model: 'own' } }]);
  });

  it('streams over the same connections', async () => {
    await using own = await says('from the server');
    await using other = await says('streamed');
    await using app = await started(await stored.fresh(), { own, allowPrivate: [hostOf(other)] });
    await send(app, 'PUT', compatible(other));
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'How many?' }] }];
    const { text } = await chat(app, messages);
    expect(text).toContain('streamed');
    expect(other.requests.at(-1)?.stream).toBe(true);
    expect(own.requests).toHaveLength(0);
  });

  it('is not stored when the test call fails, and the failure has its code', async () => {
    await using own = await says('from the server');
    let step: Step = {};
    await using other = await startOpenAIServer({ respond: () => step });
    await using app = await started(await stored.fresh(), {
      own,
      allowPrivate: [hostOf(other), '127.0.0.1:9'],
      options: { testTimeoutMs: 2_000 },
    });
    for (const [failing, status, error] of [
      [{ status: 401 }, 502, 'provider_auth_error'],
      [{ status: 404 }, 400, 'provider_model_not_found'],
      [{ status: 429, headers: { 'retry-after': '60' } }, 429, 'provider_rate_limit'],
      [{ status: 400, body: { error: { message: `no ${KEY}` } } }, 502, 'provider_error'],
      [{ garbage: 'not-json' }, 502, 'provider_error'],
      [{ stall: true }, 504, 'provider_timeout'],
      [{ status: 302, headers: { location: own.url } }, 502, 'provider_error'],
    ] as const) {
      step = failing;
      const answer = await send(app, 'PUT', compatible(other));
      expect([answer.status, answer.body.error]).toEqual([status, error]);
      expect(answer.text).not.toContain(KEY);
    }
    expect((await send(app, 'PUT', compatible(other, { baseUrl: 'http://127.0.0.1:9/v1' }))).body.error).toBe(
      'provider_unreachable',
    );
    expect(own.requests).toHaveLength(0);
    expect((await send(app, 'GET')).body.config).toBeNull();
    expect(JSON.stringify(app.lines)).not.toContain(KEY);
  });

  it('sends the stored key to no other provider and address until it is entered again', async () => {
    await using own = await says('from the server');
    await using first = await says('first');
    await using second = await says('second');
    await using app = await started(await stored.fresh(), { own, allowPrivate: [hostOf(first), hostOf(second)] });
    const { id, createdAt } = (await send(app, 'PUT', compatible(first))).body.config;
    const without = (more: object) => send(app, 'PUT', { ...compatible(first), apiKey: undefined, ...more });

    expect((await without({ model: 'newer', baseUrl: `${first.url}/` })).body.config).toMatchObject({
      id,
      createdAt,
      apiKeyMasked: '****4711',
    });
    expect(first.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    for (const more of [{ baseUrl: second.url }, { provider: 'openai' }, { provider: 'openai', baseUrl: null }]) {
      expect(await without(more)).toMatchObject({
        status: 422,
        body: { error: 'validation_error', details: [{ path: 'apiKey' }] },
      });
      const path = `${PATH}/test`;
      expect((await send(app, 'POST', { provider: 'openai-compatible', model: 'x', ...more }, path)).status).toBe(422);
    }
    expect(second.requests).toHaveLength(0);
    expect((await ask(app)).answer).toBe('first');

    expect((await without({ baseUrl: second.url, apiKey: null })).body.config).toMatchObject({ apiKeyMasked: null });
    expect(second.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect((await ask(app)).answer).toBe('second');
  });

  it('is refused where its address is private, when it is saved and when it is called', async () => {
    await using own = await says('from the server');
    await using hidden = await says('hidden');
    const url = await stored.fresh();
    {
      await using app = await started(url, { own });
      for (const baseUrl of [hidden.url, 'http://169.254.169.254/v1', 'http://localhost/v1', 'http://[::1]/v1']) {
        const answer = await send(app, 'PUT', compatible(hidden, { baseUrl }));
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
      }
      for (const baseUrl of ['ftp://example.com', 'https://a:b@example.com/v1', 'https://example.com/?a=1', 'x', '']) {
        expect((await send(app, 'PUT', compatible(hidden, { baseUrl }))).status).toBe(422);
      }
      expect(hidden.requests).toHaveLength(0);
    }
    {
      await using app = await started(url, { own, allowPrivate: [hostOf(hidden)] });
      expect((await send(app, 'PUT', compatible(hidden))).status).toBe(200);
    }
    await using app = await started(url, { own });
    const before = hidden.requests.length;
    expect(await ask(app)).toMatchObject({ error: 'provider_unreachable' });
    expect([hidden.requests.length, own.requests.length]).toEqual([before, 0]);
  });

  it('may be the offline one, which takes neither key nor address', async () => {
    await using own = await says('from the server');
    await using app = await started(await stored.fresh(), { own });
    expect((await send(app, 'PUT', { provider: 'offline', model: 'offline', apiKey: KEY })).status).toBe(422);
    expect((await send(app, 'PUT', { provider: 'offline', model: 'offline' })).body.config).toMatchObject({
      provider: 'offline',
      baseUrl: null,
      apiKeyMasked: null,
    });
    expect((await ask(app)).answer).not.toContain('from the server');
    const { providers } = (await send(app, 'GET')).body;
    expect(providers).toEqual([
      { name: 'openai', apiKey: 'required', baseUrl: 'optional' },
      { name: 'openai-compatible', apiKey: 'optional', baseUrl: 'required' },
      { name: 'anthropic', apiKey: 'required', baseUrl: 'optional' },
      { name: 'google', apiKey: 'required', baseUrl: 'optional' },
      { name: 'azure', apiKey: 'required', baseUrl: 'required' },
      { name: 'bedrock', apiKey: 'required', baseUrl: 'required' },
      { name: 'mistral', apiKey: 'required', baseUrl: 'optional' },
      { name: 'offline', apiKey: 'none', baseUrl: 'none' },
    ]);
  });

  it('has bounds', async () => {
    await using own = await says('from the server');
    await using app = await started(await stored.fresh(), { own, allowPrivate: [hostOf(own)] });
    for (const [body, path] of [
      [{}, 'provider'],
      [compatible(own, { provider: 'openay' }), 'provider'],
      [compatible(own, { provider: '' }), 'provider'],
      [compatible(own, { model: '' }), 'model'],
      [compatible(own, { model: ' x' }), 'model'],
      [compatible(own, { model: 'x'.repeat(201) }), 'model'],
      [compatible(own, { model: 7 }), 'model'],
      [compatible(own, { apiKey: '' }), 'apiKey'],
      [compatible(own, { apiKey: 'with space' }), 'apiKey'],
      [compatible(own, { apiKey: 'x'.repeat(4_097) }), 'apiKey'],
      [compatible(own, { baseurl: own.url }), 'baseurl'],
      [{ provider: 'openai', model: 'x' }, 'apiKey'],
      [{ provider: 'openai-compatible', model: 'x' }, 'baseUrl'],
      [{ provider: 'azure', model: 'x', apiKey: 'k' }, 'baseUrl'],
    ] as const) {
      const answer = await send(app, 'PUT', body);
      expect([answer.status, answer.body.error]).toEqual([422, 'validation_error']);
      expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
    }
    expect((await send(app, 'PUT', '{"provider"')).status).toBe(400);
    expect(
      (await send(app, 'PUT', compatible(own, { model: 'x'.repeat(200), apiKey: 'x'.repeat(4_096) }))).status,
    ).toBe(200);
    const both = ['a', 'b'].map((model) => send(app, 'PUT', compatible(own, { model })));
    const statuses = (await Promise.all(both)).map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect([200, 409]).toContain(statuses[1]);
  });

  it('needs a database and a key to encrypt with', async () => {
    await using own = await says('from the server');
    await using without = await started(undefined, { own });
    for (const [method, path] of [
      ['GET', PATH],
      ['PUT', PATH],
      ['DELETE', PATH],
      ['POST', `${PATH}/test`],
    ] as const) {
      expect(await send(without, method, undefined, path)).toMatchObject({
        status: 404,
        body: { error: 'not_available' },
      });
    }
    await using app = await createTestApp({
      plugins: [
        http({ port: 0 }),
        authNone(),
        internalDb({ url: await stored.fresh() }),
        ...answering({ own, allowPrivate: [hostOf(own)] }),
      ],
    });
    expect(await send(app, 'PUT', compatible(own))).toMatchObject({
      status: 400,
      body: { error: 'configuration_error' },
    });
    expect(own.requests).toHaveLength(0);
    expect((await send(app, 'PUT', compatible(own, { apiKey: null }))).status).toBe(200);
  });

  it('is found within seconds by other servers', async () => {
    await using own = await says('from the server');
    await using other = await says('from the organization');
    const url = await stored.fresh();
    const composed = { own, allowPrivate: [hostOf(other)], options: { checkIntervalMs: 100 } };
    await using here = await started(url, composed);
    await using there = await started(url, composed);
    expect((await ask(there)).answer).toBe('from the server');
    await send(here, 'PUT', compatible(other));
    await sleep(150);
    expect((await ask(there)).answer).toBe('from the organization');
    await send(here, 'DELETE');
    await sleep(150);
    expect((await ask(there)).answer).toBe('from the server');
  });

  it('is for administrators', async () => {
    const auth = [authRoles(), authApiKey({ keys: [{ key: 'a key of some length', role: 'analyst' }] })];
    await using app = await createTestApp({
      openGates: false,
      plugins: [http({ port: 0 }), ...auth, internalDb({ url: await stored.fresh() }), outbound(), adminModel()],
    });
    const headers = { authorization: 'Bearer a key of some length' };
    for (const [method, url] of [
      ['GET', PATH],
      ['PUT', PATH],
      ['DELETE', PATH],
      ['POST', `${PATH}/test`],
    ] as const) {
      expect((await app.inject({ method, url })).statusCode).toBe(401);
      expect((await app.inject({ method, url, headers })).statusCode).toBe(403);
    }
  });
});

const db = databases();

describe.each(dialects)('models of two organizations, on %s', (dialect) => {
  it('answer the questions of their own only, and stand in the audit log without the key', async () => {
    await using own = await says('from the server');
    await using one = await says('from one');
    await using two = await says('from two');
    const composed = { own, allowPrivate: [hostOf(one), hostOf(two)] };
    const plugins = [...answering(composed), sqlGuard(), audit()];
    await using server = await startServer(await db.url(dialect), {}, plugins);
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const bob = await userOf(server, 'bob@example.com');
    for (const [client, slug] of [
      [ann, 'acme'],
      [bob, 'globex'],
    ] as const) {
      await setRole(boss, await idOf(client), 'admin');
      expect((await organization(client, 'create', { name: slug, slug })).status).toBe(200);
    }
    const put = (client: Client, body: object) => client.send(PATH, { method: 'PUT', body });
    const ask = async (client: Client) =>
      (await client.send('/api/v1/query', { body: { question: 'How many?' } })).body.answer;

    const { status, body } = await put(ann, compatible(one));
    expect(status).toBe(200);
    expect(body.config.orgId).toMatch(/./);
    expect((await bob.send(PATH)).body.config).toBeNull();
    expect((await boss.send(PATH)).body.config).toBeNull();
    expect(await Promise.all([ann, bob, boss].map(ask))).toEqual(['from one', 'from the server', 'from the server']);
    expect((await bob.send(PATH, { method: 'DELETE' })).status).toBe(404);
    // A key is that of its organization.
    expect((await put(bob, { ...compatible(two), apiKey: null })).body.config.apiKeyMasked).toBeNull();
    expect(await Promise.all([ann, bob, boss].map(ask))).toEqual(['from one', 'from two', 'from the server']);
    expect((await new Client(server).send(PATH)).status).toBe(401);

    const changes = await ann.send('/api/v1/admin/audit/changes?action=model_config.replaced');
    expect(changes.body).toMatchObject({
      total: 1,
      changes: [{ action: 'model_config.replaced', targetType: 'model_config', userLabel: 'ann@example.com' }],
    });
    expect(JSON.stringify(changes.body)).not.toContain(KEY);
    expect(JSON.stringify(await db.connect(server.database)('model_configs'))).not.toContain(KEY);
    expect((await ann.send(PATH, { method: 'DELETE' })).status).toBe(200);
    expect(await ask(ann)).toBe('from the server');
    const { orgId } = (await bob.send(PATH)).body.config;
    expect((await organization(bob, 'delete', { organizationId: orgId })).status).toBe(200);
    expect(await db.connect(server.database)('model_configs')).toEqual([]);
  });
});
