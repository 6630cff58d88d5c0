import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../test/harness/internal-databases.ts';
import {
  type Answer,
  Client,
  databases,
  idOf,
  invite,
  organization,
  setRole,
  startServer,
  USERS,
  userOf,
} from '../../test/harness/managed-server.ts';
import { audit } from '../audit/index.ts';
import { changes } from '../changes/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { outbound } from '../outbound/index.ts';
import { startDnsServer } from './fixtures/dns-server.ts';
import { CLIENT, startOidcProvider } from './fixtures/oidc-provider.ts';
import { adminSso } from './index.ts';

const db = databases();
const SCIM = '/api/v1/admin/scim';
const RESOURCES = '/api/auth/scim/v2';
const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

async function start(dialect: Dialect) {
  const idp = await startOidcProvider();
  const records = new Map<string, string>();
  const dns = await startDnsServer(records);
  const server = await startServer(await db.url(dialect), { url: 'http://atlas.test' }, [
    outbound({ allowPrivate: [idp.host] }),
    audit(),
    adminSso({ dnsServers: [dns.address] }),
    changes({ pollMs: 100 }),
  ]);
  const boss = await userOf(server, 'boss@example.com');
  const register = async (by: Client, domain: string): Promise<string> => {
    const oidc = { issuer: idp.issuer, ...CLIENT };
    const { provider } = (await by.send('/api/v1/admin/sso/providers', { body: { name: domain, domain, oidc } })).body;
    records.set(provider.verificationRecord.name, provider.verificationRecord.value);
    await by.send(`/api/v1/admin/sso/providers/${provider.id}/verify`, { method: 'POST' });
    return provider.id;
  };
  return {
    server,
    boss,
    register,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
      await dns[Symbol.asyncDispose]();
    },
  };
}

/** A client as an identity provider is one. */
function directory(server: { url: string }, token: string) {
  const client = new Client(server, token);
  return (method: string, path: string, body?: object): Promise<Answer> =>
    client.send(RESOURCES + path, {
      method,
      ...(body !== undefined && { body, headers: { 'content-type': 'application/scim+json' } }),
    });
}

/** As Okta creates a user. */
const oktaUser = (email: string, more = {}) => ({
  schemas: [USER_SCHEMA],
  userName: email,
  name: { givenName: 'Ann', familyName: 'Example' },
  emails: [{ primary: true, value: email, type: 'work' }],
  displayName: 'Ann Example',
  locale: 'en-US',
  externalId: `ext-${email}`,
  groups: [],
  active: true,
  ...more,
});

const contentOf = ({ status, body }: Answer) => [
  status,
  typeof body === 'string' && body !== '' ? JSON.parse(body) : body,
];
/** Answers in a media type of their own, which the client of the tests leaves as text or reads as JSON. */
const read = (answer: Answer) => contentOf(answer)[1];

const newOrganization = async (by: Client, slug: string): Promise<string> =>
  (await organization(by, 'create', { name: slug, slug })).body.id;

async function connected(setup: Awaited<ReturnType<typeof start>>, domain = 'acme.com') {
  const { boss, server, register } = setup;
  const orgId = await newOrganization(boss, 'acme');
  const providerId = await register(boss, domain);
  const { status, body } = await boss.send(`${SCIM}/connections`, { body: { providerId } });
  expect([status, body]).toEqual([
    201,
    {
      connection: { id: expect.any(String), providerId, organizationId: orgId },
      token: expect.stringMatching(/^scim_[\w-]{43}$/),
      baseUrl: 'http://atlas.test/api/auth/scim/v2',
    },
  ]);
  return {
    orgId,
    providerId,
    connection: body.connection,
    token: body.token as string,
    scim: directory(server, body.token),
  };
}

