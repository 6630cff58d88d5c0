import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const standing = async (client: Client) => {
  const { actor, orgId } = (await client.whoami()).body;
  return [actor.role, orgId];
};
const platform = (id: string) =>
  testScope({ actor: { id, label: id, role: 'admin', mode: 'api-key', claims: {} }, orgId: null });

/** The first administrator with an organization, and a member whom they have made administrator in it. */
async function promoted(server: { url: string }) {
  const boss = await userOf(server, 'boss@example.com');
  const ann = await userOf(server, 'ann@example.com');
  const acme = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;
  await invite(boss, ann, 'ann@example.com');
  const annId = await idOf(ann);
  expect((await setRole(boss, annId, 'admin')).body).toMatchObject({ role: 'admin' });
  const phone = new Client(server, (await new Client(server).signIn('ann@example.com')).body.token);
  expect([await standing(ann), await standing(phone)]).toEqual(Array(2).fill(['admin', acme]));
  return { boss, ann, phone, acme, annId };
}

describe.each(dialects)('an administrator whom an organization made, on %s', (dialect) => {
  it.each<[string, (all: Awaited<ReturnType<typeof promoted>>) => Promise<{ status: number }>]>([
    ['they leave', ({ ann, acme }) => organization(ann, 'leave', { organizationId: acme })],
    ['they are removed', ({ boss }) => organization(boss, 'remove-member', { memberIdOrEmail: 'ann@example.com' })],
    ['it is deleted by somebody else', ({ boss, acme }) => organization(boss, 'delete', { organizationId: acme })],
    [
      'they delete it',
      async ({ boss, ann, acme, annId }) => {
        const { members } = (await boss.send('/api/auth/organization/list-members')).body;
        const { id: memberId } = members.find(({ userId }: { userId: string }) => userId === annId);
        await organization(boss, 'update-member-role', { memberId, role: 'owner' });
        return organization(ann, 'delete', { organizationId: acme });
      },
    ],
  ])('is none any more once %s', async (_, leave) => {
    await using server = await startServer(await db.url(dialect));
    const all = await promoted(server);
    const { boss, ann, phone, annId } = all;
    expect((await leave(all)).status).toBe(200);
    const late = new Client(server);
    await late.signIn('ann@example.com');
    for (const session of [ann, phone, late]) {
      expect(await standing(session)).toEqual(['analyst', null]);
      expect((await session.send(USERS)).status).toBe(403);
      expect((await organization(session, 'create', { name: 'Own', slug: 'own' })).status).toBe(403);
      expect((await organization(session, 'set-active', { organizationId: all.acme })).status).toBe(403);
      expect(await standing(session)).toEqual(['analyst', null]);
    }
    const { users } = server.get(authManaged);
    expect(await users.find(platform('root'), annId)).toMatchObject({ role: 'analyst' });
    // Nor in the next organization.
    const mine = await userOf(server, 'mine@example.com');
    await users.setRole(platform('root'), await idOf(mine), 'admin');
    await organization(mine, 'create', { name: 'Mine', slug: 'mine' });
    await invite(mine, ann, 'ann@example.com');
    expect((await standing(ann))[0]).toBe('analyst');
    expect((await standing(boss))[0]).toBe('admin');
  });

  it('stays one while a member of any organization', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, ann, acme } = await promoted(server);
    const second = (await organization(ann, 'create', { name: 'Second', slug: 'second' })).body.id;
    expect(await standing(ann)).toEqual(['admin', second]);
    await organization(boss, 'remove-member', { memberIdOrEmail: 'ann@example.com', organizationId: acme });
    expect(await standing(ann)).toEqual(['admin', second]);
    expect((await organization(ann, 'delete', { organizationId: second })).status).toBe(200);
    expect(await standing(ann)).toEqual(['analyst', null]);
  });

  it('does not administer the platform, even when the membership ended in another way', async () => {
    await using server = await startServer(await db.url(dialect));
    const { ann, phone, annId } = await promoted(server);
    const database = db.connect(server.database);
    await database('auth_member').where({ userId: annId }).delete();
    await database('auth_session').where({ userId: annId }).update({ activeOrganizationId: null });
    ann.cookies.delete('authlib.session_data');
    expect([await standing(ann), await standing(phone)]).toEqual(Array(2).fill(['analyst', null]));
  });

  it('is none where they leave while they are promoted', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, acme } = await promoted(server);
    const bob = await userOf(server, 'bob@example.com');
    await invite(boss, bob, 'bob@example.com', 'admin');
    await Promise.all([setRole(boss, await idOf(bob), 'admin'), organization(bob, 'leave', { organizationId: acme })]);
    expect(await db.connect(server.database)('auth_user').where({ email: 'bob@example.com' }).pluck('role')).toEqual([
      'analyst',
    ]);
  });

  describe('cannot change an administrator whom the platform appointed, as owner either', () => {
    let server: Awaited<ReturnType<typeof startServer>>;
    let all: Awaited<ReturnType<typeof promoted>>;
    let count = 0;
    const memberOf = async (id: string) => {
      const { members } = (await all.boss.send('/api/auth/organization/list-members')).body;
      return members.find(({ userId }: { userId: string }) => userId === id).id as string;
    };
    beforeAll(async () => {
      server = await startServer(await db.url(dialect));
      all = await promoted(server);
      await organization(all.boss, 'update-member-role', { memberId: await memberOf(all.annId), role: 'owner' });
    });
    afterAll(() => server.close());

    it.each<[string, string, (eve: { email: string; memberId: string }) => object | undefined]>([
      ['PATCH', '/api/v1/admin/users/:id/role', () => ({ role: 'viewer' })],
      ['PUT', '/api/v1/admin/roles/users/:id/role', () => ({ role: 'viewer' })],
      ['POST', '/api/v1/admin/users/:id/ban', () => ({})],
      ['POST', '/api/v1/admin/users/:id/unban', () => ({})],
      ['POST', '/api/v1/admin/users/:id/revoke', () => ({})],
      ['DELETE', '/api/v1/admin/users/:id', () => undefined],
      ['POST', '/api/auth/organization/update-member-role', ({ memberId }) => ({ memberId, role: 'viewer' })],
      ['POST', '/api/auth/organization/remove-member', ({ memberId }) => ({ memberIdOrEmail: memberId })],
      ['POST', '/api/auth/organization/remove-member', ({ email }) => ({ memberIdOrEmail: email })],
    ])('%s %s', async (method, path, body) => {
      const { boss, ann, acme } = all;
      const email = `eve-${count++}@example.com`;
      const eve = await userOf(server, email);
      const eveId = await idOf(eve);
      await server.get(authManaged).users.setRole(platform('root'), eveId, 'admin');
      await invite(boss, eve, email);
      const sent = { method, body: body({ email, memberId: await memberOf(eveId) }) };
      const act = (who: Client) => who.send(path.replace(':id', eveId), sent);
      expect(await act(ann)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
      // Here a plain member, elsewhere what they were.
      expect(await standing(eve)).toEqual(['analyst', acme]);
      expect((await act(boss)).status).toBe(200);
    });
  });
});

