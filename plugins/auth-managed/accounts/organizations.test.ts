import { describe, expect, it } from 'vitest';
import { AtlasError, definePlugin } from '../../../kernel/index.ts';
import { dialects } from '../../../test/harness/internal-databases.ts';
import { type Answer, Client, databases, startServer, userOf } from '../../../test/harness/managed-server.ts';
import { type OrganizationDeletion, organizationDelete, type UserChange, userChange } from '../index.ts';

const db = databases();
const USERS = '/api/v1/admin/users';
const post = (client: Client, path: string, body: object) => client.send(`/api/auth/organization/${path}`, { body });
const orgOf = async (client: Client): Promise<string | null> => (await client.whoami()).body.orgId;

/** What an answer says, but for the number of its request. */
const told = ({ status, body }: Answer) => ({ status, ...body, requestId: undefined });

/** Two organizations with an administrator each, and a user of the first. */
async function twoOrganizations(server: { url: string }) {
  const boss = await userOf(server, 'boss@example.com');
  const ann = await userOf(server, 'ann@example.com');
  const eve = await userOf(server, 'eve@example.com');
  const eveId = (await eve.whoami()).body.actor.id as string;
  const annId = (await ann.whoami()).body.actor.id as string;
  await boss.send(`${USERS}/${eveId}/role`, { method: 'PATCH', body: { role: 'admin' } });
  const acme = (await post(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;
  const evil = (await post(eve, 'create', { name: 'Evil', slug: 'evil' })).body.id as string;
  await join(boss, ann, 'ann@example.com');
  return { boss, ann, eve, acme, evil, annId, eveId };
}

async function join(by: Client, who: Client, email: string, role = 'member'): Promise<void> {
  const { body } = await post(by, 'invite-member', { email, role });
  const { status } = await post(who, 'accept-invitation', { invitationId: body.id });
  if (status !== 200) throw new Error(`The invitation was not accepted: ${status}`);
}

describe.each(dialects)('organizations on %s', (dialect) => {
  it('stay active whatever is requested for foreign ones', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, ann, eve, acme, evil, eveId } = await twoOrganizations(server);
    const { id: memberId } = (await boss.send('/api/auth/organization/get-active-member')).body;
    const invitationId = (await post(boss, 'invite-member', { email: 'new@example.com', role: 'member' })).body.id;
    for (const [path, query] of [
      ['get-organization', { organizationId: acme }],
      ['get-organization', { organizationSlug: 'acme' }],
      ['get-organization', { organizationId: evil, organizationSlug: 'acme' }],
      ['get-organization', { organizationId: 'none' }],
      ['get-full-organization', { organizationId: acme }],
      ['get-full-organization', { organizationSlug: 'acme' }],
      ['list-members', { organizationId: acme }],
      ['list-invitations', { organizationId: acme }],
      ['get-active-member-role', { organizationId: acme }],
      ['get-invitation', { id: invitationId }],
    ] as const) {
      const answer = await eve.send(`/api/auth/organization/${path}?${new URLSearchParams(query)}`);
      expect([path, query, answer.status]).toEqual([path, query, expect.toBeOneOf([400, 403, 404])]);
      const missing = Object.fromEntries(Object.keys(query).map((name) => [name, 'nothing']));
      const none = await eve.send(`/api/auth/organization/${path}?${new URLSearchParams(missing)}`);
      expect([path, query, told(answer)]).toEqual([path, query, told(none)]);
      expect([path, query, await orgOf(eve)]).toEqual([path, query, evil]);
    }
    for (const [path, body] of [
      ['set-active', { organizationId: acme }],
      ['set-active', { organizationSlug: 'acme' }],
      ['set-active', { organizationId: evil, organizationSlug: 'acme' }],
      ['set-active', { organizationId: null }],
      ['update', { organizationId: acme, data: { name: 'Mine' } }],
      ['delete', { organizationId: acme }],
      ['leave', { organizationId: acme }],
      ['invite-member', { organizationId: acme, email: 'x@example.com', role: 'owner' }],
      ['remove-member', { organizationId: acme, memberIdOrEmail: 'ann@example.com' }],
      ['update-member-role', { organizationId: acme, memberId, role: 'member' }],
      ['update-member-role', { memberId, role: 'member' }],
      ['has-permission', { organizationId: acme, permissions: { member: ['delete'] } }],
      ['accept-invitation', { invitationId }],
      ['reject-invitation', { invitationId }],
      ['cancel-invitation', { invitationId }],
    ] as const) {
      const answer = await post(eve, path, body);
      const allowed = path === 'set-active' && body.organizationId === evil;
      expect([path, body, answer.status]).toEqual([
        path,
        body,
        allowed ? 200 : expect.toBeOneOf([400, 401, 403, 404, 422]),
      ]);
      expect([path, body, await orgOf(eve)]).toEqual([path, body, evil]);
      if (allowed) continue;
      const ids = ['organizationId', 'organizationSlug', 'memberId', 'invitationId', 'memberIdOrEmail'];
      const missing = Object.entries(body).map(([name, value]) => [
        name,
        value && ids.includes(name) ? 'nothing' : value,
      ]);
      expect([path, body, told(answer)]).toEqual([
        path,
        body,
        told(await post(eve, path, Object.fromEntries(missing))),
      ]);
    }
    expect((await post(eve, 'check-slug', { slug: 'free' })).status).toBe(200);
    expect((await post(ann, 'check-slug', { slug: 'evil' })).status).toBe(403);
    expect(await orgOf(ann)).toBe(acme);
    const listed = async (query = '') => (await boss.send(`/api/auth/organization/list-members${query}`)).body.members;
    const members: { id: string; role: string; userId: string }[] = await listed();
    expect(members.map(({ role }) => role)).toEqual(['owner', 'member']);
    await join(boss, eve, 'eve@example.com');
    await post(boss, 'update-member-role', { memberId: members[1]?.id, role: 'analyst' });
    // The longest-standing first.
    const pages = [await listed('?limit=1'), await listed('?limit=1&offset=1'), await listed('?limit=1&offset=2')];
    expect(pages.flat().map(({ userId }) => userId)).toEqual([...members.map(({ userId }) => userId), eveId]);
  });

  it('are left for another one, and for none only if there is no other', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, ann, eve, acme, evil } = await twoOrganizations(server);
    const phone = new Client(server);
    await phone.signIn('ann@example.com');
    await join(eve, ann, 'ann@example.com');
    expect([await orgOf(ann), await orgOf(phone)]).toEqual([evil, acme]);
    expect((await post(ann, 'leave', { organizationId: evil })).status).toBe(200);
    expect([await orgOf(ann), await orgOf(phone)]).toEqual([acme, acme]);
    await join(boss, eve, 'eve@example.com');
    expect((await post(eve, 'set-active', { organizationId: evil })).status).toBe(200);
    expect((await post(eve, 'delete', { organizationId: evil })).status).toBe(200);
    expect(await orgOf(eve)).toBe(acme);
    expect((await post(boss, 'remove-member', { memberIdOrEmail: 'ann@example.com' })).status).toBe(200);
    expect([await orgOf(ann), await orgOf(phone)]).toEqual([null, null]);
  });

  it('are left at once on every server, whatever a browser remembers', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url);
    await using second = await startServer(url);
    const { boss, ann, acme } = await twoOrganizations(server);
    const browser = new Client(second);
    await browser.signIn('ann@example.com');
    const owner = new Client(second);
    await owner.signIn('boss@example.com');
    expect([await orgOf(browser), await orgOf(owner)]).toEqual([acme, acme]);
    expect((await post(boss, 'remove-member', { memberIdOrEmail: 'ann@example.com' })).status).toBe(200);
    expect([await orgOf(browser), await orgOf(browser), await orgOf(ann)]).toEqual([null, null, null]);
    expect((await post(boss, 'delete', { organizationId: acme })).status).toBe(200);
    expect([await orgOf(owner), (await owner.whoami()).body.actor.role]).toEqual([null, 'admin']);
  });

  it('become active in every session of a user who had none', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const laptop = new Client(server);
    await laptop.signIn('boss@example.com');
    const { id } = (await post(boss, 'create', { name: 'A', slug: 'a', keepCurrentActiveOrganization: true })).body;
    expect([await orgOf(boss), await orgOf(laptop)]).toEqual([id, id]);
  });

  it('show administrators only their own members', async () => {
    await using server = await startServer(await db.url(dialect));
    const { boss, ann, eve, evil, annId, eveId } = await twoOrganizations(server);
    const nobody = await userOf(server, 'nobody@example.com');
    const nobodyId = (await nobody.whoami()).body.actor.id;
    const emails = async (client: Client, query = '') =>
      (await client.send(USERS + query)).body.users.map(({ email }: { email: string }) => email).sort();
    expect(await emails(boss)).toEqual(['ann@example.com', 'boss@example.com']);
    expect(await emails(eve)).toEqual(['eve@example.com']);
    expect(await emails(eve, '?search=ann')).toEqual([]);
    expect((await boss.send(`${USERS}/stats`)).body.total).toBe(2);
    expect((await eve.send(`${USERS}/stats`)).body).toMatchObject({ total: 1, byRole: { admin: 1, analyst: 0 } });
    for (const id of [annId, nobodyId]) {
      for (const [method, path, body] of [
        ['PATCH', 'role', { role: 'viewer' }],
        ['POST', 'ban', {}],
        ['POST', 'unban', {}],
        ['POST', 'revoke', {}],
        ['DELETE', '', undefined],
      ] as const) {
        const answer = await eve.send(`${USERS}/${id}/${path}`.replace(/\/$/, ''), { method, body });
        expect([method, path, answer.status]).toEqual([method, path, 404]);
      }
    }
    // Who belongs to both is seen by both, and changed by an administrator of both.
    await join(eve, ann, 'ann@example.com');
    expect(await emails(eve)).toEqual(['ann@example.com', 'eve@example.com']);
    const promote = (client: Client) =>
      client.send(`${USERS}/${annId}/role`, { method: 'PATCH', body: { role: 'viewer' } });
    expect(await promote(eve)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect((await eve.send(`${USERS}/${annId}`, { method: 'DELETE' })).status).toBe(403);
    await join(boss, eve, 'eve@example.com');
    expect((await promote(eve)).status).toBe(403);
    await post(eve, 'set-active', { organizationId: evil });
    expect((await promote(eve)).status).toBe(403);
    const { members } = (await boss.send('/api/auth/organization/list-members')).body;
    const { id: memberId } = members.find(({ userId }: { userId: string }) => userId === eveId);
    await post(boss, 'update-member-role', { memberId, role: 'admin' });
    expect((await promote(eve)).status).toBe(200);
    // An administrator without an organization sees who has none either.
    await boss.send(`${USERS}/${eveId}/role`, { method: 'PATCH', body: { role: 'admin' } });
    const platform = await userOf(server, 'platform@example.com');
    const platformId = (await platform.whoami()).body.actor.id;
    await db.connect(server.database)('auth_user').where({ id: platformId }).update({ role: 'admin' });
    platform.cookies.delete('authlib.session_data');
    expect(await emails(platform)).toEqual(['nobody@example.com', 'platform@example.com']);
    expect((await platform.send(`${USERS}/${annId}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('tell other plugins before an owner deletes one, and stay when one of those cannot', async () => {
    const told: OrganizationDeletion[] = [];
    let works = false;
    const listener = definePlugin({
      name: 'listener',
      version: '1.0.0',
      type: 'core',
      description: 'Hears of deletions.',
      setup(ctx) {
        ctx.tap(organizationDelete, (deletion) => {
          told.push(deletion);
          if (!works) throw new AtlasError('The data could not be deleted.');
        });
      },
    });
    await using server = await startServer(await db.url(dialect), {}, [listener()]);
    const { boss, ann, eve, acme } = await twoOrganizations(server);
    for (const client of [ann, eve]) {
      expect((await post(client, 'delete', { organizationId: acme })).status).toBeOneOf([400, 403]);
    }
    expect(told).toEqual([]);
    const actorId = (await boss.whoami()).body.actor.id;
    expect((await post(boss, 'delete', { organizationId: acme })).status).toBe(500);
    expect([told, await orgOf(boss)]).toEqual([[{ orgId: acme, actorId }], acme]);
    works = true;
    expect((await post(boss, 'delete', { organizationId: acme })).status).toBe(200);
    expect(await orgOf(boss)).toBe(null);
  });

  it('have members whom other plugins may protect from administrators', async () => {
    const told: UserChange['change'][] = [];
    const guard = definePlugin({
      name: 'guard',
      version: '1.0.0',
      type: 'core',
      description: 'Protects users.',
      setup(ctx) {
        ctx.tap(userChange, ({ change }) => {
          told.push(change);
          throw new AtlasError('This user is managed elsewhere.', { code: 'conflict' });
        });
      },
    });
    await using server = await startServer(await db.url(dialect), {}, [guard()]);
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const { id } = (await ann.whoami()).body.actor;
    for (const [method, path, body] of [
      ['PATCH', '/role', { role: 'viewer' }],
      ['POST', '/ban', {}],
      ['POST', '/unban', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      expect(await boss.send(`${USERS}/${id}${path}`, { method, body })).toMatchObject({
        status: 409,
        body: { error: 'conflict' },
      });
      // Neither of whom there is not, nor of foreign users.
      expect((await boss.send(`${USERS}/nobody${path}`, { method, body })).status).toBe(404);
    }
    expect(told).toEqual(['role', 'ban', 'unban', 'delete']);
    expect((await ann.whoami()).body.actor.role).toBe('analyst');
  });
});
