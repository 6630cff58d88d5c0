import { describe, expect, it } from 'vitest';
import { definePlugin } from '../../kernel/index.ts';
import { type Dialect, dialects } from '../../test/harness/internal-databases.ts';
import {
  type Answer,
  Client,
  databases,
  idOf,
  invite,
  organization,
  PASSWORD,
  setRole,
  startServer,
  userOf,
} from '../../test/harness/managed-server.ts';
import { audit } from '../audit/index.ts';
import { signInBefore } from '../auth-managed/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { outbound } from '../outbound/index.ts';
import { startDnsServer } from './fixtures/dns-server.ts';
import { CLIENT, type Person, startOidcProvider } from './fixtures/oidc-provider.ts';
import { adminSso } from './index.ts';

const db = databases();
const ORIGIN = 'http://atlas.test';
const SSO = '/api/v1/admin/sso';

/** `meanwhile` happens while a sign-in is under way, after it was let through. */
async function start(dialect: Dialect, meanwhile?: { run?: (() => PromiseLike<unknown>) | undefined }) {
  const idp = await startOidcProvider();
  const records = new Map<string, string>();
  const dns = await startDnsServer(records);
  const server = await startServer(await db.url(dialect), { url: ORIGIN }, [
    outbound({ allowPrivate: [idp.host] }),
    audit(),
    adminSso({ dnsServers: [dns.address] }),
    definePlugin({
      name: 'meanwhile',
      version: '1.0.0',
      type: 'core',
      description: 'Does something else while a user signs in.',
      setup: (ctx) =>
        ctx.tap(
          signInBefore,
          async () => {
            const run = meanwhile?.run;
            if (meanwhile !== undefined) meanwhile.run = undefined;
            await run?.();
          },
          { stage: 'post' },
        ),
    })(),
  ]);
  const boss = await userOf(server, 'boss@example.com');
  return {
    idp,
    server,
    boss,
    records,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
      await dns[Symbol.asyncDispose]();
    },
  };
}

type Setup = Awaited<ReturnType<typeof start>>;

const newOrganization = async (by: Client, slug: string): Promise<string> =>
  (await organization(by, 'create', { name: slug, slug })).body.id;

const register = (by: Client, { idp }: Setup, domain: string, oidc: object = {}): Promise<Answer> =>
  by.send(`${SSO}/providers`, {
    body: { name: 'Our login', domain, oidc: { issuer: idp.issuer, ...CLIENT, ...oidc } },
  });

/** Registers a provider, and shows that the domain is the organization's. */
async function verified(by: Client, setup: Setup, domain: string): Promise<string> {
  const { provider } = (await register(by, setup, domain)).body;
  setup.records.set(provider.verificationRecord.name, provider.verificationRecord.value);
  const { status } = await by.send(`${SSO}/providers/${provider.id}/verify`, { method: 'POST' });
  if (status !== 200) throw new Error(`The domain was not verified: ${status}`);
  return provider.id;
}

/** Goes through the identity provider like a browser; resolves to where it ends. */
async function signOn({ idp, server }: Setup, person: Person, begin: object, client = new Client(server)) {
  idp.signIn(person);
  const begun = await client.send('/api/auth/sign-in/sso', { body: { callbackURL: '/done', ...begin } });
  if (begun.status !== 200) return { client, begun, location: undefined };
  const { headers } = await fetch(begun.body.url, { redirect: 'manual' });
  const back = new URL(headers.get('location') ?? '');
  expect(back.origin).toBe(ORIGIN);
  const ended = await client.send(back.pathname + back.search);
  return { client, begun, ended, back, location: ended.headers.get('location') };
}

const refusal = ({ status, body }: Answer) => [status, body.error];

