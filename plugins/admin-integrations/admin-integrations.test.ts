import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Delivery, deliver } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { startChatPlatforms } from '../../test/harness/chat-platforms.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
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
import { SLACK_TOKEN, startSlackReceiver } from '../../test/harness/slack-receiver.ts';
import { actionSlack } from '../action-slack/index.ts';
import { actions } from '../actions/index.ts';
import { audit } from '../audit/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { deliverSlack } from '../deliver-slack/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { jobs } from '../jobs/index.ts';
import { adminIntegrations } from './index.ts';

pluginContract('admin-integrations', () => adminIntegrations(), { with: () => [internalDb()] });

const PATH = '/api/v1/admin/integrations';
const TOKEN = 'xoxb-a-token-of-some-length-4711';
const BOT = { botToken: TOKEN, applicationId: 'A0123', publicKey: 'a-signing-secret' };
const BOTS = { [TOKEN]: 'atlas-bot', 'another-token-of-that-length': 'second-bot' };
const ENCRYPTION = Buffer.alloc(32, 7).toString('base64');

type Platforms = Awaited<ReturnType<typeof startChatPlatforms>>;
const urlsOf = ({ slackApiUrl, discordApiUrl, teamsApiUrl }: Platforms) => ({
  ...{ slackApiUrl, discordApiUrl, teamsApiUrl },
});