describe.each(dialects)('SCIM on %s', (dialect) => {
  it('keeps the last administrator, whoever goes at the same moment', async () => {
    await using setup = await start(dialect);
    const { server } = setup;
    const { orgId, scim } = await connected(setup);
    const provisioned = await Promise.all(
      ['ann', 'bob', 'eve'].map(async (name) => read(await scim('POST', '/Users', oktaUser(`${name}@acme.com`))).id),
    );
    const database = db.connect(server.database);
    const admin = { role: 'admin', adminByOrganization: true };
    await database('auth_user').where('email', 'like', '%@acme.com').update(admin);
    await database('auth_member').where({ organizationId: orgId, role: 'member' }).update({ role: 'admin' });
    await database('auth_user').where({ email: 'boss@example.com' }).update({ role: 'analyst' });
    const off = { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', value: { active: false } }] };
    const answers = await Promise.all(provisioned.map((id) => scim('PATCH', `/Users/${id}`, off)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    const left = database('auth_user').where({ role: 'admin' }).whereRaw('coalesce(banned, false) = false');
    expect(await left).toHaveLength(1);
  });

  it('provisions users as Okta does, and ends their sessions at once', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    expect((await boss.send(SCIM)).body).toEqual({
      connections: [],
      syncStatus: { connections: 0, provisionedUsers: 0, lastSyncAt: null },
    });
    const { orgId, connection, token, scim } = await connected(setup);
    expect(
      read(await scim('GET', '/Users?filter=userName%20eq%20%22ann%40acme.com%22&startIndex=1&count=100')),
    ).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
    const created = await scim('POST', '/Users', oktaUser('ann@acme.com'));
    expect(created.headers.get('content-type')).toContain('application/scim+json');
    expect(contentOf(created)).toMatchObject([201, { userName: 'ann@acme.com', active: true, id: expect.any(String) }]);
    const { id } = read(created);
    expect(contentOf(await scim('POST', '/Users', oktaUser('ann@acme.com')))).toMatchObject([
      409,
      { scimType: 'uniqueness' },
    ]);
    const page = (await boss.send(`${USERS}?search=ann`)).body;
    expect(page).toMatchObject({ total: 1, users: [{ email: 'ann@acme.com', role: 'analyst', banned: false }] });
    const userId = page.users[0].id as string;
    expect((await boss.send(SCIM)).body).toEqual({
      connections: [connection],
      syncStatus: { connections: 1, provisionedUsers: 1, lastSyncAt: expect.stringMatching(/Z$/) },
    });
    expect(connection.organizationId).toBe(orgId);

    // Nobody changes the user by hand.
    const byHand = [
      await setRole(boss, userId, 'viewer'),
      await boss.send(`${USERS}/${userId}/ban`, { body: {} }),
      await boss.send(`${USERS}/${userId}`, { method: 'DELETE' }),
    ];
    for (const refused of byHand) expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);

    const session = await sessionOf(server, userId, orgId);
    expect((await session.whoami()).status).toBe(200);
    const off = await scim('PATCH', `/Users/${id}`, {
      schemas: [PATCH_SCHEMA],
      Operations: [{ op: 'replace', value: { active: false } }],
    });
    expect(contentOf(off)).toMatchObject([200, { active: false }]);
    expect((await session.whoami()).status).toBe(401);
    expect((await boss.send(`${USERS}?search=ann`)).body.users[0]).toMatchObject({ banned: true });

    // As Entra does, with the value as text.
    const on = await scim('PATCH', `/Users/${id}`, {
      schemas: [PATCH_SCHEMA],
      Operations: [{ op: 'Replace', path: 'active', value: 'True' }],
    });
    expect(contentOf(on)).toMatchObject([200, { active: true }]);
    expect((await boss.send(`${USERS}?search=ann`)).body.users[0]).toMatchObject({ banned: false });
    const renamed = await scim('PUT', `/Users/${id}`, oktaUser('ann.b@acme.com', { externalId: 'ext-ann@acme.com' }));
    expect(contentOf(renamed)).toMatchObject([200, { userName: 'ann.b@acme.com' }]);
    expect((await boss.send(`${USERS}?search=ann.b`)).body.total).toBe(1);

    const again = await sessionOf(server, userId, orgId);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await again.whoami()).status).toBe(401);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
    expect((await boss.send(SCIM)).body.syncStatus.provisionedUsers).toBe(0);
    expect((await boss.send(`${USERS}?search=ann.b`)).body.users[0]).toMatchObject({ banned: true });
    const { changes } = (await boss.send('/api/v1/admin/audit/changes')).body;
    const actions = changes.map(({ action }: { action: string }) => action);
    for (const action of ['scim_connection.created', 'user.provisioned', 'user.deprovisioned'])
      expect(actions).toContain(action);
    expect(JSON.stringify(changes)).not.toContain(token);
    const stored = await server.get(internalDb).run((knex) => knex('sso_scim_connection').select());
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('changes nobody of whom other servers cannot be told with the commit', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    const { scim } = await connected(setup);
    const { id } = read(await scim('POST', '/Users', oktaUser('ann@acme.com')));
    const group = { schemas: [GROUP_SCHEMA], displayName: 'Readers', members: [{ value: id }] };
    expect((await scim('POST', '/Groups', group)).status).toBe(201);
    const off = { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', value: { active: false } }] };
    const groupRoles = [{ group: 'Readers', role: 'viewer' }];
    const changesOf = async () => [
      (await boss.send(`${SCIM}/group-roles`, { method: 'PUT', body: { groupRoles } })).status,
      (await boss.send('/api/v1/admin/sso/enforcement', { method: 'PUT', body: { enforced: true, force: true } }))
        .status,
      (await scim('PATCH', `/Users/${id}`, off)).status,
    ];
    const database = db.connect(server.database);
    const stateOf = async () => [
      await database('auth_user').where({ email: 'ann@acme.com' }).first('role', 'banned'),
      (await boss.send(`${SCIM}/group-roles`)).body.groupRoles,
      (await boss.send('/api/v1/admin/sso/enforcement')).body.enforced,
    ];
    const eve = await userOf(server, 'eve@acme.com');
    expect((await eve.whoami()).status).toBe(200);
    const before = await stateOf();
    await database.schema.renameTable('atlas_changes', 'away');
    expect((await changesOf()).map((status) => status >= 500)).toEqual([true, true, true]);
    await database.schema.renameTable('away', 'atlas_changes');
    expect(await stateOf()).toEqual(before);
    expect((await changesOf()).map((status) => status < 300)).toEqual([true, true, true]);
    expect(await stateOf()).toMatchObject([{ banned: dialect === 'sqlite' ? 1 : true }, groupRoles, true]);
  });

  it('keeps groups with their members', async () => {
    await using setup = await start(dialect);
    const { scim } = await connected(setup);
    const users = await Promise.all(
      ['ann@acme.com', 'bob@acme.com'].map(async (email) => read(await scim('POST', '/Users', oktaUser(email))).id),
    );
    const created = await scim('POST', '/Groups', {
      schemas: [GROUP_SCHEMA],
      displayName: 'Analysts',
      members: [{ value: users[0], display: 'ann@acme.com' }],
    });
    expect(contentOf(created)).toMatchObject([201, { displayName: 'Analysts', members: [{ value: users[0] }] }]);
    const { id } = read(created);
    const add = { op: 'add', path: 'members', value: [{ value: users[1] }] };
    const patch = (...Operations: object[]) => scim('PATCH', `/Groups/${id}`, { schemas: [PATCH_SCHEMA], Operations });
    expect((await patch(add)).status).toBeLessThan(300);
    expect(read(await scim('GET', `/Groups/${id}`)).members).toHaveLength(2);
    expect((await patch({ op: 'remove', path: `members[value eq "${users[0]}"]` })).status).toBeLessThan(300);
    expect(read(await scim('GET', `/Groups/${id}`)).members).toMatchObject([{ value: users[1] }]);
    expect((await scim('DELETE', `/Users/${users[1]}`)).status).toBe(204);
    expect(read(await scim('GET', `/Groups/${id}`)).members ?? []).toEqual([]);

    // More than a hundred, whom the library reads at once unless it is told otherwise.
    const members = await setup.server.get(internalDb).run(async (knex) => {
      const scimUser = await knex('sso_scim_user').where({ id: users[0] }).first();
      const [user, subject] = [
        await knex('auth_user').where({ id: scimUser.userId }).first(),
        await knex('sso_scim_subject').where({ userId: scimUser.userId }).first(),
      ];
      const names = Array.from({ length: 130 }, (_, index) => `copy-${index}`);
      const keys = ['connectionUserKey', 'userNameKey', 'externalIdKey', 'orderKey'];
      const rows = names.map((name) => ({
        user: { ...user, id: name, email: `${name}@acme.com` },
        subject: { ...subject, id: name, userId: name },
        scimUser: { ...scimUser, id: name, userId: name, ...Object.fromEntries(keys.map((key) => [key, name])) },
      }));
      await knex('auth_user').insert(rows.map((row) => row.user));
      await knex('sso_scim_subject').insert(rows.map((row) => row.subject));
      await knex('sso_scim_user').insert(rows.map((row) => row.scimUser));
      return names.map((value) => ({ value }));
    });
    const whole = { schemas: [GROUP_SCHEMA], displayName: 'Analysts', members };
    expect(read(await scim('PUT', `/Groups/${id}`, whole)).members).toHaveLength(130);
    expect(read(await scim('GET', `/Groups/${id}`)).members).toHaveLength(130);
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
    for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes']) {
      expect((await scim('GET', path)).status).toBe(200);
    }
  });

  it('gives members of groups the roles that the organization chose for these', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    const { orgId, connection, scim } = await connected(setup);
    await boss.send('/api/v1/admin/roles', { body: { name: 'Auditors', rights: ['query', 'admin:audit'] } });
    const map = (...groupRoles: object[]) => boss.send(`${SCIM}/group-roles`, { method: 'PUT', body: { groupRoles } });
    expect((await boss.send(`${SCIM}/group-roles`)).body).toEqual({ groupRoles: [] });
    const set = await map(
      { group: ' Atlas Admins ', role: 'admin' },
      { group: '0a1b-entra-id', role: 'auditors' },
      { group: 'Readers', role: 'viewer' },
    );
    expect([set.status, set.body.groupRoles]).toEqual([
      200,
      [
        { group: '0a1b-entra-id', role: 'auditors' },
        { group: 'Atlas Admins', role: 'admin' },
        { group: 'Readers', role: 'viewer' },
      ],
    ]);
    expect((await boss.send(`${SCIM}/group-roles`)).body).toEqual(set.body);
    for (const [body, status] of [
      [{ groupRoles: [{ group: 'a', role: 'emperor' }] }, 404],
      [{ groupRoles: [{ group: 'a', role: 'owner' }] }, 404],
      [{ groupRoles: [{ group: ' ', role: 'admin' }] }, 422],
      [{ groupRoles: ['a', 'A '].map((group) => ({ group, role: 'viewer' })) }, 422],
      [{ groupRoles: Array.from({ length: 101 }, (_, i) => ({ group: `g${i}`, role: 'viewer' })) }, 422],
      [{}, 422],
    ] as const) {
      expect((await boss.send(`${SCIM}/group-roles`, { method: 'PUT', body })).status).toBe(status);
    }

    const scimId = async (email: string) => read(await scim('POST', '/Users', oktaUser(email))).id as string;
    const [ann, bob] = [await scimId('ann@acme.com'), await scimId('bob@acme.com')];
    const roles = async () => {
      const { users } = (await boss.send(`${USERS}?search=acme.com`)).body;
      return users
        .toSorted((a: { email: string }, b: { email: string }) => a.email.localeCompare(b.email))
        .map((user: { customRole?: string; role: string }) => user.customRole ?? user.role);
    };
    const patch = async (id: string, ...Operations: object[]) => {
      const { status } = await scim('PATCH', `/Groups/${id}`, { schemas: [PATCH_SCHEMA], Operations });
      expect([Operations, status]).toEqual([Operations, 200]);
      return roles();
    };
    const group = async (displayName: string, more = {}) =>
      read(await scim('POST', '/Groups', { schemas: [GROUP_SCHEMA], displayName, ...more })).id as string;
    expect(await roles()).toEqual(['analyst', 'analyst']);

    // As Okta pushes: the group with its members, then single changes of these, and the whole group again.
    const admins = await group('atlas admins', { members: [{ value: ann, display: 'ann@acme.com' }] });
    expect(await roles()).toEqual(['admin', 'analyst']);
    const annsId = (await boss.send(`${USERS}?search=ann`)).body.users[0].id;
    const session = await sessionOf(server, annsId, orgId);
    expect((await session.whoami()).body.actor.role).toBe('admin');
    expect((await session.send(USERS)).status).toBe(200);
    expect(await patch(admins, { op: 'add', path: 'members', value: [{ value: bob, display: 'bob' }] })).toEqual([
      'admin',
      'admin',
    ]);
    expect(await patch(admins, { op: 'remove', path: `members[value eq "${ann}"]` })).toEqual(['analyst', 'admin']);
    expect((await session.send(USERS)).status).toBe(403);
    expect(await patch(admins, { op: 'replace', path: 'members', value: [{ value: ann }] })).toEqual([
      'admin',
      'analyst',
    ]);
    expect(await patch(admins, { op: 'replace', value: { id: admins, displayName: 'Renamed' } })).toEqual([
      'analyst',
      'analyst',
    ]);
    const whole = { schemas: [GROUP_SCHEMA], displayName: 'Atlas Admins' };
    await scim('PUT', `/Groups/${admins}`, { ...whole, members: [{ value: bob }] });
    expect(await roles()).toEqual(['analyst', 'admin']);
    await scim('PUT', `/Groups/${admins}`, { ...whole, members: [{ value: ann }, { value: bob }] });
    // As many as a group may have are one request.
    const $ref = 'https://example.okta.com/api/v1/users/00u1abcdefghijklmnop';
    const many = Array.from({ length: 1_000 }, (_, index) => ({
      value: `unknown-user-${index}`,
      display: 'x@acme.com',
      $ref,
    }));
    expect(contentOf(await scim('PUT', `/Groups/${admins}`, { ...whole, members: many }))).toMatchObject([
      400,
      { detail: expect.stringContaining('members are invalid') },
    ]);

    // As Entra does: empty first, known by its object id, operations in capitals, members to be removed in the value.
    const auditors = await group('Some name', { externalId: '0a1b-entra-id' });
    const entra = (op: string, id: string) => ({ op, path: 'members', value: [{ value: id }] });
    expect(await patch(auditors, entra('Add', bob))).toEqual(['admin', 'admin']);
    expect(await patch(admins, entra('Remove', bob))).toEqual(['admin', 'auditors']);
    expect(await patch(auditors, { op: 'Replace', path: 'displayName', value: 'Other' })).toEqual([
      'admin',
      'auditors',
    ]);
    const bobsSession = await sessionOf(server, (await boss.send(`${USERS}?search=bob`)).body.users[0].id, orgId);
    expect((await bobsSession.whoami()).body.actor.rights).toEqual(['query', 'admin:audit']);
    // Who is deactivated loses the role, and has it again with the account.
    const active = (value: unknown) =>
      scim('PATCH', `/Users/${bob}`, {
        schemas: [PATCH_SCHEMA],
        Operations: [{ op: 'Replace', path: 'active', value }],
      });
    expect((await active('False')).status).toBe(200);
    expect(await roles()).toEqual(['admin', 'analyst']);
    expect((await active('True')).status).toBe(200);
    expect(await roles()).toEqual(['admin', 'auditors']);
    expect(await patch(auditors, entra('Remove', bob))).toEqual(['admin', 'analyst']);

    // A viewer by the group is an analyst again without it; the mapping counts at once, too.
    const readers = await group('Readers', { members: [{ value: bob }] });
    expect(await roles()).toEqual(['admin', 'viewer']);
    expect((await map({ group: 'Readers', role: 'analyst' })).status).toBe(200);
    expect(await roles()).toEqual(['analyst', 'analyst']);
    expect((await map({ group: 'Readers', role: 'viewer' }, { group: 'Atlas Admins', role: 'admin' })).status).toBe(
      200,
    );
    expect(await roles()).toEqual(['admin', 'viewer']);
    expect((await scim('DELETE', `/Groups/${readers}`)).status).toBe(204);
    expect(await roles()).toEqual(['admin', 'analyst']);

    // The last administrator stays one, whoever asks.
    const setBanned = (banned: boolean) =>
      server.get(internalDb).run((knex) => knex('auth_user').where({ email: 'boss@example.com' }).update({ banned }));
    await setBanned(true);
    for (const refused of [
      await scim('DELETE', `/Groups/${admins}`),
      await scim('PUT', `/Groups/${admins}`, { ...whole, members: [] }),
      await scim('PATCH', `/Groups/${admins}`, { schemas: [PATCH_SCHEMA], Operations: [entra('Remove', ann)] }),
      await scim('DELETE', `/Users/${ann}`),
    ]) {
      expect(contentOf(refused)).toMatchObject([409, { status: '409', detail: expect.stringContaining('last') }]);
    }
    await setBanned(false);
    await boss.signIn('boss@example.com');
    expect(await roles()).toEqual(['admin', 'analyst']);
    const { changes } = (await boss.send('/api/v1/admin/audit/changes?limit=200')).body;
    const shown = changes.map(({ action, userLabel, after }: Record<string, unknown>) => ({
      action,
      userLabel,
      after,
    }));
    expect(shown).toContainEqual({
      action: 'user.role_changed',
      userLabel: `SCIM connection ${connection.id}`,
      after: { role: 'auditors' },
    });
    expect(shown).toContainEqual(expect.objectContaining({ action: 'scim.group_roles_changed' }));
    // Without the connection roles stay, to be changed by hand.
    expect((await boss.send(`${SCIM}/connections/${connection.id}`, { method: 'DELETE' })).status).toBe(200);
    expect(await roles()).toEqual(['admin', 'analyst']);
    expect((await setRole(boss, annsId, 'viewer')).status).toBe(200);
    expect((await map()).status).toBe(200);
    expect(await roles()).toEqual(['viewer', 'analyst']);
  });

  it('gives groups no say over the platform, other organizations, or more than the caller has', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    const { orgId, scim } = await connected(setup);
    await boss.send('/api/v1/admin/roles', {
      body: { name: 'helper', rights: ['query', 'admin:settings', 'admin:roles'] },
    });
    const groupRoles = [
      { group: 'Everybody', role: 'admin' },
      { group: 'Helpers', role: 'helper' },
    ];
    const ids = await Promise.all(
      ['ann@acme.com', 'bob@acme.com', 'cid@acme.com'].map(
        async (email) => read(await scim('POST', '/Users', oktaUser(email))).id,
      ),
    );
    const users = (await boss.send(`${USERS}?search=acme.com`)).body.users;
    const idIn = (email: string) => users.find((user: { email: string }) => user.email === email).id;
    // One has become administrator of the platform, one belongs to another organization, too.
    await server.get(internalDb).run(async (knex) => {
      const at = new Date().toISOString();
      await knex('auth_user').where({ email: 'ann@acme.com' }).update({ role: 'admin', adminByOrganization: false });
      await knex('auth_organization').insert({ id: 'other', name: 'Other', slug: 'other', createdAt: at });
      const membership = { organizationId: 'other', userId: idIn('bob@acme.com'), role: 'member', createdAt: at };
      await knex('auth_member').insert({ id: 'm-other', ...membership });
    });
    const group = { schemas: [GROUP_SCHEMA], members: ids.map((value) => ({ value })) };
    const everybody = read(await scim('POST', '/Groups', { ...group, displayName: 'Everybody' })).id;
    expect((await boss.send(`${SCIM}/group-roles`, { method: 'PUT', body: { groupRoles } })).status).toBe(200);
    const rows = () =>
      server
        .get(internalDb)
        .run((knex) =>
          knex('auth_user').where('email', 'like', '%acme.com').orderBy('email').select('role', 'adminByOrganization'),
        )
        .then((found) => found.map((row) => [row.role, Boolean(row.adminByOrganization)]));
    expect(await rows()).toEqual([
      ['admin', false],
      ['analyst', false],
      ['admin', true],
    ]);
    expect((await scim('DELETE', `/Groups/${everybody}`)).status).toBe(204);
    expect(await rows()).toEqual([
      ['admin', false],
      ['analyst', false],
      ['analyst', false],
    ]);
    // A custom role is one of the membership.
    await scim('POST', '/Groups', { ...group, displayName: 'Helpers' });
    const [bob, cid] = [
      await sessionOf(server, idIn('bob@acme.com'), orgId),
      await sessionOf(server, idIn('cid@acme.com'), orgId),
    ];
    for (const helper of [bob, cid])
      expect((await helper.whoami()).body.actor.rights).toEqual(['query', 'admin:roles', 'admin:settings']);
    expect((await (await sessionOf(server, idIn('bob@acme.com'), 'other')).whoami()).body.actor).toMatchObject({
      role: 'analyst',
    });
    // Whoever holds a token, or makes a provider, could act as any member.
    const { connections } = (await cid.send(SCIM)).body;
    for (const [method, path, body] of [
      ['PUT', `${SCIM}/group-roles`, { groupRoles }],
      ['POST', `${SCIM}/connections`, { providerId: connections[0].providerId }],
      ['POST', `${SCIM}/connections/${connections[0].id}/token`, undefined],
      [
        'POST',
        '/api/v1/admin/sso/providers',
        { name: 'x', domain: 'acme.com', oidc: { issuer: 'http://x', ...CLIENT } },
      ],
    ] as const) {
      expect([path, (await cid.send(path, { method, ...(body && { body }) })).status]).toEqual([path, 403]);
    }
  });

  it('reaches users of its organization and domain only', async () => {
    await using setup = await start(dialect);
    const { boss, server, register } = setup;
    const { orgId, scim } = await connected(setup);
    const ann = await userOf(server, 'ann@other.com');
    await invite(boss, ann, 'ann@other.com', 'admin');
    await setRole(boss, await idOf(ann), 'admin');
    const otherOrg = await newOrganization(ann, 'other');
    const otherProvider = await register(ann, 'other.com');
    const other = directory(
      server,
      (await ann.send(`${SCIM}/connections`, { body: { providerId: otherProvider } })).body.token,
    );
    const member = await userOf(server, 'member@acme.com');
    await invite(ann, member, 'member@acme.com');

    const foreign = ['x@else.com', 'ann@other.com', 'boss@example.com', 'x@sub.acme.com', 'x@acme.com.else.com'];
    for (const email of foreign) {
      expect([email, (await scim('POST', '/Users', oktaUser(email))).status]).toEqual([email, 400]);
    }
    // At its own domain, but a member elsewhere.
    expect((await scim('POST', '/Users', oktaUser('member@acme.com'))).status).toBe(409);
    const { id } = read(await scim('POST', '/Users', oktaUser('bob@acme.com')));
    for (const email of ['bob@else.com', 'boss@example.com']) {
      expect([email, (await scim('PUT', `/Users/${id}`, oktaUser(email))).status]).toEqual([email, 400]);
    }
    for (const [method, body] of [['GET'], ['PUT', oktaUser('bob@other.com')], ['DELETE']] as const) {
      expect([method, (await other(method, `/Users/${id}`, body)).status]).toEqual([method, 404]);
    }
    expect(read(await other('GET', '/Users')).totalResults).toBe(0);
    expect((await ann.send(SCIM)).body).toMatchObject({
      connections: [{ providerId: otherProvider, organizationId: otherOrg }],
      syncStatus: { provisionedUsers: 0 },
    });
    const [own] = (await boss.send(SCIM)).body.connections;
    expect(own.organizationId).toBe(orgId);
    expect((await ann.send(`${SCIM}/connections/${own.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await ann.send(`${SCIM}/connections/${own.id}/token`, { method: 'POST' })).status).toBe(404);
    expect((await ann.send(`${SCIM}/connections`, { body: { providerId: own.providerId } })).status).toBe(404);
  });

  it('neither bans nor signs out whom the platform has made administrator since', async () => {
    await using setup = await start(dialect);
    const { server } = setup;
    const { scim } = await connected(setup);
    const { id } = read(await scim('POST', '/Users', oktaUser('ann@acme.com')));
    const users = db.connect(server.database)('auth_user').where({ email: 'ann@acme.com' });
    await users.clone().update({ role: 'admin', adminByOrganization: false });
    expect((await scim('PUT', `/Users/${id}`, oktaUser('ann@acme.com', { active: false }))).status).toBe(200);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect(Boolean((await users.clone().first('banned')).banned)).toBe(false);
  });

  it('gives no new address to an administrator of the platform or a member elsewhere', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    const { scim } = await connected(setup);
    const users = db.connect(server.database)('auth_user');
    const own = read(await scim('POST', '/Users', oktaUser('own@acme.com')));
    const [admin, member] = [
      read(await scim('POST', '/Users', oktaUser('ann@acme.com'))),
      read(await scim('POST', '/Users', oktaUser('bob@acme.com'))),
    ];
    await users.clone().where({ email: 'ann@acme.com' }).update({ role: 'admin', adminByOrganization: false });
    const { id: userId } = await users.clone().where({ email: 'bob@acme.com' }).first('id');
    const other = (await boss.send('/api/auth/organization/create', { body: { name: 'Other', slug: 'other' } })).body;
    const membership = {
      id: 'other-bob',
      userId,
      organizationId: other.id,
      role: 'member',
      createdAt: new Date().toISOString(),
    };
    await db.connect(server.database)('auth_member').insert(membership);
    const emails = [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'mallory@acme.com' }];
    const patch = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: emails };
    for (const [{ id }, email] of [
      [admin, 'ann@acme.com'],
      [member, 'bob@acme.com'],
    ] as const) {
      expect((await scim('PUT', `/Users/${id}`, oktaUser('mallory@acme.com'))).status).toBe(409);
      expect((await scim('PATCH', `/Users/${id}`, patch)).status).toBe(409);
      expect((await scim('PUT', `/Users/${id}`, oktaUser(email))).status).toBe(200);
      expect(await users.clone().where({ email: 'mallory@acme.com' }).first('id')).toBeUndefined();
      expect(await users.clone().where({ email }).first('id')).toBeDefined();
    }
    expect((await scim('PUT', `/Users/${own.id}`, oktaUser('owen@acme.com'))).status).toBe(200);
    expect(await users.clone().where({ email: 'owen@acme.com' }).first('id')).toBeDefined();
  });

  it('takes the token of the connection only, as long as it is good', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    const { connection, token, scim } = await connected(setup);
    for (const bad of ['', 'x', `${token}x`, token.slice(0, -1), 'scim_']) {
      const refused = await directory(server, bad)('GET', '/Users');
      expect([bad, refused.status, refused.headers.get('www-authenticate')]).toEqual([bad, 401, 'Bearer realm="SCIM"']);
    }
    expect((await new Client(server).send(`${RESOURCES}/Users`)).status).toBe(401);
    const session = (await boss.signIn('boss@example.com')).body.token;
    expect((await directory(server, session)('GET', '/Users')).status).toBe(401);
    expect((await new Client(server, token).send('/api/v1/whoami')).status).toBe(401);

    const renewed = await boss.send(`${SCIM}/connections/${connection.id}/token`, { method: 'POST' });
    expect((await scim('GET', '/Users')).status).toBe(401);
    const next = directory(server, renewed.body.token);
    expect((await next('GET', '/Users')).status).toBe(200);
    expect((await next('POST', '/Users', oktaUser('ann@acme.com'))).status).toBe(201);
    expect((await boss.send(`${SCIM}/connections/${connection.id}`, { method: 'DELETE' })).body).toEqual({
      success: true,
    });
    expect((await next('GET', '/Users')).status).toBe(401);
    // The user stays, and is managed by hand from now on.
    const { users } = (await boss.send(`${USERS}?search=ann`)).body;
    expect((await setRole(boss, users[0].id, 'viewer')).status).toBe(200);
    for (const body of [{}, { providerId: '' }, { providerId: 'x', more: 1 }]) {
      expect((await boss.send(`${SCIM}/connections`, { body })).status).toBe(422);
    }
  });

  it('leaves an organization its last administrator, and goes with the organization', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    const { orgId, scim } = await connected(setup);
    const ann = await userOf(server, 'ann@acme.com');
    await invite(boss, ann, 'ann@acme.com', 'admin');
    await setRole(boss, await idOf(ann), 'admin');
    const { id } = read(await scim('POST', '/Users', oktaUser('ann@acme.com')));
    await server
      .get(internalDb)
      .run((knex) => knex('auth_user').where({ email: 'boss@example.com' }).update({ banned: true }));
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(409);
    expect((await ann.whoami()).status).toBe(200);
    await server
      .get(internalDb)
      .run((knex) => knex('auth_user').where({ email: 'boss@example.com' }).update({ banned: false }));
    await boss.signIn('boss@example.com');
    expect((await organization(boss, 'delete', { organizationId: orgId })).status).toBe(200);
    expect((await scim('GET', '/Users')).status).toBe(401);
    for (const table of ['sso_provider', 'sso_domain', 'sso_scim_connection', 'sso_scim_user', 'sso_scim_subject']) {
      expect([table, await server.get(internalDb).run((knex) => knex(table).select())]).toEqual([table, []]);
    }
  });
});

/** A session of a user who has no password. */
async function sessionOf(
  server: Awaited<ReturnType<typeof startServer>>,
  userId: string,
  orgId: string,
): Promise<Client> {
  const { createHash, randomBytes } = await import('node:crypto');
  const token = randomBytes(16).toString('hex');
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  await server.get(internalDb).run((knex) =>
    knex('auth_session').insert({
      id: `s-${token}`,
      token: createHash('sha256').update(token).digest('base64url'),
      userId,
      expiresAt: at(3_600_000),
      createdAt: at(0),
      updatedAt: at(0),
      activeOrganizationId: orgId,
    }),
  );
  return new Client(server, token);
}