describe.each(dialects)('single sign-on by OpenID Connect on %s', (dialect) => {
  it('signs in users of a verified domain, who become members', async () => {
    await using setup = await start(dialect);
    const { boss, server, idp, records } = setup;
    const orgId = await newOrganization(boss, 'acme');
    const registered = await register(boss, setup, 'ACME.com');
    const { provider } = registered.body;
    expect([registered.status, provider]).toEqual([
      201,
      {
        id: expect.stringMatching(/^sso-[0-9a-f]{24}$/),
        providerId: provider.id,
        name: 'Our login',
        organizationId: orgId,
        type: 'oidc',
        issuer: idp.issuer,
        clientId: 'atlas',
        domain: 'acme.com',
        domainVerified: false,
        verificationRecord: {
          name: '_atlas-verification.acme.com',
          value: expect.stringMatching(/^atlas-verification=/),
        },
        callbackUrl: `${ORIGIN}/api/auth/sso/callback/${provider.id}`,
        createdAt: expect.stringMatching(/Z$/),
        createdBy: await idOf(boss),
      },
    ]);
    const ann = { sub: 'ann-1', email: 'Ann@acme.com', name: 'Ann', email_verified: true };
    expect((await signOn(setup, ann, { email: 'ann@acme.com' })).begun.status).toBe(404);
    expect((await signOn(setup, ann, { providerId: provider.id })).begun.status).toBe(401);

    const path = `${SSO}/providers/${provider.id}`;
    expect(refusal(await boss.send(`${path}/verify`, { method: 'POST' }))).toEqual([409, 'conflict']);
    records.set('_atlas-verification.acme.com', 'atlas-verification=guessed');
    expect(refusal(await boss.send(`${path}/verify`, { method: 'POST' }))).toEqual([409, 'conflict']);
    records.set('_atlas-verification.acme.com', provider.verificationRecord.value);
    expect((await boss.send(`${path}/verify`, { method: 'POST' })).body.provider.domainVerified).toBe(true);

    const first = await signOn(setup, ann, { email: 'ann@acme.com' });
    expect(first.location).toBe('/done');
    const { actor, orgId: active } = (await first.client.whoami()).body;
    expect([actor, active]).toMatchObject([{ label: 'ann@acme.com', role: 'analyst' }, orgId]);
    for (const begin of [{ domain: 'acme.com' }, { organizationSlug: 'acme' }, { providerId: provider.id }]) {
      const again = await signOn(setup, ann, begin);
      expect((await again.client.whoami()).body.actor.id).toBe(actor.id);
    }
    // Without a password, and the code was for once.
    expect((await new Client(server).signIn('ann@acme.com')).status).toBe(401);
    const replay = await first.client.send(`${first.back?.pathname}${first.back?.search}`);
    expect(replay.headers.get('location')).toContain('error=');
    // Another browser has not begun it.
    const { begun } = await signOn(setup, ann, { providerId: provider.id });
    const { headers } = await fetch(begun.body.url, { redirect: 'manual' });
    const back = new URL(headers.get('location') ?? '');
    const thief = new Client(server);
    expect((await thief.send(back.pathname + back.search)).headers.get('location')).toContain('error');
    expect(thief.cookies.has('authlib.session_token')).toBe(false);

    const stored = await server.get(internalDb).run((knex) => knex('sso_provider').first());
    expect(JSON.stringify(stored)).not.toContain(CLIENT.clientSecret);
    const changes = await boss.send('/api/v1/admin/audit/changes');
    expect(JSON.stringify(changes.body)).not.toContain(CLIENT.clientSecret);
    expect(changes.body.changes.map(({ action }: { action: string }) => action).sort()).toEqual(
      expect.arrayContaining(['sso_domain.verified', 'sso_provider.created']),
    );
    expect((await boss.send(`${SSO}/providers`)).body).toMatchObject({ providers: [{ id: provider.id }], total: 1 });
    expect((await boss.send(path, { method: 'DELETE' })).body).toEqual({ success: true });
    expect((await signOn(setup, ann, { email: 'ann@acme.com' })).begun.status).toBe(404);
  });

  it('does not take a forged or a foreign identity', async () => {
    await using setup = await start(dialect);
    const { boss, idp, server } = setup;
    await newOrganization(boss, 'acme');
    await verified(boss, setup, 'acme.com');
    const ann = { sub: 'ann-1', email: 'ann@acme.com' };
    for (const fault of Object.keys(idp.faults) as (keyof typeof idp.faults)[]) {
      idp.faults[fault] = true;
      const { client, location } = await signOn(setup, ann, { domain: 'acme.com' });
      expect([fault, location]).toEqual([fault, expect.stringContaining('error=')]);
      expect((await client.whoami()).status).toBe(401);
      idp.faults[fault] = false;
    }
    // Whoever registers there with a foreign address is not its holder.
    const unverified = await signOn(setup, { ...ann, email_verified: false }, { domain: 'acme.com' });
    expect(unverified.location).toContain('error=sso_email_unverified');
    expect((await unverified.client.whoami()).status).toBe(401);
    expect((await signOn(setup, ann, { domain: 'acme.com' })).location).toBe('/done');
    // Known by now, by more than the address.
    expect((await signOn(setup, { ...ann, email_verified: false }, { domain: 'acme.com' })).location).toBe('/done');

    // What began at one provider does not end at another, nor with a state that was changed.
    const other = (await register(boss, setup, 'acme.com')).body.provider.id;
    for (const change of [
      (back: URL) => {
        back.pathname = back.pathname.replace(/[^/]+$/, other);
      },
      (back: URL) => back.searchParams.set('state', `${back.searchParams.get('state')}x`),
      (back: URL) => back.searchParams.delete('state'),
    ]) {
      const client = new Client(server);
      const begun = await client.send('/api/auth/sign-in/sso', { body: { callbackURL: '/done', domain: 'acme.com' } });
      const back = new URL((await fetch(begun.body.url, { redirect: 'manual' })).headers.get('location') ?? '');
      change(back);
      const { headers } = await client.send(back.pathname + back.search);
      expect([String(change), headers.get('location')]).toEqual([String(change), expect.stringContaining('error')]);
      expect((await client.whoami()).status).toBe(401);
    }
  });

  it('stands for its own users only', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    // Two organizations, each with its administrator; the first one administers the platform, too.
    await newOrganization(boss, 'platform');
    const mallory = await userOf(server, 'mallory@evil.com');
    await invite(boss, mallory, 'mallory@evil.com', 'admin');
    await setRole(boss, await idOf(mallory), 'admin');
    await newOrganization(mallory, 'evil');
    const victim = await userOf(server, 'victim@evil.com');
    await invite(boss, victim, 'victim@evil.com');
    await verified(mallory, setup, 'evil.com');

    const refused: [string, string][] = [
      ['boss@example.com', 'sso_domain_mismatch'],
      ['new@example.com', 'sso_domain_mismatch'],
      ['x@sub.evil.com', 'sso_domain_mismatch'],
      ['x@evil.com.example.com', 'sso_domain_mismatch'],
      ['victim@evil.com', 'sso_account_refused'],
    ];
    for (const [email, code] of refused) {
      const { client, location } = await signOn(
        setup,
        { sub: email, email, email_verified: true },
        { domain: 'evil.com' },
      );
      expect([email, location]).toEqual([email, expect.stringContaining(`error=${code}`)]);
      expect((await client.whoami()).status).toBe(401);
    }
    const users = await server.get(internalDb).run((knex) => knex('auth_user').select('email').orderBy('email'));
    expect(users.map(({ email }) => email)).toEqual(['boss@example.com', 'mallory@evil.com', 'victim@evil.com']);
  });

  it('never signs in an administrator of the platform', async () => {
    await using setup = await start(dialect);
    await newOrganization(setup.boss, 'acme');
    await verified(setup.boss, setup, 'example.com');
    const boss = { sub: 'boss', email: 'boss@example.com', email_verified: true };
    expect((await signOn(setup, boss, { domain: 'example.com' })).location).toContain('error=sso_account_refused');
  });

  it('takes an account from one who signed up with a foreign address, and leaves a member the password', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    await newOrganization(boss, 'acme');
    await verified(boss, setup, 'acme.com');
    const squatter = await userOf(server, 'ann@acme.com');
    const member = await userOf(server, 'bob@acme.com');
    await invite(boss, member, 'bob@acme.com');
    expect((await signOn(setup, { sub: 'ann', email: 'ann@acme.com' }, { domain: 'acme.com' })).location).toBe('/done');
    expect((await squatter.whoami()).status).toBe(401);
    expect((await squatter.signIn('ann@acme.com')).status).toBe(401);
    expect((await signOn(setup, { sub: 'bob', email: 'bob@acme.com' }, { domain: 'acme.com' })).location).toBe('/done');
    expect((await member.signIn('bob@acme.com')).status).toBe(200);
  });

  it('gives a domain to one organization, and its providers to nobody else', async () => {
    await using setup = await start(dialect);
    const { boss, server, records } = setup;
    await newOrganization(boss, 'acme');
    const ann = await userOf(server, 'ann@example.com');
    await invite(boss, ann, 'ann@example.com', 'admin');
    await setRole(boss, await idOf(ann), 'admin');
    const id = await verified(boss, setup, 'acme.com');
    await newOrganization(ann, 'other');
    const { provider } = (await register(ann, setup, 'acme.com')).body;
    records.set(provider.verificationRecord.name, provider.verificationRecord.value);
    expect(refusal(await ann.send(`${SSO}/providers/${provider.id}/verify`, { method: 'POST' }))).toEqual([
      409,
      'conflict',
    ]);
    expect((await ann.send(`${SSO}/providers`)).body.providers).toHaveLength(1);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/verify'],
    ] as const) {
      expect(refusal(await ann.send(`${SSO}/providers/${id}${path}`, { method }))).toEqual([404, 'not_found']);
    }
    const viewer = await userOf(server, 'viewer@example.com');
    expect((await viewer.send(`${SSO}/providers`)).status).toBe(403);
  });

  it('calls a provider by the rules of outgoing calls', async () => {
    await using setup = await start(dialect);
    const { boss, server, idp } = setup;
    await newOrganization(boss, 'acme');
    await verified(boss, setup, 'acme.com');
    const ann = { sub: 'ann', email: 'ann@acme.com' };
    expect((await signOn(setup, ann, { domain: 'acme.com' })).location).toBe('/done');
    const before = globalThis.fetch;
    // The same database, on a server that may not call private addresses.
    await using strict = await startServer(server.database, { url: ORIGIN }, [outbound(), audit(), adminSso()]);
    const calls = idp.requests.filter((path) => path === '/token').length;
    const refused = await signOn({ ...setup, server: strict }, ann, { domain: 'acme.com' });
    expect([refused.location, refused.client.cookies.has('authlib.session_token')]).toEqual([
      expect.stringContaining('error=invalid_provider'),
      false,
    ]);
    expect(idp.requests.filter((path) => path === '/token')).toHaveLength(calls);
    // Everything else is called as before.
    expect((await fetch(`${idp.issuer}/jwks`)).status).toBe(200);
    await strict[Symbol.asyncDispose]();
    expect(globalThis.fetch).toBe(before);
  });

  it('calls no private address, and takes no nonsense', async () => {
    await using setup = await start(dialect);
    const { boss, idp } = setup;
    expect(refusal(await register(boss, setup, 'acme.com'))).toEqual([409, 'conflict']);
    await newOrganization(boss, 'acme');
    for (const issuer of ['http://127.0.0.1:9/', 'http://169.254.169.254', 'http://[::1]:80', 'http://localhost:1']) {
      expect([issuer, ...refusal(await register(boss, setup, 'acme.com', { issuer }))]).toEqual([
        issuer,
        400,
        'invalid_request',
      ]);
    }
    for (const domain of [
      'localhost',
      'com',
      'co.uk',
      '127.0.0.1',
      'a b.com',
      'acme.com, other.com',
      '*.acme.com',
      '',
    ]) {
      expect([domain, ...refusal(await register(boss, setup, domain))]).toEqual([domain, 422, 'validation_error']);
    }
    expect(refusal(await register(boss, setup, 'acme.com', { issuer: `${idp.issuer}/other` }))).toEqual([
      422,
      'validation_error',
    ]);
    expect(refusal(await register(boss, setup, 'acme.com', { issuer: 'ftp://x' }))).toEqual([422, 'validation_error']);
    expect(refusal(await register(boss, setup, 'acme.com', { more: 1 }))).toEqual([422, 'validation_error']);
    const begin = (body: object) => new Client(setup.server).send('/api/auth/sign-in/sso', { body });
    expect(refusal(await begin({ callbackURL: '/done' }))).toEqual([422, 'validation_error']);
    expect(refusal(await begin({ email: 'x@none.com', callbackURL: '/done' }))).toEqual([404, 'not_found']);
    const id = await verified(boss, setup, 'acme.com');
    for (const callbackURL of ['https://evil.example.com/', `${idp.issuer}/x`, '//evil.example.com']) {
      expect([callbackURL, ...refusal(await begin({ providerId: id, callbackURL }))]).toEqual([
        callbackURL,
        403,
        'forbidden',
      ]);
    }
  });
});

