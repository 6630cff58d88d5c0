import { afterAll, expect, it } from 'vitest';
import { readEnv } from '../../config/env.ts';
import { selfHosted } from '../../config/presets/self-hosted.ts';
import { authResolve, definePlugin, type Identity, type PluginEntry } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { agent } from '../agent/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';

const folder = new SqliteFolder();
const layer = layerFolder({ 'entities/orders.yml': 'table: orders\n', 'entities/plans.yml': 'table: plans\n' });
afterAll(() => {
  folder[Symbol.dispose]();
  layer[Symbol.dispose]();
});
const shop = folder.create(
  'shop.db',
  `CREATE TABLE orders (id INTEGER, tenant INTEGER, amount INTEGER);
  INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 999);
  CREATE TABLE plans (id INTEGER, tenant INTEGER);`,
);

const ROLES = ['viewer', 'analyst', 'admin'] as const;
const keyOf = (role: string) => `key-of-the-${role}-${'x'.repeat(16)}`;

const APPROVER: Identity = {
  actor: { id: 'custom', label: null, role: 'analyst', rights: ['approve'], mode: 'custom', claims: { tenant: 1 } },
  orgId: null,
};
const custom = definePlugin({
  name: 'auth-custom-role',
  version: '1.0.0',
  type: 'auth',
  description: 'A role that may approve and nothing else.',
  setup: (ctx) =>
    ctx.tap(authResolve, ({ headers }) => (headers['x-custom'] === undefined ? undefined : APPROVER), { stage: 'pre' }),
});

let databases = 0;
async function start(asked: PluginEntry = agent(), more: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  databases += 1;
  const { env } = readEnv({
    PORT: '0',
    SVC_DATASOURCE_URL: `sqlite:${shop}`,
    SVC_SEMANTIC_DIR: layer.dir,
    SVC_PROVIDER: 'offline',
    SVC_API_KEY: 'unused-unused-unused',
    SVC_RLS_ENABLED: 'true',
    SVC_RLS_COLUMN: 'tenant',
    SVC_RLS_CLAIM: 'tenant',
    SVC_ACTIONS_ENABLED: 'true',
    DATABASE_URL: `sqlite:${folder.path}/atlas-${databases}.db`,
    ...more,
  });
  const keys = ROLES.map((role) => ({ key: keyOf(role), role, name: role, claims: { tenant: 1 } }));
  const plugins = selfHosted(env).map((entry) =>
    entry.definition === authApiKey.definition
      ? authApiKey({ keys })
      : entry.definition === agent.definition
        ? asked
        : entry,
  );
  return createTestApp({ plugins: [...plugins, custom()], openGates: false });
}

const TOTAL = 'SELECT sum(amount) AS total FROM orders';

function run(app: TestApp, headers: Record<string, string>, payload: object = { sql: TOTAL }) {
  return app.inject({ method: 'POST', url: '/api/v1/sql', headers, payload });
}
const as = (role: string) => ({ 'x-api-key': keyOf(role) });

it('is for analysts and administrators, and shows what row security lets them see', async () => {
  await using app = await start();
  for (const role of ['analyst', 'admin']) {
    const { statusCode, ...answer } = await run(app, as(role));
    expect([statusCode, answer.json()]).toMatchObject([
      200,
      { rows: [{ total: 30 }], executedSql: expect.any(String) },
    ]);
    expect(answer.json<{ executedSql: string }>().executedSql).toContain('?');
  }
  const refused = await run(app, as('viewer'));
  expect([refused.statusCode, refused.json()]).toMatchObject([
    403,
    { error: 'auth_error', message: expect.stringContaining('needs the role analyst; yours is viewer') },
  ]);
  expect((await run(app, {})).statusCode).toBe(401);
  const approver = await run(app, { 'x-custom': '1' });
  expect([approver.statusCode, approver.json()]).toMatchObject([
    403,
    { error: 'auth_error', message: expect.stringContaining('needs the right query') },
  ]);

  const { entries } = (await app.inject({ method: 'GET', url: '/api/v1/admin/audit', headers: as('admin') })).json<{
    entries: object[];
  }>();
  const entry = { sql: TOTAL, surface: 'api', success: true, rowCount: 1, tables: ['orders'] };
  for (const userLabel of ['admin', 'analyst']) {
    expect(entries).toContainEqual(expect.objectContaining({ ...entry, userLabel }));
  }
  expect(entries).toHaveLength(2);
});

it('what became of the statement is for those who may see SQL', async () => {
  await using app = await start(agent(), { SVC_SQL_FOR: 'admin' });
  const [analyst, admin] = await Promise.all(['analyst', 'admin'].map((role) => run(app, as(role))));
  expect(analyst?.json()).toMatchObject({ rows: [{ total: 30 }], sql: TOTAL, executedSql: '' });
  expect(admin?.json()).toMatchObject({ executedSql: expect.stringContaining('?') });
});

it('is held back by approval rules like every statement', async () => {
  await using app = await start();
  const rule = { name: 'Plans', ruleType: 'table', pattern: 'plans' };
  const url = '/api/v1/admin/approval/rules';
  expect((await app.inject({ method: 'POST', url, headers: as('admin'), payload: rule })).statusCode).toBe(201);
  const held = await run(app, as('analyst'), { sql: 'SELECT count(*) AS n FROM plans' });
  expect([held.statusCode, held.json()]).toMatchObject([
    400,
    { error: 'sql_refused', details: [{ path: 'sql', message: expect.stringContaining('awaits approval as action') }] },
  ]);
  const inbox = await app.inject({ method: 'GET', url: '/api/v1/admin/actions', headers: as('admin') });
  expect(inbox.json()).toMatchObject({ total: 1, actions: [{ status: 'pending', action_type: 'sql' }] });
});

it('holds the memory of rows only until they are sent', async () => {
  await using app = await start(agent({ questionBudgetBytes: 1024 ** 2, processBudgetBytes: 1024 ** 2 }));
  const from = 'orders a, orders b, orders c, orders d, orders e, orders f';
  const wide = { sql: `SELECT replace(hex(a.id || '${'x'.repeat(10_000)}'), '7', 'xx') AS wide FROM ${from}` };
  for (let asked = 0; asked < 5; asked += 1) {
    const answer = await run(app, as('analyst'), wide);
    expect([asked, answer.statusCode]).toEqual([asked, 200]);
    // What does not fit is left out, and said to be.
    expect(answer.json()).toMatchObject({ rowCount: expect.any(Number), truncated: true });
  }
});
