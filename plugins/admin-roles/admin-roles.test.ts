import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import {
  type Client,
  databases,
  idOf,
  invite,
  organization,
  startServer,
  USERS,
  userOf,
} from '../../test/harness/managed-server.ts';
import { http } from '../http/index.ts';
import { adminRoles } from './index.ts';

const db = databases();
const ROLES = '/api/v1/admin/roles';
const give = (by: Client, userId: string, role: string) =>
  by.send(`${ROLES}/users/${userId}/role`, { method: 'PUT', body: { role } });
const create = (by: Client, name: string, rights: string[]) => by.send(ROLES, { body: { name, rights } });

/** An administrator of an organization with two members. */
async function acme(server: { url: string }) {
  const boss = await userOf(server, 'boss@example.com');
  const ann = await userOf(server, 'ann@example.com');
  const bob = await userOf(server, 'bob@example.com');
  const orgId = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;
  await invite(boss, ann, 'ann@example.com');
  await invite(boss, bob, 'bob@example.com');
  return { boss, ann, bob, orgId, bossId: await idOf(boss), annId: await idOf(ann), bobId: await idOf(bob) };
}

describe.each(dialects)('roles on %s', (dialect) => {
  it('without an organization are the built-in ones', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const annId = await idOf(ann);
    const list = await boss.send(ROLES);
    expect(list.body).toMatchObject({ total: 3, limit: 50, offset: 0 });
    expect(list.body.roles.map(({ id, members }: { id: string; members: number }) => [id, members])).toEqual([
      ['admin', 1],
      ['analyst', 1],
      ['viewer', 0],
    ]);
    expect(await give(boss, annId, 'viewer')).toMatchObject({ status: 200, body: { userId: annId, role: 'viewer' } });
    expect((await ann.whoami()).body.actor.role).toBe('viewer');
    expect((await boss.send(`${ROLES}/viewer/members`)).body).toEqual({
      members: [{ userId: annId, role: 'viewer', createdAt: expect.stringMatching(/Z$/) }],
      total: 1,
    });
    expect((await boss.send(`${ROLES}/analyst/members`)).body).toEqual({ members: [], total: 0 });
    for (const [method, path, body, status] of [
      ['PUT', `/users/${await idOf(boss)}/role`, { role: 'viewer' }, 403],
      ['PUT', '/users/nobody/role', { role: 'viewer' }, 404],
      ['PUT', `/users/${annId}/role`, { role: 'emperor' }, 404],
      ['PUT', `/users/${annId}/role`, { role: 7 }, 422],
      ['PUT', `/users/${annId}/role`, {}, 422],
      ['PUT', `/users/${'x'.repeat(129)}/role`, { role: 'viewer' }, 400],
      ['GET', `/${'x'.repeat(129)}/members`, undefined, 400],
      ['GET', `/${'x'.repeat(128)}/members`, undefined, 404],
      ['POST', '', { name: 'Support', rights: ['query'] }, 409],
    ] as const) {
      expect([method, path, (await boss.send(ROLES + path, { method, body })).status]).toEqual([method, path, status]);
    }
    expect((await ann.send(ROLES)).body.error).toBe('auth_error');
  });

  it('of an organization grant what they list, at once and nowhere else', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, ann, annId, orgId } = await acme(server);
    const made = await create(boss, 'Support team', ['admin:users', 'query']);
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: 'support-team',
        name: 'Support team',
        description: null,
        rights: ['query', 'admin:users'],
        builtIn: false,
        members: 0,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await create(boss, 'SUPPORT team', ['query'])).status).toBe(409);
    expect((await create(boss, 'Owner', ['query'])).status).toBe(409);
    expect((await create(boss, 'x', ['admin'])).status).toBe(422);
    expect((await create(boss, 'x', [])).status).toBe(422);
    expect((await create(boss, ' ', ['query'])).status).toBe(422);
    // What looks like another name is that name, and so is the id of another role.
    for (const name of ['Ad\u200bmin', '\uff41dmin', 'support-team', 'ADMIN']) {
      expect([name, (await create(boss, name, ['query'])).status]).toEqual([name, 409]);
    }
    expect((await create(boss, 'Adm\u0131n helpers \ud83d\udc69\u200d\ud83d\udcbb', ['query'])).status).toBe(201);

    expect((await ann.send(USERS)).status).toBe(403);
    expect((await give(boss, annId, 'support team')).body).toEqual({ userId: annId, role: 'support-team' });
    expect((await ann.whoami()).body.actor).toMatchObject({ role: 'viewer', rights: ['query', 'admin:users'] });
    expect((await ann.send(USERS)).body.total).toBe(3);
    expect((await ann.send('/api/v1/admin/only')).status).toBe(403);
    expect((await ann.send(ROLES)).status).toBe(403);
    expect((await boss.send(`${USERS}?search=ann`)).body.users[0]).toMatchObject({
      role: 'viewer',
      customRole: 'support-team',
    });
    expect((await boss.send(`${USERS}/stats`)).body.byRole).toEqual({ admin: 1, analyst: 1, viewer: 1 });
    expect((await boss.send(`${ROLES}/viewer/members`)).body.total).toBe(0);
    expect((await boss.send(`${ROLES}/support-team/members`)).body.members).toMatchObject([{ userId: annId }]);

    const changed = await boss.send(`${ROLES}/support-team`, { method: 'PUT', body: { rights: ['approve'] } });
    expect(changed.body).toMatchObject({ name: 'Support team', rights: ['approve'], members: 1 });
    expect([(await ann.send(USERS)).status, (await ann.whoami()).status]).toEqual([403, 403]);
    expect((await boss.send(`${USERS}?role=analyst`)).body.total).toBe(2);
    expect((await boss.send(`${ROLES}/support-team`, { method: 'DELETE' })).status).toBe(409);
    expect((await boss.send(`${ROLES}/viewer`, { method: 'DELETE' })).status).toBe(409);
    expect((await boss.send(`${ROLES}/viewer`, { method: 'PUT', body: { name: 'x' } })).status).toBe(409);

    // Outside of the organization it does not exist.
    const eve = await userOf(server, 'eve@example.com');
    await db.connect(server.database)('auth_user').where({ email: 'eve@example.com' }).update({ role: 'admin' });
    eve.cookies.delete('authlib.session_data');
    await organization(eve, 'create', { name: 'Evil', slug: 'evil' });
    for (const method of ['GET', 'DELETE']) {
      expect((await eve.send(`${ROLES}/support-team`, { method })).status).toBe(404);
    }
    expect((await eve.send(`${ROLES}/support-team/members`)).status).toBe(404);
    expect((await eve.send(ROLES)).body.total).toBe(3);

    expect((await give(boss, annId, 'viewer')).body.role).toBe('viewer');
    expect((await ann.whoami()).body.actor.rights).toBeUndefined();
    expect((await boss.send(`${ROLES}/support-team`, { method: 'DELETE' })).body).toEqual({ success: true });
    expect((await boss.send(`${ROLES}/support-team`)).status).toBe(404);
    expect((await ann.whoami()).body.orgId).toBe(orgId);
  });

  it('do not let their members raise themselves, or others above themselves', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, ann, annId, bossId, bobId } = await acme(server);
    await create(boss, 'manager', ['query', 'admin:users', 'admin:roles']);
    await create(boss, 'auditor', ['admin:audit']);
    await give(boss, annId, 'manager');
    for (const [method, path, body] of [
      ['PUT', `${ROLES}/users/${annId}/role`, { role: 'admin' }],
      ['PUT', `${ROLES}/users/${bobId}/role`, { role: 'admin' }],
      ['PUT', `${ROLES}/users/${bobId}/role`, { role: 'auditor' }],
      ['PUT', `${ROLES}/users/${bossId}/role`, { role: 'viewer' }],
      ['PATCH', `${USERS}/${bobId}/role`, { role: 'admin' }],
      ['POST', `${USERS}/${bossId}/ban`, {}],
      ['POST', `${USERS}/${bossId}/revoke`, undefined],
      ['DELETE', `${USERS}/${bossId}`, undefined],
      ['POST', ROLES, { name: 'mine', rights: ['query', 'admin:settings'] }],
      ['PUT', `${ROLES}/manager`, { rights: ['query', 'admin:users', 'admin:roles', 'approve'] }],
      ['PUT', `${ROLES}/auditor`, { rights: ['query'] }],
      ['DELETE', `${ROLES}/auditor`, undefined],
      ['POST', `${USERS}/invitations`, { email: 'new@example.com', role: 'admin' }],
    ] as const) {
      expect([path, body, await ann.send(path, { method, body })]).toMatchObject([
        path,
        body ?? undefined,
        { status: 403, body: { error: 'forbidden' } },
      ]);
    }
    // Bob may approve, which Ann may not, until somebody who may takes it away.
    expect((await give(ann, bobId, 'viewer')).status).toBe(403);
    expect((await give(boss, bobId, 'viewer')).status).toBe(200);
    expect((await give(ann, bobId, 'manager')).status).toBe(200);
    expect((await create(ann, 'reader', ['query'])).status).toBe(201);
    expect((await organization(ann, 'invite-member', { email: 'x@example.com', role: 'admin' })).status).toBe(403);
  });
});