describe.each(dialects)('an administrator of the platform, on %s', (dialect) => {
  it('remains one after creating, joining and leaving organizations', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, ann, acme } = await promoted(server);
    const eve = await userOf(server, 'eve@example.com');
    const eveId = await idOf(eve);
    await server.get(authManaged).users.setRole(platform('root'), eveId, 'admin');
    expect(await standing(eve)).toEqual(['admin', null]);
    await invite(boss, eve, 'eve@example.com', 'owner');
    // Once more, in the organization: it does not make them less.
    expect((await setRole(boss, eveId, 'admin')).status).toBe(200);
    expect((await setRole(ann, eveId, 'admin')).status).toBe(403);
    expect((await organization(boss, 'leave', { organizationId: acme })).status).toBe(200);
    expect(await standing(boss)).toEqual(['admin', null]);
    expect((await boss.send(USERS)).body.total).toBe(1);
    expect((await organization(eve, 'delete', { organizationId: acme })).status).toBe(200);
    expect([await standing(eve), await standing(ann)]).toEqual([
      ['admin', null],
      ['analyst', null],
    ]);
  });

  it('cannot join an organization without an invitation', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, acme, annId } = await promoted(server);
    const eve = await userOf(server, 'eve@example.com');
    await server.get(authManaged).users.setRole(platform('root'), await idOf(eve), 'admin');
    const invitation = (await organization(boss, 'invite-member', { email: 'new@example.com', role: 'owner' })).body.id;
    for (const [path, body] of [
      ['set-active', { organizationId: acme }],
      ['set-active', { organizationSlug: 'acme' }],
      ['accept-invitation', { invitationId: invitation }],
      ['invite-member', { organizationId: acme, email: 'eve@example.com', role: 'owner' }],
      ['add-member', { organizationId: acme, userId: await idOf(eve), role: 'owner' }],
      ['update', { organizationId: acme, data: { name: 'Mine' } }],
      ['delete', { organizationId: acme }],
    ] as const) {
      expect([path, (await organization(eve, path, body)).status]).toEqual([path, expect.toBeOneOf([400, 403, 404])]);
    }
    expect((await setRole(eve, annId, 'viewer')).status).toBe(404);
    expect(await standing(eve)).toEqual(['admin', null]);
  });

  it('is set by the migration: the first user, and users without an organization', async () => {
    const url = await db.url(dialect);
    const before = await startServer(url);
    const { boss, ann } = await promoted(before);
    const eve = await userOf(before, 'eve@example.com');
    await before.get(authManaged).users.setRole(platform('root'), await idOf(eve), 'admin');
    await before.close();
    const database = db.connect(url);
    const name = '0003-administrators-of-organizations';
    await database('atlas_migrations').where({ plugin: 'auth-managed', name }).delete();
    // Knex would make the table anew on SQLite, without its triggers.
    await database.raw('alter table auth_user drop column "adminByOrganization"');
    await using server = await startServer(url);
    const again = async (client: Client, email: string) => {
      const fresh = new Client(server);
      await fresh.signIn(email);
      client.cookies.clear();
      return fresh;
    };
    const bossNow = await again(boss, 'boss@example.com');
    const annNow = await again(ann, 'ann@example.com');
    expect([(await standing(bossNow))[0], (await standing(annNow))[0]]).toEqual(['admin', 'admin']);
    const acme = (await standing(bossNow))[1];
    await organization(bossNow, 'delete', { organizationId: acme });
    expect([
      await standing(bossNow),
      await standing(annNow),
      await standing(await again(eve, 'eve@example.com')),
    ]).toEqual([
      ['admin', null],
      ['analyst', null],
      ['admin', null],
    ]);
  });
});
