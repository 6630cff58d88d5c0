import { describe, expect, it } from 'vitest';
import { appReady, datasourceList, definePlugin, type HealthItem, healthCheck } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { Client, databases, organization, startServer, userOf } from '../../test/harness/managed-server.ts';
import { adminSemantic } from '../admin-semantic/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { health } from '../health/index.ts';
import { http } from '../http/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { adminPlugins } from './index.ts';

const PLUGINS = '/api/v1/admin/plugins';
const OVERVIEW = '/api/v1/admin/overview';

/** A plugin whose check says what `check` says. */
const checking = (name: string, check?: () => readonly HealthItem[] | Promise<readonly HealthItem[]>) =>
  definePlugin({
    name,
    version: '1.2.3',
    type: 'core',
    description: `Is ${name}.`,
    setup(ctx) {
      if (check !== undefined) ctx.tap(healthCheck, check);
    },
  })();

/** A plugin that gives itself up once it runs. */
const failing = definePlugin({
  name: 'failing',
  version: '1.0.0',
  type: 'core',
  description: 'Fails.',
  setup(ctx) {
    ctx.tap(healthCheck, () => []);
    ctx.on(appReady, () => ctx.fail(new Error('It broke.')));
  },
});

const connections = definePlugin({
  name: 'connections',
  version: '1.0.0',
  type: 'datasource',
  description: 'Has two connections.',
  setup(ctx) {
    const info = { dbType: 'sqlite', maskedUrl: 'sqlite:x' };
    ctx.tap(datasourceList, () => [
      { id: 'a', ...info },
      { id: 'b', ...info },
    ]);
  },
});

