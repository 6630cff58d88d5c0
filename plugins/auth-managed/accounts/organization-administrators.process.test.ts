import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/harness/create-test-app.ts';
import { dialects } from '../../../test/harness/internal-databases.ts';
import {
  Client,
  databases,
  idOf,
  invite,
  organization,
  setRole,
  startServer,
  USERS,
  userOf,
} from '../../../test/harness/managed-server.ts';
import { authManaged } from '../index.ts';

const db = databases();

/** The role as routes, claims, the session and the right to administer show it; fails where they differ. */
async function roleOf(client: Client): Promise<string> {
  const { actor } = (await client.whoami()).body;
  const session = (await client.send('/api/auth/get-session')).body;
  const { status } = await client.send(USERS);
  expect([actor.claims.role, session.user.role, status]).toEqual([
    actor.role,
    actor.role,
    actor.role === 'admin' ? 200 : 403,
  ]);
  return actor.role;
}

/** Two organizations, each with an owner who is administrator; one is invited to the other's, with `role`. */
async function invited(server: { url: string }, role: string) {
  const boss = await userOf(server, 'boss@example.com');
  const ann = await userOf(server, 'ann@example.com');
  const eve = await userOf(server, 'eve@example.com');
  const [annId, eveId] = [await idOf(ann), await idOf(eve)];
  for (const id of [annId, eveId]) expect((await setRole(boss, id, 'admin')).status).toBe(200);
  const acme = (await organization(ann, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;
  const evil = (await organization(eve, 'create', { name: 'Evil', slug: 'evil' })).body.id as string;
  expect([await roleOf(ann), await roleOf(eve)]).toEqual(['admin', 'admin']);
  await invite(ann, eve, 'eve@example.com', role);
  const script = new Client(server, (await new Client(server).signIn('eve@example.com')).body.token);
  for (const client of [eve, script]) await organization(client, 'set-active', { organizationId: acme });
  const { members } = (await ann.send('/api/auth/organization/list-members')).body;
  const memberId = members.find(({ userId }: { userId: string }) => userId === eveId).id as string;
  return { boss, ann, eve, script, annId, eveId, acme, evil, memberId };
}

describe.each(dialects)('an administrator of another organization, on %s', (dialect) => {
  it.each(['member', 'analyst', 'viewer'])('has no administrator rights as %s of one', async (role) => {
    await using server = await startServer(await db.url(dialect));
    const { ann, eve, script, annId, eveId, acme, evil } = await invited(server, role);
    for (const client of [eve, script]) {
      expect(await roleOf(client)).toBe('analyst');
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['GET', '/stats', undefined],
        ['PATCH', `/${annId}/role`, { role: 'viewer' }],
        ['PATCH', `/${eveId}/role`, { role: 'admin' }],
        ['POST', `/${annId}/ban`, {}],
        ['POST', `/${annId}/revoke`, {}],
        ['DELETE', `/${annId}`, undefined],
      ] as const) {
        const { status } = await client.send(USERS + path, { method, body });
        expect([method, path, status]).toEqual([method, path, 403]);
      }
      expect((await client.send('/api/v1/admin/only')).status).toBe(403);
      // Nor is a new organization a way around it.
      expect((await organization(client, 'create', { name: 'Mine', slug: 'mine' })).status).toBe(403);
    }
    expect(await roleOf(ann)).toBe('admin');
    const page = (await ann.send(`${USERS}?role=analyst`)).body;
    expect([page.total, page.users[0].id, page.users[0].role]).toEqual([1, eveId, 'analyst']);
    expect((await ann.send(`${USERS}/stats`)).body).toMatchObject({ total: 2, byRole: { admin: 1, analyst: 1 } });
    // In their own one nothing has changed, in one session at a time.
    await organization(eve, 'set-active', { organizationId: evil });
    expect([await roleOf(eve), await roleOf(script)]).toEqual(['admin', 'analyst']);
    await organization(eve, 'set-active', { organizationId: acme });
    expect(await roleOf(eve)).toBe('analyst');
    await organization(eve, 'leave', { organizationId: acme });
    expect([await roleOf(eve), await roleOf(script)]).toEqual(['admin', 'admin']);
  });

  it('administers it while being its admin, whatever the cookie says', async () => {
    await using server = await startServer(await db.url(dialect));
    const { ann, eve, script, memberId } = await invited(server, 'admin');
    expect([await roleOf(eve), await roleOf(script)]).toEqual(['admin', 'admin']);
    expect(eve.cookies.has('authlib.session_data')).toBe(true);
    expect((await organization(ann, 'update-member-role', { memberId, role: 'member' })).status).toBe(200);
    expect([await roleOf(eve), await roleOf(script)]).toEqual(['analyst', 'analyst']);
    await organization(ann, 'update-member-role', { memberId, role: 'owner' });
    expect([await roleOf(eve), await roleOf(script)]).toEqual(['admin', 'admin']);
    // Another server changes it.
    await db.connect(server.database)('auth_member').where({ id: memberId }).update({ role: 'member' });
    expect([await roleOf(eve), await roleOf(script)]).toEqual(['analyst', 'analyst']);
  });

  it('cannot change a user who also belongs to an organization where they are a plain member', async () => {
    await using server = await startServer(await db.url(dialect));
    const { ann, eve, evil } = await invited(server, 'member');
    const mal = await userOf(server, 'mal@example.com');
    const malId = await idOf(mal);
    await invite(ann, mal, 'mal@example.com', 'member');
    await organization(eve, 'set-active', { organizationId: evil });
    await invite(eve, mal, 'mal@example.com', 'member');
    for (const { status } of [
      await setRole(eve, malId, 'admin'),
      await eve.send(`${USERS}/${malId}/ban`, { body: {} }),
      await eve.send(`${USERS}/${malId}`, { method: 'DELETE' }),
    ]) {
      expect(status).toBe(403);
    }
  });

  it('cannot demote the last administrator of the platform, a plain member of the organization', async () => {
    await using server = await startServer(await db.url(dialect));
    const { ann, annId, acme, eveId } = await invited(server, 'member');
    const { users } = server.get(authManaged);
    const actor = { id: eveId, label: eveId, role: 'admin', mode: 'api-key', claims: {} } as const;
    await expect(users.setRole(testScope({ actor, orgId: acme }), annId, 'viewer')).rejects.toMatchObject({
      message: 'The last administrator has to stay one.',
    });
    expect(await roleOf(ann)).toBe('admin');
  });
});

describe.each(dialects)('members of an organization, on %s', (dialect) => {
  it('get no rights from a membership alone, and administer while they are promoted', async () => {
    await using server = await startServer(await db.url(dialect));
    const { ann } = await invited(server, 'member');
    const bob = await userOf(server, 'bob@example.com');
    const bobId = await idOf(bob);
    await invite(ann, bob, 'bob@example.com', 'admin');
    expect(await roleOf(bob)).toBe('analyst');
    expect((await setRole(ann, bobId, 'viewer')).status).toBe(200);
    expect(await roleOf(bob)).toBe('viewer');
    const membership = async () => (await bob.send('/api/auth/organization/get-active-member')).body.role;
    for (const [role, member] of [
      ['analyst', 'member'],
      ['admin', 'admin'],
      ['analyst', 'member'],
    ] as const) {
      expect((await setRole(ann, bobId, role)).body).toMatchObject({ id: bobId, role });
      expect([await roleOf(bob), await membership()]).toEqual([role, member]);
    }
  });
});