describe.each(dialects)('enforcement on %s', (dialect) => {
  const enforce = (by: Client, enforced: unknown) =>
    by.send(`${SSO}/enforcement`, { method: 'PUT', body: { enforced } });

  it('refuses passwords for the verified domains', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    expect((await boss.send(`${SSO}/enforcement`)).body).toEqual({ enforced: false, orgId: null });
    expect(refusal(await enforce(boss, true))).toEqual([409, 'conflict']);
    const orgId = await newOrganization(boss, 'acme');
    expect((await boss.send(`${SSO}/enforcement`)).body).toEqual({ enforced: false, orgId });
    expect(refusal(await enforce(boss, true))).toEqual([409, 'conflict']);
    const { provider } = (await register(boss, setup, 'acme.com')).body;
    expect(refusal(await enforce(boss, true))).toEqual([409, 'conflict']);
    setup.records.set(provider.verificationRecord.name, provider.verificationRecord.value);
    await boss.send(`${SSO}/providers/${provider.id}/verify`, { method: 'POST' });
    const ann = await userOf(server, 'ann@acme.com');
    await invite(boss, ann, 'ann@acme.com');
    const on = await enforce(boss, true);
    expect([on.status, on.body]).toEqual([200, { enforced: true, orgId }]);
    expect((await enforce(boss, true)).body.enforced).toBe(true);
    expect((await boss.send(`${SSO}/enforcement`)).body).toEqual({ enforced: true, orgId });

    const visitor = new Client(server);
    for (const refused of [
      await visitor.signIn('ann@acme.com'),
      await visitor.signIn('ANN@ACME.COM', 'a wrong password'),
      await visitor.signIn('unknown@acme.com'),
      await visitor.signUp('new@acme.com'),
    ]) {
      expect([refused.status, refused.body]).toMatchObject([
        403,
        { error: 'forbidden', code: 'SSO_REQUIRED', message: expect.stringContaining('/api/auth/sign-in/sso') },
      ]);
    }
    expect((await visitor.signIn('boss@example.com')).status).toBe(200);
    expect((await visitor.signUp('new@else.com')).status).toBe(200);
    expect((await signOn(setup, { sub: 'ann', email: 'ann@acme.com' }, { email: 'ann@acme.com' })).location).toBe(
      '/done',
    );
    expect(refusal(await boss.send(`${SSO}/providers/${provider.id}`, { method: 'DELETE' }))).toEqual([
      409,
      'conflict',
    ]);
    expect((await enforce(boss, false)).body).toEqual({ enforced: false, orgId });
    expect((await visitor.signIn('ann@acme.com')).status).toBe(200);
    expect((await boss.send(`${SSO}/providers/${provider.id}`, { method: 'DELETE' })).status).toBe(200);
    for (const body of [{}, { enforced: 'yes' }, { enforced: true, more: 1 }]) {
      expect((await boss.send(`${SSO}/enforcement`, { method: 'PUT', body })).status).toBe(422);
    }
    const { changes } = (await boss.send('/api/v1/admin/audit/changes?action=sso.enforcement_changed')).body;
    expect(changes).toHaveLength(2);
  });

  it('ends the sessions that did not begin at the identity provider', async () => {
    const meanwhile: Parameters<typeof start>[1] = {};
    await using setup = await start(dialect, meanwhile);
    const { boss, server } = setup;
    const orgId = await newOrganization(boss, 'acme');
    await verified(boss, setup, 'acme.com');
    await verified(boss, setup, 'xn--mnchen-3ya.de');
    const member = async (email: string) => {
      const client = await userOf(server, email);
      await invite(boss, client, email);
      await client.signIn(email);
      return client;
    };
    const people = [];
    for (const email of [
      'ann@acme.com',
      'bob@xn--mnchen-3ya.de',
      'eve@sub.acme.com',
      'x@notacme.com',
      'acme.com@else.com',
    ])
      people.push(await member(email));
    const [ann, bob, ...others] = people as [Client, Client, ...Client[]];
    const script = new Client(server, (await new Client(server).signIn('ann@acme.com')).body.token);
    const signedOn = (await signOn(setup, { sub: 'ann', email: 'ann@acme.com' }, { email: 'ann@acme.com' })).client;
    for (const client of [...people, script, signedOn, boss]) expect((await client.whoami()).status).toBe(200);

    expect((await enforce(boss, true)).status).toBe(200);
    for (const client of [ann, bob, script]) expect((await client.whoami()).status).toBe(401);
    for (const client of [...others, signedOn, boss]) expect((await client.whoami()).status).toBe(200);
    expect((await new Client(server).signIn('bob@xn--mnchen-3ya.de')).status).toBe(403);
    // Nor is there a password to be changed, or another way in.
    const change = { body: { currentPassword: PASSWORD, newPassword: 'another long password' } };
    const changed = await signedOn.send('/api/v1/admin/me/password', change);
    expect([changed.status, changed.body]).toMatchObject([403, { code: 'SSO_REQUIRED' }]);
    for (const path of [
      'forget-password',
      'request-password-reset',
      'reset-password',
      'sign-in/magic-link',
      'change-email',
      'change-password',
      'set-password',
      'verify-email',
      'api-key/create',
    ])
      expect([path, (await signedOn.send(`/api/auth/${path}`, { body: { email: 'ann@acme.com' } })).status]).toEqual([
        path,
        404,
      ]);
    // A domain that is verified later counts from then on.
    const late = others.at(-1) as Client;
    await verified(boss, setup, 'else.com');
    expect((await late.whoami()).status).toBe(401);
    expect((await enforce(boss, false)).status).toBe(200);
    expect((await ann.signIn('ann@acme.com')).status).toBe(200);
    const row = { organizationId: orgId, enforcedAt: new Date().toISOString() };
    meanwhile.run = () => server.get(internalDb).run((knex) => knex('sso_enforcement').insert(row));
    const caught = new Client(server);
    expect((await caught.signIn('ann@acme.com')).status).toBe(403);
    expect((await caught.whoami()).status).toBe(401);
  });

  it('waits for an administrator who can sign in', async () => {
    await using setup = await start(dialect);
    const { boss, server } = setup;
    await newOrganization(boss, 'first');
    const ann = await userOf(server, 'ann@acme.com');
    await invite(boss, ann, 'ann@acme.com', 'admin');
    await setRole(boss, await idOf(ann), 'admin');
    await organization(boss, 'remove-member', { memberIdOrEmail: 'ann@acme.com' });
    // Administrators whom an organization made are none of the platform: here the platform makes one.
    await organization(boss, 'invite-member', { email: 'none@example.com', role: 'member' });
    await server
      .get(internalDb)
      .run((knex) =>
        knex('auth_user').where({ email: 'ann@acme.com' }).update({ role: 'admin', adminByOrganization: true }),
      );
    const orgId = 'acme-org';
    await server.get(internalDb).run(async (knex) => {
      const at = new Date().toISOString();
      await knex('auth_organization').insert({ id: orgId, name: 'Acme', slug: 'acme', createdAt: at });
      const userId = (await knex('auth_user').where({ email: 'ann@acme.com' }).first('id')).id;
      await knex('auth_member').insert({ id: 'm1', organizationId: orgId, userId, role: 'owner', createdAt: at });
    });
    await ann.signIn('ann@acme.com', PASSWORD);
    await verified(ann, setup, 'acme.com');
    expect(refusal(await enforce(ann, true))).toEqual([409, 'conflict']);
    // Whoever insists can have it: the platform's administrators may still help.
    const forced = await userOf(server, 'ann@acme.com');
    const force = { method: 'PUT', body: { enforced: true, force: true } };
    expect((await forced.send(`${SSO}/enforcement`, force)).body).toEqual({ enforced: true, orgId });
    expect((await forced.whoami()).status).toBe(401);
    await server.get(internalDb).run((knex) => knex('sso_enforcement').delete());
    await ann.signIn('ann@acme.com', PASSWORD);
    const signedOn = await signOn(setup, { sub: 'ann', email: 'ann@acme.com' }, { email: 'ann@acme.com' });
    expect((await signedOn.client.whoami()).body).toMatchObject({ orgId, actor: { role: 'admin' } });
    expect((await enforce(signedOn.client, true)).body).toEqual({ enforced: true, orgId });
    expect((await new Client(server).signIn('ann@acme.com')).status).toBe(403);
  });
});
