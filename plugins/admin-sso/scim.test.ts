import { describe, expect, it } from 'vitest';
import {
  type Answer,
  Client,
  type Dialect,
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

describe.each<Dialect>(['sqlite', 'postgres'])('SCIM on %s', (dialect) => {
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
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204);
    for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes']) {
      expect((await scim('GET', path)).status).toBe(200);
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