describe.each(chosenEngines)('bots without organizations, on %s', (_, engine) => {
  let stored: TestEngine;
  beforeAll(async () => {
    stored = await engine();
  });
  afterAll(() => stored[Symbol.asyncDispose]());

  const started = (url: string | undefined, platforms: Platforms, keys = [ENCRYPTION]) =>
    createTestApp({
      plugins: [
        http({ port: 0 }),
        authNone(),
        internalDb(url === undefined ? {} : { url, encryptionKeys: keys }),
        adminIntegrations(urlsOf(platforms)),
      ],
    });
  const send = async (app: TestApp, method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) => {
    const answer = await app.inject({ method, url: PATH + path, ...(payload !== undefined && { payload }) });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: answer.statusCode, body: answer.json<any>(), text: answer.body };
  };

  it.each([
    ['slack', 'Slack', 'atlas-bot'],
    ['discord', 'Discord', 'atlas-bot'],
    ['teams', 'Microsoft Teams', 'A0123'],
  ])('are checked with %s, stored, checked again, replaced and forgotten', async (chatapp, label, botUsername) => {
    await using platforms = await startChatPlatforms(BOTS);
    const url = await stored.fresh();
    await using app = await started(url, platforms);
    for (const path of [`/${chatapp}/test`, `/${chatapp}`] as const) {
      expect((await send(app, path.endsWith('test') ? 'POST' : 'DELETE', path)).status).toBe(404);
    }
    expect(await send(app, 'POST', `/${chatapp}/byot`, BOT)).toMatchObject({
      status: 200,
      body: { message: `${label} is connected as ${botUsername}.`, botUsername },
    });
    const list = await send(app, 'GET', '');
    expect(list).toMatchObject({
      status: 200,
      body: {
        platforms: ['slack', 'discord', 'teams'],
        integrations: [
          {
            orgId: null,
            platform: chatapp,
            applicationId: 'A0123',
            botUsername,
            botTokenMasked: '****4711',
            createdBy: null,
            createdAt: expect.stringMatching(/Z$/),
            updatedAt: expect.stringMatching(/Z$/),
          },
        ],
      },
    });
    expect(list.text).not.toMatch(/xoxb|signing/);
    expect(await send(app, 'POST', `/${chatapp}/test`)).toMatchObject({
      status: 200,
      body: { status: 'ok', botUsername, latencyMs: expect.any(Number), checkedAt: expect.stringMatching(/Z$/) },
    });

    const { id } = list.body.integrations[0];
    expect((await send(app, 'POST', `/${chatapp}/byot`, { ...BOT, botToken: 'unknown' })).body).toMatchObject({
      error: 'invalid_bot_token',
    });
    const second = { ...BOT, botToken: 'another-token-of-that-length' };
    expect((await send(app, 'POST', `/${chatapp}/byot`, second)).status).toBe(200);
    const { integrations } = (await send(app, 'GET', '')).body;
    expect(integrations).toMatchObject([{ id, botTokenMasked: '****ngth' }]);
    expect(await send(app, 'DELETE', `/${chatapp}`)).toMatchObject({ status: 200, body: { success: true } });
    expect((await send(app, 'GET', '')).body.integrations).toEqual([]);
  });

  it('are refused where the platform refuses, does not answer or is not known', async () => {
    await using platforms = await startChatPlatforms({});
    await using app = await started(await stored.fresh(), platforms);
    for (const chatapp of ['slack', 'discord', 'teams']) {
      platforms.trouble = undefined;
      const connect = () => send(app, 'POST', `/${chatapp}/byot`, BOT);
      const refused = await connect();
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_bot_token']);
      for (const trouble of [
        { status: 500 },
        { status: 503, body: TOKEN },
        { status: 429 },
        { status: 200, body: '<html>' },
        { status: 200, body: '[]' },
        { status: 404, body: '{}' },
        { status: 200, body: '{"ok":false,"error":"fatal_error"}' },
        ...['\\u0000', 'a\\u001b[31mb', '\\ud800', 'x'.repeat(201), ''].map((name) => ({
          status: 200,
          body: `{"ok":true,"user":"${name}","username":"${name}"}`,
        })),
      ]) {
        platforms.trouble = trouble;
        const answer = await connect();
        expect([answer.status, answer.body.error]).toEqual([502, 'platform_unreachable']);
        expect(answer.text).not.toContain(TOKEN);
      }
    }
    expect((await send(app, 'POST', '/slak/byot', BOT)).body).toMatchObject({
      error: 'not_found',
      message: expect.stringContaining('slack'),
    });
    expect((await send(app, 'GET', '')).body.integrations).toEqual([]);
    const { port } = platforms;
    await platforms[Symbol.asyncDispose]();
    await using gone = await createTestApp({
      plugins: [
        http({ port: 0 }),
        authNone(),
        internalDb({ url: await stored.fresh(), encryptionKeys: [ENCRYPTION] }),
        adminIntegrations({ slackApiUrl: `http://127.0.0.1:${port}/api/` }),
      ],
    });
    const answer = await send(gone, 'POST', '/slack/byot', BOT);
    expect([answer.status, answer.body.error]).toEqual([502, 'platform_unreachable']);
  });

  it('have bounds, and need a database with a key', async () => {
    await using platforms = await startChatPlatforms(BOTS);
    await using app = await started(await stored.fresh(), platforms);
    for (const [body, path] of [
      [{}, 'botToken'],
      [{ ...BOT, botToken: '' }, 'botToken'],
      [{ ...BOT, botToken: 'x'.repeat(4_097) }, 'botToken'],
      [{ ...BOT, botToken: 'a\r\nb' }, 'botToken'],
      [{ ...BOT, applicationId: 7 }, 'applicationId'],
      [{ ...BOT, publicKey: undefined }, 'publicKey'],
      [{ ...BOT, token: 'x' }, 'token'],
    ] as const) {
      const answer = await send(app, 'POST', '/slack/byot', body);
      expect([answer.status, answer.body.error]).toEqual([422, 'validation_error']);
      expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
    }
    await using bare = await started(undefined, platforms);
    expect(await send(bare, 'POST', '/slack/byot', {})).toMatchObject({
      status: 404,
      body: { error: 'not_available' },
    });
    await using keyless = await started(await stored.fresh(), platforms, []);
    expect((await send(keyless, 'POST', '/slack/byot', BOT)).body.error).toBe('configuration_error');
    expect(platforms.received).toHaveLength(0);
  });

  it('are for administrators', async () => {
    const key = 'a key of some length';
    await using app = await createTestApp({
      openGates: false,
      plugins: [
        http({ port: 0 }),
        authRoles(),
        authApiKey({ keys: [{ key, role: 'analyst' }] }),
        internalDb({ url: await stored.fresh() }),
        adminIntegrations(),
      ],
    });
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/slack/byot'],
      ['POST', '/slack/test'],
      ['DELETE', '/slack'],
    ] as const) {
      expect((await app.inject({ method, url: PATH + path })).statusCode).toBe(401);
      const headers = { authorization: `Bearer ${key}` };
      expect((await app.inject({ method, url: PATH + path, headers })).statusCode).toBe(403);
    }
  });
});

