import { describe, expect, it } from 'vitest';
import { AtlasError, definePlugin } from '../../../kernel/index.ts';
import { testScope } from '../../../test/harness/create-test-app.ts';
import { dialects } from '../../../test/harness/internal-databases.ts';
import { Client, databases, startServer, userOf } from '../../../test/harness/managed-server.ts';
import { authManaged, userDelete } from '../index.ts';

const db = databases();
/** An administrator without an organization, by a key: what users may do is looked up. */
const by = (id: string) => testScope({ actor: { id, label: id, role: 'admin', mode: 'api-key', claims: {} } });

describe.each(dialects)('users on %s', (dialect) => {
  it('are listed, searched and counted', async () => {
    await using server = await startServer(await db.url(dialect));
    const { users } = server.get(authManaged);
    const client = new Client(server);
    for (const email of ['ann@example.com', 'bob@example.com', 'under_score@example.org']) await client.signUp(email);
    const { body } = await client.signUp('eve@example.org');
    await users.setRole(by('root'), body.user.id, 'viewer');
    expect(await users.stats(by('root'))).toEqual({ total: 4, banned: 0, byRole: { admin: 1, analyst: 2, viewer: 1 } });
    const page = await users.list(by('root'), { limit: 2, offset: 0 });
    expect(page.total).toBe(4);
    expect(page.users.map(({ email }) => email)).toEqual(['eve@example.org', 'under_score@example.org']);
    expect(page.users[0]).toEqual({
      id: body.user.id,
      email: 'eve@example.org',
      name: 'Somebody',
      role: 'viewer',
      banned: false,
      banReason: null,
      banExpires: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect((await users.list(by('root'), { limit: 9, offset: 3 })).users.map(({ email }) => email)).toEqual([
      'ann@example.com',
    ]);
    expect((await users.list(by('root'), { limit: 9, offset: 0, search: 'EXAMPLE.org' })).total).toBe(2);
    expect((await users.list(by('root'), { limit: 9, offset: 0, search: '_' })).total).toBe(1);
    expect((await users.list(by('root'), { limit: 9, offset: 0, search: "'" })).total).toBe(0);
    expect((await users.list(by('root'), { limit: 9, offset: 0, role: 'analyst' })).total).toBe(2);
    await expect(users.find(by('root'), 'nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are affected at once when they are banned, moved, signed out and deleted', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url);
    const { users } = server.get(authManaged);
    const boss = await userOf(server, 'boss@example.com');
    const bossId = (await boss.whoami()).body.actor.id;
    const ann = await userOf(server, 'ann@example.com');
    const { id } = (await ann.whoami()).body.actor;

    await users.setRole(by(bossId), id, 'viewer');
    expect((await ann.whoami()).body.actor.role).toBe('viewer');
    await users.setRole(by(bossId), id, 'admin');
    expect((await ann.send('/api/v1/admin/only')).status).toBe(200);

    expect(await users.revokeSessions(by('root'), id)).toBe(1);
    expect((await ann.whoami()).status).toBe(401);
    await ann.signIn('ann@example.com');

    expect(await users.ban(by(bossId), id, 'spam', 60)).toMatchObject({ banned: true, banReason: 'spam' });
    expect((await users.stats(by('root'))).banned).toBe(1);
    expect((await ann.whoami()).status).toBe(401);
    expect(await ann.signIn('ann@example.com')).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(await ann.signIn('ann@example.com', 'wrong password')).toMatchObject({ status: 401 });
    expect((await users.unban(by('root'), id)).banned).toBe(false);
    expect((await ann.signIn('ann@example.com')).status).toBe(200);

    // A ban by somebody else's hand leaves the session; it is refused all the same, until the ban ends.
    const at = (time: number) => (dialect === 'sqlite' ? new Date(time).toISOString() : new Date(time));
    await db
      .connect(url)('auth_user')
      .where({ id })
      .update({ banned: true, banExpires: at(Date.now() + 60_000) });
    ann.cookies.delete('authlib.session_data');
    expect((await ann.whoami()).status).toBe(401);
    await db
      .connect(url)('auth_user')
      .where({ id })
      .update({ banExpires: at(Date.now() - 1_000) });
    ann.cookies.delete('authlib.session_data');
    expect((await ann.whoami()).status).toBe(200);
    expect(await users.find(by('root'), id)).toMatchObject({ banned: false, banExpires: null });
    expect((await ann.signIn('ann@example.com')).status).toBe(200);

    await users.remove(by(bossId), id);
    expect((await ann.whoami()).status).toBe(401);
    expect((await ann.signIn('ann@example.com')).status).toBe(401);
    expect(await db.connect(url)('auth_session').where({ userId: id }).select('id')).toEqual([]);
    expect(await db.connect(url)('auth_account').where({ userId: id }).select('id')).toEqual([]);
    expect((await ann.signUp('ann@example.com')).body.user.role).toBe('analyst');
  });

  it('are deleted after other plugins have deleted their data', async () => {
    const seen: unknown[] = [];
    let fails = true;
    const keeper = definePlugin({
      name: 'keeper',
      version: '1.0.0',
      type: 'storage',
      description: 'Keeps something of every user.',
      setup(ctx) {
        ctx.tap(userDelete, (deletion, scope) => {
          seen.push([deletion, scope.actor.id]);
          if (fails) throw new AtlasError('It cannot be deleted now.', { code: 'unavailable' });
        });
      },
    });
    await using server = await startServer(await db.url(dialect), {}, [keeper()]);
    const boss = await userOf(server, 'boss@example.com');
    const actorId = (await boss.whoami()).body.actor.id;
    const userId = (await new Client(server).signUp('ann@example.com')).body.user.id;
    const remove = (id: string) => boss.send(`/api/v1/admin/users/${id}`, { method: 'DELETE' });
    expect((await remove(actorId)).status).toBe(403);
    expect((await remove('nobody')).status).toBe(404);
    expect(seen).toEqual([]);
    expect((await remove(userId)).status).toBe(503);
    expect((await boss.send('/api/v1/admin/users?search=ann')).body.total).toBe(1);
    fails = false;
    expect((await remove(userId)).status).toBe(200);
    expect(seen).toEqual(Array(2).fill([{ userId, actorId }, actorId]));
    expect((await boss.send('/api/v1/admin/users?search=ann')).body.total).toBe(0);
  });

  it('always include one administrator, whatever is tried concurrently', async () => {
    const url = await db.url(dialect);
    await using first = await startServer(url);
    await using second = await startServer(url);
    const client = new Client(first);
    const { id: a } = (await client.signUp('a@example.com')).body.user;
    const { id: b } = (await client.signUp('b@example.com')).body.user;
    const { users } = first.get(authManaged);
    const elsewhere = second.get(authManaged).users;
    const forbidden = { code: 'forbidden' };

    await expect(users.setRole(by(a), a, 'viewer')).rejects.toMatchObject(forbidden);
    await expect(users.ban(by(a), a)).rejects.toMatchObject(forbidden);
    await expect(users.remove(by(a), a)).rejects.toMatchObject(forbidden);
    for (const attempt of [
      () => users.setRole(by(b), a, 'viewer'),
      () => users.ban(by(b), a),
      () => users.remove(by(b), a),
    ]) {
      await expect(attempt()).rejects.toMatchObject(forbidden);
    }
    await expect(users.setRole(by(a), 'nobody', 'admin')).rejects.toMatchObject({ code: 'not_found' });
    await expect(users.remove(by(a), 'nobody')).rejects.toMatchObject({ code: 'not_found' });

    for (let round = 0; round < 5; round += 1) {
      await users.setRole(by('root'), a, 'admin');
      await users.setRole(by('root'), b, 'admin');
      const settled = await Promise.allSettled([
        users.setRole(by(b), a, 'analyst'),
        elsewhere.setRole(by(a), b, 'analyst'),
      ]);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await users.stats(by('root'))).byRole.admin).toBe(1);
    }
  });

  it('work in organizations, by invitation', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url);
    const { users, invitations } = server.get(authManaged);
    const within = (orgId: string) => testScope({ actor: by('root').actor, orgId });
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const bob = await userOf(server, 'bob@example.com');
    const post = (client: Client, path: string, body: object) =>
      client.send(`/api/auth/organization/${path}`, { body });

    expect(await post(ann, 'create', { name: 'Mine', slug: 'mine' })).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
    const created = await post(boss, 'create', { name: 'Acme', slug: 'acme' });
    expect(created.status).toBe(200);
    const { id } = created.body;
    expect((await boss.whoami()).body.orgId).toBe(id);
    expect(await post(boss, 'create', { name: 'Acme', slug: 'acme' })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    });
    expect(
      await post(ann, 'invite-member', { email: 'bob@example.com', role: 'viewer', organizationId: id }),
    ).toMatchObject({ status: 403 });
    expect(await post(boss, 'invite-member', { email: 'bob@example.com', role: 'emperor' })).toMatchObject({
      status: 422,
    });

    const invited = await post(boss, 'invite-member', { email: 'ann@example.com', role: 'analyst' });
    expect(invited.body).toMatchObject({ status: 'pending', role: 'analyst' });
    const invitationId = invited.body.id;
    expect((await post(bob, 'accept-invitation', { invitationId })).status).toBe(404);
    expect((await ann.whoami()).body.orgId).toBeNull();
    expect((await post(ann, 'accept-invitation', { invitationId })).status).toBe(200);
    expect((await ann.whoami()).body.orgId).toBe(id);
    expect((await post(ann, 'accept-invitation', { invitationId })).status).toBeOneOf([400, 404, 409]);
    await ann.signIn('ann@example.com');
    expect((await ann.whoami()).body.orgId).toBe(id);
    const { actor } = (await ann.whoami()).body;
    expect(actor).toMatchObject({ role: 'analyst', claims: { org_id: id } });
    expect(await users.members(within(id), 'analyst', { limit: 9, offset: 0 })).toEqual({
      members: [{ userId: actor.id, role: 'analyst', createdAt: expect.stringMatching(/Z$/) }],
      total: 1,
    });

    // Choosing no organization, or a foreign one, does not avoid the rules of one's own.
    expect((await post(ann, 'set-active', {})).status).toBe(422);
    expect((await post(ann, 'set-active', { organizationId: null })).status).toBe(422);
    expect(await post(ann, 'set-active', { organizationId: 'foreign' })).toMatchObject({ status: 403 });
    expect((await post(bob, 'set-active', { organizationSlug: 'acme' })).status).toBe(403);
    expect((await ann.whoami()).body.orgId).toBe(id);
    expect((await post(ann, 'set-active', { organizationSlug: 'acme' })).status).toBe(200);

    expect((await ann.send('/api/auth/organization/list-members?limit=1')).body).toMatchObject({
      total: 2,
      members: [{}],
    });
    expect((await bob.send(`/api/auth/organization/list-members?organizationId=${id}`)).status).toBe(403);
    expect((await ann.send('/api/auth/organization/get-full-organization')).body.members).toHaveLength(2);
    expect((await ann.send('/api/auth/organization/list')).body).toHaveLength(1);

    const second = await post(boss, 'invite-member', { email: 'bob@example.com', role: 'member' });
    await expect(invitations.revoke(within('foreign'), second.body.id)).rejects.toMatchObject({
      code: 'not_found',
    });
    await invitations.revoke(within(id), second.body.id);
    await expect(invitations.revoke(within(id), second.body.id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await post(bob, 'accept-invitation', { invitationId: second.body.id })).status).toBeOneOf([400, 404, 409]);

    expect((await post(boss, 'remove-member', { memberIdOrEmail: 'ann@example.com' })).status).toBe(200);
    expect((await ann.whoami()).body.orgId).toBeNull();
    expect((await ann.send('/api/auth/organization/list')).body).toEqual([]);
  });
});