it('go by the rights of the moment, not by those of when a change was asked for', async () => {
  await using server = await startServer(await db.url('postgres'));
  const { boss, ann, annId } = await acme(server);
  await create(boss, 'manager', ['query', 'admin:roles']);
  await create(boss, 'reader', ['query']);
  await give(boss, annId, 'manager');
  const change = { method: 'PUT', body: { rights: ['query', 'admin:roles'] } };
  expect((await ann.send(`${ROLES}/reader`, change)).status).toBe(200);
  const rival = db.connect(server.database);
  let waiting: ReturnType<typeof ann.send> | undefined;
  await rival.transaction(async (trx) => {
    await trx('auth_lock').where({ name: 'admins' }).forUpdate().select('name');
    waiting = ann.send(`${ROLES}/manager`, change);
    const isWaiting = () =>
      rival('pg_stat_activity').where({ wait_event_type: 'Lock' }).whereRaw('datname = current_database()');
    await expect.poll(async () => (await isWaiting()).length, { timeout: 20_000 }).toBe(1);
    await trx('auth_member').where({ userId: annId }).update({ role: 'reader' });
    await trx('auth_role').where({ id: 'reader' }).update({ rights: '["query"]' });
  });
  expect(await waiting).toMatchObject({ status: 403, body: { error: 'forbidden' } });
});