describe('plugins', () => {
  it('are listed with the status of the kernel and of their health', async () => {
    const asked: string[] = [];
    let answer: HealthItem['status'] = 'ok';
    await using app = await createTestApp({
      plugins: [
        http({ port: 0 }),
        authNone(),
        health({ cacheTtlMs: 60_000 }),
        checking('plain'),
        checking('well', () => [{ component: 'well', status: 'ok' }]),
        checking('off', () => [{ component: 'off', status: 'not_configured', message: 'Set it.' }]),
        checking('ill', async () => {
          asked.push('ill');
          return [
            { component: 'ill', id: 'one', status: answer, message: 'It limps.' },
            { component: 'ill', id: 'two', status: 'ok', message: 'Well.' },
          ];
        }),
        checking('throwing', () => Promise.reject(new Error('No. password=hunter2'))),
        failing(),
        adminPlugins(),
      ],
    });
    await app.inject({ method: 'GET', url: '/api/health' });
    const list = await app.inject({ method: 'GET', url: PLUGINS });
    const { plugins, total } = list.json<{ plugins: { id: string; status: string }[]; total: number }>();
    expect([list.statusCode, total]).toEqual([200, plugins.length]);
    expect(plugins.find(({ id }) => id === 'plain')).toEqual({
      id: 'plain',
      name: 'plain',
      type: 'core',
      version: '1.2.3',
      status: 'ready',
      description: 'Is plain.',
      needs: [],
    });
    expect(plugins.find(({ id }) => id === 'admin-plugins')).toMatchObject({
      needs: expect.arrayContaining(['health']),
    });
    const { hooks } = list.json<{ hooks: { id: string; taps: { plugin: string }[] }[] }>();
    expect(hooks.find(({ id }) => id === 'health.check')).toMatchObject({
      kind: 'collect',
      gate: false,
      taps: ['auth-none', 'well', 'off', 'ill', 'throwing', 'failing'].map((plugin) => ({ plugin })),
    });
    const statuses = Object.fromEntries(plugins.map(({ id, status }) => [id, status]));
    const expected = {
      plain: 'ready',
      well: 'ready',
      off: 'ready',
      throwing: 'degraded',
      failing: 'failed',
      http: 'ready',
    };
    expect(statuses).toMatchObject(expected);

    const check = async (id: string) => {
      const response = await app.inject({ method: 'POST', url: `${PLUGINS}/${id}/health` });
      return [response.statusCode, response.json()] as const;
    };
    const always = { latencyMs: expect.any(Number), checkedAt: '2026-01-15T12:00:00.000Z' };
    answer = 'degraded';
    asked.length = 0;
    for (const [id, healthy, status, message] of [
      ['plain', true, 'ready', 'The plugin has no health check.'],
      ['well', true, 'ready', null],
      ['off', true, 'ready', 'Set it.'],
      ['ill', false, 'degraded', 'one: It limps.'],
      ['throwing', false, 'degraded', expect.stringMatching(/No\. password=\*\*\*$/)],
      ['failing', false, 'failed', expect.stringContaining('It broke.')],
    ] as const) {
      expect(await check(id)).toEqual([200, { id, healthy, status, message, ...always }]);
    }
    expect(asked).toEqual(['ill']);
    // What the check has found stands in the list at once.
    const overview = await app.inject({ method: 'GET', url: OVERVIEW });
    expect(overview.json()).toEqual({
      connections: 0,
      entities: 0,
      metrics: 0,
      glossaryTerms: 0,
      plugins: total,
      pluginHealth: plugins.map(({ id, status }) => ({
        id,
        name: id,
        type: expect.any(String),
        status: id === 'ill' ? 'degraded' : status,
      })),
    });
    for (const id of ['nothing', 'Plain', 'plain%2fplain']) {
      expect(await check(id)).toMatchObject([404, { error: 'not_found' }]);
    }
    for (const id of ['%00', '..%2fplain', 'x'.repeat(129)]) expect((await check(id))[0]).toBe(400);
  });

  it('are checked alone, with a deadline', async () => {
    const never = () => new Promise<never>(() => {});
    await using app = await createTestApp({
      plugins: [
        http({ port: 0 }),
        authNone(),
        health(),
        checking('hangs', never),
        checking('well', () => []),
        adminPlugins(),
      ],
    });
    const check = async (id: string) => (await app.inject({ method: 'POST', url: `${PLUGINS}/${id}/health` })).json();
    let isEnded = false;
    const hanging = check('hangs').finally(() => {
      isEnded = true;
    });
    expect(await check('well')).toMatchObject({ healthy: true });
    expect(isEnded).toBe(false);
    expect(await hanging).toMatchObject({
      healthy: false,
      status: 'degraded',
      message: expect.stringContaining('within 5000 ms'),
    });
  });

  it('are listed without the plugin for health', async () => {
    await using app = await createTestApp({
      plugins: [http({ port: 0 }), authNone(), checking('ill'), adminPlugins()],
    });
    const { plugins } = (await app.inject({ method: 'GET', url: PLUGINS })).json<{ plugins: { status: string }[] }>();
    expect(new Set(plugins.map(({ status }) => status))).toEqual(new Set(['ready']));
    expect((await app.inject({ method: 'POST', url: `${PLUGINS}/ill/health` })).statusCode).toBe(200);
  });

  it.each([
    ['viewer', 403],
    ['analyst', 403],
    ['admin', 200],
  ] as const)('are shown to the key of a %s with %i', async (role, status) => {
    await using app = await createTestApp({
      plugins: [
        http({ port: 0 }),
        authRoles(),
        authApiKey({ keys: [{ key: 'a key of some length', role }] }),
        adminPlugins(),
      ],
      openGates: false,
    });
    const headers = { authorization: 'Bearer a key of some length' };
    for (const [method, url] of [
      ['GET', OVERVIEW],
      ['GET', PLUGINS],
      ['POST', `${PLUGINS}/http/health`],
    ] as const) {
      expect([url, (await app.inject({ method, url, headers })).statusCode]).toEqual([url, status]);
      expect([url, (await app.inject({ method, url })).statusCode]).toEqual([url, 401]);
    }
  });
});

const db = databases();

it('the overview counts what the active organization has', async () => {
  using folder = layerFolder({
    'entities/orders.yml': 'table: orders\n',
    'entities/visits.yml': 'table: visits\n',
    // Cannot be asked, and is listed all the same.
    'nowhere/entities/leads.yml': 'table: leads\n',
    'glossary.yml': 'terms:\n  - term: visit\n    definition: A visit.\n',
    'metrics/count.yml': 'id: order_count\nentity: orders\nsql: count(*)\n',
  });
  const layer = semanticLayer({ dir: folder.dir, checkIntervalMs: 60_000 });
  const more = [layer, adminSemantic(), connections(), adminPlugins()];
  await using server = await startServer(await db.url('sqlite'), {}, more);
  const boss = await userOf(server, 'boss@example.com');
  const counts = { connections: 2, entities: 3, metrics: 1, glossaryTerms: 1, plugins: expect.any(Number) };
  expect((await boss.send(OVERVIEW)).body).toMatchObject(counts);
  expect((await boss.send('/api/v1/admin/semantic/stats')).body.totalEntities).toBe(counts.entities);
  await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
  const files = [{ path: 'entities/more.yml', content: 'table: more\n' }];
  expect((await boss.send('/api/v1/admin/semantic/org/import', { body: { files } })).status).toBe(200);
  expect((await boss.send(OVERVIEW)).body).toMatchObject({ ...counts, entities: 4 });
  expect((await new Client(server).send(OVERVIEW)).status).toBe(401);
});
