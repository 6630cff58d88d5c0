import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnv } from '../../config/env.ts';
import { selfHosted } from '../../config/presets/self-hosted.ts';
import { AtlasError, definePlugin, defineRoute, httpRoutes, modelResolve, Type } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { Issuer, makeKey, NOW, sign } from '../../test/harness/token-issuer.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { me } from './index.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'atlas-me-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SEMANTIC = new URL('../../semantic', import.meta.url).pathname;
let databases = 0;

function presetOf(env: Readonly<Record<string, string>>) {
  databases += 1;
  const DATABASE_URL = `sqlite:${join(folder, `${databases}.db`)}`;
  return selfHosted(
    readEnv({ PORT: '0', SVC_SEMANTIC_DIR: SEMANTIC, SVC_PROVIDER: 'offline', DATABASE_URL, ...env }).env,
  );
}

const start = (env: Readonly<Record<string, string>> = {}) =>
  createTestApp({ plugins: presetOf(env), openGates: false, now: NOW });

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function meOf(app: TestApp, headers: Record<string, string> = {}): Promise<any> {
  const { statusCode, body } = await app.inject({ method: 'GET', url: '/api/v1/me', headers });
  return { status: statusCode, ...JSON.parse(body) };
}

const ASKING = ['chat', 'history', 'schedules', 'shares', 'usage'];
const ADMINISTRATION = [
  'approval-rules',
  'approvals',
  'audit',
  'connections',
  'ip-allowlist',
  'learn',
  'model',
  'overview',
  'plugins',
  'preview',
  'prompts',
  'semantic',
  'settings',
  'verified',
];
const ACCOUNT = ['account'];
const OF_USERS = ['invitations', 'roles', 'users'];
const ALL_ON = { SVC_ACTIONS_ENABLED: 'true', SVC_SCHEDULER_ENABLED: 'true' };
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const OFFLINE = { provider: 'offline', modelId: 'offline', isOffline: true };

describe('without authentication', () => {
  it('everybody is an anonymous administrator, and there are no users to administer', async () => {
    await using app = await start(ALL_ON);
    const { areas, rights, ...rest } = await meOf(app);
    expect(rest).toEqual({
      status: 200,
      user: null,
      role: 'admin',
      orgId: null,
      organizations: [],
      mode: 'none',
      model: OFFLINE,
      version,
    });
    expect(areas.sort()).toEqual([...ADMINISTRATION, ...ASKING].sort());
    expect(rights).toEqual(expect.arrayContaining(['self', 'query', 'approve', 'admin', 'admin:users']));
  });

  it('an area whose plugin is off, or without what it needs, does not exist', async () => {
    await using off = await start();
    expect((await meOf(off)).areas).not.toContain('schedules');
    expect((await meOf(off)).areas).not.toContain('approvals');
    await using stateless = await createTestApp({
      openGates: false,
      plugins: presetOf(ALL_ON).map((entry) => (entry.definition === internalDb.definition ? internalDb({}) : entry)),
    });
    expect((await meOf(stateless)).areas.sort()).toEqual([
      'chat',
      'connections',
      'overview',
      'plugins',
      'preview',
      'semantic',
      'settings',
      'verified',
    ]);
    await using hosted = await start({ SVC_DEPLOY_MODE: 'hosted', SVC_BACKUP_DIR: folder });
    expect((await meOf(hosted)).areas).toContain('backups');
  });
});