it('leave everybody what is their own', async () => {
  await using server = await startServer(await db.url('sqlite'));
  const { boss, ann, annId, orgId } = await acme(server);
  await create(boss, 'auditor', ['admin:audit']);
  await give(boss, annId, 'auditor');
  expect((await ann.whoami()).status).toBe(403);
  for (const [path, body] of [
    ['list-sessions'],
    ['organization/list'],
    ['organization/get-active-member'],
    ['organization/set-active', { organizationId: orgId }],
    ['revoke-other-sessions', {}],
    ['update-user', { name: 'Ann' }],
    ['organization/leave', { organizationId: orgId }],
  ] as const) {
    expect([path, (await ann.send(`/api/auth/${path}`, { body })).status]).toEqual([path, 200]);
  }
  expect((await ann.whoami()).body).toMatchObject({ orgId: null, actor: { role: 'analyst' } });
});

it('are not available without managed authentication', async () => {
  await using app = await createTestApp({ plugins: [http({ port: 0 }), adminRoles()] });
  for (const [method, path] of [
    ['GET', ''],
    ['POST', ''],
    ['GET', '/viewer/members'],
    ['PUT', '/users/x/role'],
  ] as const) {
    const answer = await app.inject({ method, url: ROLES + path });
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([404, 'not_available']);
  }
});
