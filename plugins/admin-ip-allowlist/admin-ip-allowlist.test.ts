import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import {
  type Answer,
  Client,
  databases,
  idOf,
  invite,
  organization,
  setRole,
  startServer,
  userOf,
} from '../../test/harness/managed-server.ts';
import { audit } from '../audit/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { adminIpAllowlist } from './index.ts';

const db = databases();
const LIST = '/api/v1/admin/ip-allowlist';

/** Behind a trusted proxy, so that clients have addresses. */
const start = async (url: string) => startServer(url, {}, [adminIpAllowlist(), audit()], { trustProxy: true });

const from = (ip: string) => ({ 'x-forwarded-for': ip });
const OFFICE = from('203.0.113.9');
const HOME = from('198.51.100.1');

const refusal = ({ status, body }: Answer) => [status, body.error];
const add = (client: Client, cidr: string, headers = OFFICE, more = {}) =>
  client.send(LIST, { body: { cidr, ...more }, headers });

describe.each(dialects)('the IP allowlist on %s', (dialect) => {
  it('lets an organization be reached from its networks only', async () => {
    await using server = await start(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const other = await userOf(server, 'other@example.com');
    await setRole(boss, await idOf(other), 'admin');
    const beta = (await organization(other, 'create', { name: 'Beta', slug: 'beta' })).body.id as string;
    const orgId = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;
    await invite(boss, ann, 'ann@example.com');
    await invite(other, ann, 'ann@example.com');
    const traveller = new Client(server, (await new Client(server).signIn('ann@example.com')).body.token);
    await organization(traveller, 'set-active', { organizationId: beta });
    await organization(ann, 'set-active', { organizationId: orgId });

    const bossId = await idOf(boss);

    const added = await add(boss, ' 203.0.113.77/24 ', OFFICE, { description: 'office' });
    const entry = {
      id: expect.any(String),
      orgId,
      cidr: '203.0.113.0/24',
      description: 'office',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      createdBy: bossId,
    };
    expect([added.status, added.body]).toEqual([201, { entry }]);
    expect((await boss.send(LIST, { headers: OFFICE })).body).toEqual({
      entries: [entry],
      total: 1,
      limit: 50,
      offset: 0,
    });

    for (const client of [boss, ann]) {
      expect((await client.send('/api/v1/whoami', { headers: OFFICE })).status).toBe(200);
      expect((await client.send('/api/v1/whoami', { headers: from('::ffff:203.0.113.9') })).status).toBe(200);
      for (const path of ['/api/v1/whoami', '/api/auth/get-session', '/api/auth/list-sessions']) {
        expect(refusal(await client.send(path, { headers: HOME }))).toEqual([403, 'ip_not_allowed']);
      }
    }
    // Nor is a session that works in another organization a way around it.
    for (const [path, body] of [
      [`get-full-organization?organizationId=${orgId}`, undefined],
      ['get-organization?organizationSlug=acme', undefined],
      [`list-members?organizationId=${orgId}`, undefined],
      ['set-active', { organizationId: orgId }],
      ['leave', { organizationId: orgId }],
      ['has-permission', { organizationId: orgId, permissions: { member: ['delete'] } }],
    ] as const) {
      const ask = (headers: Record<string, string>) =>
        traveller.send(`/api/auth/organization/${path}`, { body, headers });
      expect([path, ...refusal(await ask(HOME))]).toEqual([path, 403, 'ip_not_allowed']);
      if (body === undefined) expect([path, (await ask(OFFICE)).status]).toEqual([path, 200]);
    }
    expect((await traveller.send('/api/v1/whoami', { headers: HOME })).body.orgId).toBe(beta);
    // Others are not concerned, and the way in stays open.
    expect((await other.send('/api/v1/whoami', { headers: HOME })).status).toBe(200);
    expect((await new Client(server).signIn('ann@example.com', undefined, HOME)).status).toBe(200);
    expect((await new Client(server).send('/api/auth/get-session', { headers: HOME })).body).toBeNull();

    const token = (await ann.signIn('ann@example.com')).body.token as string;
    const script = new Client(server, token);
    expect(refusal(await script.send('/api/v1/whoami', { headers: HOME }))).toEqual([403, 'ip_not_allowed']);
    expect((await script.send('/api/v1/whoami', { headers: OFFICE })).status).toBe(200);

    const path = `${LIST}/${added.body.entry.id}`;
    expect((await boss.send(path, { method: 'DELETE', headers: OFFICE })).body).toEqual({ success: true });
    expect((await boss.send('/api/v1/whoami', { headers: HOME })).status).toBe(200);
    expect((await boss.send(path, { method: 'DELETE', headers: OFFICE })).status).toBe(404);
    const { changes } = (await boss.send('/api/v1/admin/audit/changes')).body;
    const seen = changes.map(({ action, targetLabel }: Record<string, string>) => `${action} ${targetLabel}`);
    expect(seen.filter((line: string) => line.startsWith('ip_')).sort()).toEqual([
      'ip_allowlist.entry_added 203.0.113.0/24',
      'ip_allowlist.entry_deleted 203.0.113.0/24',
    ]);
    await add(boss, '203.0.113.0/24');
    await boss.send('/api/auth/organization/delete', { body: { organizationId: orgId }, headers: OFFICE });
    expect(await server.get(internalDb).run((knex) => knex('ip_allowlist').select())).toEqual([]);
  });

  it('does not shut out the administrator who changes it', async () => {
    await using server = await start(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    expect(await add(boss, '198.51.100.0/24')).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringContaining('203.0.113.9') },
    });
    const own = (await add(boss, '203.0.113.9')).body.entry;
    expect(own).toMatchObject({ cidr: '203.0.113.9/32', orgId: null, description: null });
    const far = (await add(boss, '2001:db8::/32')).body.entry;
    const remove = (id: string, query = '') =>
      boss.send(`${LIST}/${id}${query}`, { method: 'DELETE', headers: OFFICE });
    expect(refusal(await remove(own.id))).toEqual([409, 'conflict']);
    expect(refusal(await remove(own.id, '?force=maybe'))).toEqual([400, 'invalid_request']);
    expect((await remove(far.id)).status).toBe(200);
    expect((await remove(own.id)).status).toBe(200);

    const forced = await add(boss, '2001:db8::/32', OFFICE, { force: true });
    expect(forced.status).toBe(201);
    expect(refusal(await boss.send(LIST, { headers: OFFICE }))).toEqual([403, 'ip_not_allowed']);
    expect((await boss.send(LIST, { headers: from('2001:db8::7') })).body.total).toBe(1);
    expect((await boss.send('/api/auth/sign-out', { body: {}, headers: OFFICE })).status).toBe(200);
  });

  it('takes each network once, and only networks', async () => {
    await using server = await start(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const added = await Promise.all(
      ['203.0.113.0/24', '203.0.113.8/24', '::ffff:203.0.113.0/120'].map((cidr) => add(boss, cidr)),
    );
    expect(added.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const bad: [unknown, number][] = [
      [{ cidr: 'office' }, 422],
      [{ cidr: '203.0.113.0/33' }, 422],
      [{ cidr: '' }, 422],
      [{ cidr: 7 }, 422],
      [{ cidr: '1'.repeat(65) }, 422],
      [{}, 422],
      [{ cidr: '203.0.114.0/24', more: 1 }, 422],
      [{ cidr: '203.0.114.0/24', description: 'x'.repeat(501) }, 422],
      ['{', 400],
    ];
    for (const [body, status] of bad) {
      const { body: answer, ...sent } = await boss.send(LIST, { body, headers: OFFICE });
      expect([body, sent.status, answer.error]).toEqual([
        body,
        status,
        status === 422 ? 'validation_error' : 'invalid_request',
      ]);
      if (status === 422)
        expect(answer.details[0]).toMatchObject({ path: expect.any(String), message: expect.any(String) });
    }
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'offset=-1']) {
      expect((await boss.send(`${LIST}?${query}`, { headers: OFFICE })).status).toBe(400);
    }
    expect((await boss.send(`${LIST}?limit=1&offset=1`, { headers: OFFICE })).body).toMatchObject({
      entries: [],
      total: 1,
    });
  });

  it('keeps organizations and roles apart', async () => {
    await using server = await start(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const platform = (await add(boss, '203.0.113.0/24')).body.entry.id as string;
    expect((await ann.send(LIST, { headers: OFFICE })).body.error).toBe('auth_error');
    expect((await new Client(server).send(LIST, { headers: OFFICE })).status).toBe(401);
    await boss.send('/api/auth/organization/create', { body: { name: 'Acme', slug: 'acme' }, headers: OFFICE });
    // The organization's list is empty, the platform's is not.
    expect((await boss.send(LIST, { headers: HOME })).body).toMatchObject({ entries: [], total: 0 });
    expect((await boss.send(`${LIST}/${platform}`, { method: 'DELETE' })).status).toBe(404);
    expect(refusal(await ann.send('/api/v1/whoami', { headers: HOME }))).toEqual([403, 'ip_not_allowed']);
  });

  it('refuses while it cannot be read', async () => {
    await using server = await start(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    await add(boss, '203.0.113.0/24');
    await server.get(internalDb).run((knex) => knex.schema.dropTable('ip_allowlist'));
    await expect
      .poll(async () => refusal(await boss.send('/api/v1/whoami', { headers: OFFICE })), { timeout: 10_000 })
      .toEqual([503, 'unavailable']);
    expect((await new Client(server).signIn('boss@example.com')).status).toBe(200);
  });

  it('follows what another server has changed, within seconds', async () => {
    const url = await db.url(dialect);
    await using first = await start(url);
    await using second = await start(url);
    const boss = await userOf(first, 'boss@example.com');
    const there = new Client(second, (await boss.signIn('boss@example.com')).body.token);
    expect((await there.send('/api/v1/whoami', { headers: HOME })).status).toBe(200);
    await add(boss, '203.0.113.0/24');
    await expect
      .poll(async () => (await there.send('/api/v1/whoami', { headers: HOME })).status, { timeout: 10_000 })
      .toBe(403);
  });
});

describe('without accounts', () => {
  const server = (auth: Parameters<typeof createTestApp>[0]['plugins'], url?: string) =>
    createTestApp({
      plugins: [http({ port: 0 }), internalDb(url === undefined ? {} : { url }), ...(auth ?? []), adminIpAllowlist()],
      openGates: false,
    });

  it('is the list of everybody who uses the server', async () => {
    await using app = await server([authNone()], await db.url('sqlite'));
    const shutOut = await app.inject({ method: 'POST', url: LIST, payload: { cidr: '203.0.113.0/24' } });
    expect([shutOut.statusCode, JSON.parse(shutOut.body).error]).toEqual([409, 'conflict']);
    const added = await app.inject({ method: 'POST', url: LIST, payload: { cidr: '127.0.0.0/8' } });
    expect([added.statusCode, JSON.parse(added.body).entry]).toMatchObject([201, { orgId: null, createdBy: null }]);
    expect(JSON.parse((await app.inject({ method: 'GET', url: LIST })).body).total).toBe(1);
  });

  it('is there for the administrator with a key', async () => {
    const keys = [{ key: 'a-key-of-an-administrator', role: 'admin' as const }];
    await using app = await server([authRoles(), authApiKey({ keys })], await db.url('sqlite'));
    const headers = { 'x-api-key': 'a-key-of-an-administrator' };
    const payload = { cidr: '203.0.113.0/24', force: true };
    expect((await app.inject({ method: 'POST', url: LIST, payload, headers })).statusCode).toBe(201);
    const refused = await app.inject({ method: 'GET', url: LIST, headers });
    expect([refused.statusCode, JSON.parse(refused.body).error]).toEqual([403, 'ip_not_allowed']);
    expect((await app.inject({ method: 'GET', url: LIST })).statusCode).toBe(401);
  });

  it('is not available without an internal database, whatever is sent', async () => {
    await using app = await server([authNone()]);
    for (const [method, url] of [
      ['GET', `${LIST}?limit=x`],
      ['POST', LIST],
      ['DELETE', `${LIST}/1`],
    ] as const) {
      const { statusCode, body } = await app.inject({ method, url, ...(method === 'POST' && { payload: {} }) });
      expect([statusCode, JSON.parse(body).error]).toEqual([404, 'not_available']);
    }
  });
});