it('with API keys: the key, its role and rights; without one, 401', async () => {
  const keys = (['viewer', 'analyst', 'admin'] as const).map((role) => ({
    role,
    name: `${role} key`,
    key: `k-${role}-${'x'.repeat(20)}`,
  }));
  await using app = await createTestApp({
    openGates: false,
    plugins: presetOf({ ...ALL_ON, SVC_API_KEY: 'x'.repeat(20) }).map((entry) =>
      entry.definition === authApiKey.definition ? authApiKey({ keys }) : entry,
    ),
  });
  const as = (role: string) => meOf(app, { 'x-api-key': `k-${role}-${'x'.repeat(20)}` });
  const viewer = await as('viewer');
  expect(viewer).toMatchObject({
    user: { id: expect.stringMatching(/^api-key:/), email: null, name: 'viewer key' },
    role: 'viewer',
    rights: ['self', 'query'],
    mode: 'api-key',
    orgId: null,
  });
  expect(viewer.areas.sort()).toEqual(ASKING);
  expect(await as('analyst')).toMatchObject({ role: 'analyst', rights: ['self', 'query', 'approve'] });
  expect((await as('admin')).areas.sort()).toEqual([...ADMINISTRATION, ...ASKING].sort());
  expect(await meOf(app)).toMatchObject({ status: 401, error: 'auth_error' });
  expect(await meOf(app, { 'x-api-key': 'wrong' })).toMatchObject({ status: 401, error: 'auth_error' });
});

it('with tokens: what the token says, and only what its organization lets it administer', async () => {
  const key = await makeKey('one');
  const issuer = await Issuer.start(key);
  await using app = await start({
    ...ALL_ON,
    SVC_AUTH_JWKS_URL: issuer.jwksUrl,
    SVC_AUTH_ISSUER: 'https://id.example.com/',
    SVC_RLS_ENABLED: 'true',
    SVC_RLS_COLUMN: 'tenant',
    SVC_RLS_CLAIM: 'tenant',
  });
  const as = async (claims: Record<string, unknown>) =>
    meOf(app, { authorization: `Bearer ${await sign(key, claims)}` });
  const ann = { sub: 'ann', email: 'ann@example.com', name: 'Ann', role: 'admin', org_id: 'acme' };
  expect(await as(ann)).toMatchObject({
    user: { id: 'ann', email: 'ann@example.com', name: 'Ann' },
    role: 'admin',
    orgId: 'acme',
    organizations: [],
    mode: 'byot',
    areas: expect.arrayContaining(['audit', 'chat']),
  });
  const { areas } = await as({ sub: 'bob', role: 'admin' });
  expect(areas).toContain('overview');
  for (const closed of ['audit', 'approvals', 'ip-allowlist', 'model', 'settings']) expect(areas).not.toContain(closed);
  await issuer.stop();
});