const db = databases();

describe.each(dialects)('bots of two organizations, on %s', (dialect) => {
  it('send the messages of their own only, and stand in the audit log without the token', async () => {
    await using platforms = await startChatPlatforms(BOTS);
    await using slack = await startSlackReceiver(() => ({ status: 200, body: { ok: true, channel: 'C1', ts: '1.1' } }));
    const options = { botToken: SLACK_TOKEN, apiUrl: slack.apiUrl };
    await using server = await startServer(await db.url(dialect), {}, [
      ...[jobs(), actions({ approval: { slack: 'auto' } }), actionSlack(options), deliverSlack(options)],
      ...[audit(), adminIntegrations(urlsOf(platforms))],
    ]);
    const boss = await userOf(server, 'boss@example.com');
    const [ann, bob] = [await userOf(server, 'ann@example.com'), await userOf(server, 'bob@example.com')];
    const orgs: string[] = [];
    for (const [client, slug] of [
      [ann, 'acme'],
      [bob, 'globex'],
    ] as const) {
      await setRole(boss, await idOf(client), 'admin');
      orgs.push((await organization(client, 'create', { name: slug, slug })).body.id);
    }
    expect((await ann.send(`${PATH}/slack/byot`, { body: BOT })).status).toBe(200);
    expect((await ann.send(PATH)).body.integrations).toMatchObject([{ orgId: orgs[0], createdBy: await idOf(ann) }]);
    for (const client of [bob, boss]) {
      expect((await client.send(PATH)).body.integrations).toEqual([]);
      expect((await client.send(`${PATH}/slack`, { method: 'DELETE' })).status).toBe(404);
      expect((await client.send(`${PATH}/slack/test`, { method: 'POST' })).status).toBe(404);
    }
    expect((await new Client(server).send(PATH)).status).toBe(401);

    const delivery: Delivery = {
      channel: 'slack',
      recipient: { channel: 'C1' },
      subject: 'Report',
      content: {
        taskId: 't',
        taskName: 'T',
        question: 'q',
        answer: 'a',
        sql: [],
        data: [],
        steps: 1,
        usage: { totalTokens: 1 },
        timestamp: '2026-01-15T12:00:00Z',
      },
    } as never;
    const tokensOf = async (orgId: string | null | undefined) => {
      const scope = server.scope({ orgId: orgId ?? null });
      await server.callKey(deliver, 'slack', delivery, scope);
      await server
        .get(actions)
        .request({ type: 'slack', payload: { channel: 'C1', text: 'x' }, surface: 'api' }, scope);
      return slack.received.splice(0).map(({ headers }) => headers.authorization);
    };
    const [own, shared] = [`Bearer ${TOKEN}`, `Bearer ${SLACK_TOKEN}`];
    expect(await tokensOf(orgs[0])).toEqual([own, own]);
    expect(await tokensOf(orgs[1])).toEqual([shared, shared]);
    expect(await tokensOf(null)).toEqual([shared, shared]);

    expect((await bob.send(`${PATH}/slack/byot`, { body: BOT })).status).toBe(200);
    expect((await organization(bob, 'delete', { organizationId: orgs[1] })).status).toBe(200);
    const kept = await db.connect(server.database)('chat_integrations').select('org_id', 'credentials');
    expect(kept).toEqual([{ org_id: orgs[0], credentials: expect.not.stringContaining('xoxb') }]);
    expect((await ann.send(`${PATH}/slack`, { method: 'DELETE' })).status).toBe(200);
    expect(await tokensOf(orgs[0])).toEqual([shared, shared]);
    const { body } = await ann.send('/api/v1/admin/audit/changes');
    const told = body.changes.map((change: { action: string }) => change.action);
    expect(told.filter((action: string) => action.startsWith('integration.')).sort()).toEqual([
      'integration.connected',
      'integration.removed',
    ]);
    expect(JSON.stringify(body)).not.toMatch(/xoxb|signing/);
  });
});