describe('with managed users', () => {
  const password = 'correct horse battery';

  async function startManaged(env = {}) {
    const app = await start({ ...ALL_ON, AUTHLIB_SECRET: 's'.repeat(40), ...env });
    const send = async (url: string, payload: object | undefined, headers: Record<string, string> = {}) => {
      const method = payload === undefined ? 'GET' : 'POST';
      return app.inject({ method, url, headers, ...(payload && { payload }) });
    };
    const signIn = async (email: string, secret = password) => {
      const { headers } = await send('/api/auth/sign-in/email', { email, password: secret });
      return { authorization: `Bearer ${String(headers['set-auth-token'])}` };
    };
    const signUp = async (email: string, name: string) => {
      await send('/api/auth/sign-up/email', { email, password, name });
      return signIn(email);
    };
    const found = async (headers: Record<string, string>, name: string) =>
      (await send('/api/auth/organization/create', { name, slug: name.toLowerCase() }, headers)).json<{ id: string }>()
        .id;
    return { app, send, signIn, signUp, found, [Symbol.asyncDispose]: () => app.close() };
  }

  it('tells name, address, organizations and the role in the active one', async () => {
    await using t = await startManaged();
    const boss = await t.signUp('boss@example.com', 'The Boss');
    const ann = await t.signUp('ann@example.com', 'Ann');
    expect(await meOf(t.app, boss)).toMatchObject({ orgId: null, organizations: [], role: 'admin' });
    const beta = await t.found(boss, 'Beta');
    const acme = await t.found(boss, 'Acme');
    const { areas, rights, ...shown } = await meOf(t.app, boss);
    expect(shown).toEqual({
      status: 200,
      user: { id: expect.any(String), email: 'boss@example.com', name: 'The Boss' },
      role: 'admin',
      orgId: acme,
      organizations: [
        { id: acme, name: 'Acme' },
        { id: beta, name: 'Beta' },
      ],
      mode: 'managed',
      model: OFFLINE,
      version,
    });
    expect(areas.sort()).toEqual([...ADMINISTRATION, ...ASKING, ...OF_USERS, ...ACCOUNT].sort());
    expect(rights).toContain('admin');

    const of = (url: string, payload: object) => t.send(url, payload, boss);
    const role = (await of('/api/v1/admin/roles', { name: 'auditor', rights: ['query', 'admin:audit'] })).json<{
      id: string;
    }>();
    const invitation = await of('/api/v1/admin/users/invitations', { email: 'ann@example.com', role: role.id });
    const accept = { invitationId: invitation.json<{ id: string }>().id };
    expect((await t.send('/api/auth/organization/accept-invitation', accept, ann)).statusCode).toBe(200);
    const auditor = await meOf(t.app, ann);
    expect(auditor).toMatchObject({
      user: { name: 'Ann' },
      orgId: acme,
      organizations: [{ id: acme, name: 'Acme' }],
      rights: ['self', 'query', 'admin:audit'],
    });
    expect(auditor.areas.sort()).toEqual(['audit', ...ASKING, ...ACCOUNT].sort());
  });

  it('shows backups to administrators of the platform alone', async () => {
    await using t = await startManaged({ SVC_DEPLOY_MODE: 'hosted', SVC_BACKUP_DIR: folder });
    const boss = await t.signUp('boss@example.com', 'Boss');
    expect((await meOf(t.app, boss)).areas).toContain('backups');
    await t.found(boss, 'Acme');
    const { areas } = await meOf(t.app, boss);
    expect(['audit', 'backups', 'settings'].filter((area) => areas.includes(area))).toEqual(['audit']);
  });

  it('answers nothing while the password has to be changed', async () => {
    await using t = await startManaged({ SVC_ADMIN_EMAIL: 'boss@example.com' });
    const boss = await t.signIn('boss@example.com', 'atlas-dev-admin');
    expect(await meOf(t.app, boss)).toMatchObject({ status: 403, error: 'forbidden' });
  });
});

it('counts one request against the rate limit, and nothing in the audit', async () => {
  await using app = await start({ SVC_RATE_LIMIT_RPM: '3' });
  for (const status of [200, 200]) expect((await meOf(app)).status).toBe(status);
  const audit = await app.inject({ method: 'GET', url: '/api/v1/admin/audit' });
  expect(audit.json()).toMatchObject({ total: 0 });
  expect((await meOf(app)).status).toBe(429);
});

it.each([
  ['is none', undefined],
  ['cannot be opened', new AtlasError('The key cannot be read.', { code: 'configuration_error' })],
])('answers without a model where there %s', async (_, error) => {
  const broken = definePlugin({
    name: 'model-broken',
    version: '1.0.0',
    type: 'model',
    description: 'Fails.',
    setup: (ctx) =>
      ctx.tap(modelResolve, () => {
        if (error !== undefined) throw error;
        return undefined;
      }),
  });
  await using app = await createTestApp({ plugins: [http({ listen: false }), me(), broken()] });
  expect(await meOf(app)).toMatchObject({ status: 200, model: null, areas: [], mode: 'test' });
});

it.each([
  ['forbidden', 200],
  ['unavailable', 503],
])('where an area is %s, answers %i', async (code, status) => {
  const things = definePlugin({
    name: 'things',
    version: '1.0.0',
    type: 'interaction',
    description: 'Has a route that is not ready.',
    setup: (ctx) =>
      ctx.tap(httpRoutes, () => [
        defineRoute({
          method: 'GET',
          path: '/api/v1/things',
          operationId: 'listThings',
          summary: 'Things.',
          tag: 'Things',
          area: 'things',
          right: 'query',
          responses: { 200: Type.Object({}) },
          ready() {
            throw new AtlasError('Not now.', { code });
          },
          handle: async () => ({ body: {} }),
        }),
      ]),
  });
  await using app = await createTestApp({ plugins: [http({ listen: false }), me(), things()] });
  expect(await meOf(app)).toMatchObject(status === 200 ? { status, areas: [] } : { status, error: code });
});
