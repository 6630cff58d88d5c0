import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/harness/certificate.ts';
import type { TestApp } from '../../test/harness/create-test-app.ts';
import { type Dialect, dialects } from '../../test/harness/internal-databases.ts';
import {
  type Answer,
  Client,
  databases,
  organization,
  startServer,
  userOf,
} from '../../test/harness/managed-server.ts';
import { audit } from '../audit/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { outbound } from '../outbound/index.ts';
import { startDnsServer } from './fixtures/dns-server.ts';
import { adminSso } from './index.ts';

const db = databases();
// Its types bring those of a browser into every file.
const samlify = createRequire(import.meta.url)('samlify');
const IDP = 'https://login.example.com/saml';
const certificates = selfSigned();

const SIGNATURE = /<(?:ds:)?Signature[\s>][\s\S]*?<\/(?:ds:)?Signature>/;
const ASSERTION = /<saml:Assertion[\s\S]*<\/saml:Assertion>/;

/** Signature wrapping: the signed assertion stays in the document, beside or around one for another user. */
function wrapped(build: (parts: { signed: string; bare: string; evil: string; signature: string }) => string) {
  return (xml: string): string => {
    const signed = ASSERTION.exec(xml)?.[0] ?? '';
    const signature = SIGNATURE.exec(signed)?.[0] ?? '';
    const bare = signed.replace(SIGNATURE, '');
    const evil = bare.replaceAll('ann@acme.com', 'bob@acme.com').replace(/ ID="[^"]+"/, ' ID="_evil"');
    return xml.replace(ASSERTION, () => build({ signed, bare, evil, signature }));
  };
}
const inside = (outer: string, inner: string) => outer.replace('</saml:Assertion>', () => `${inner}</saml:Assertion>`);
const inSignature = (signature: string, inner: string, end: string) =>
  signature.replace(/<\/(ds:)?Signature>$/, (close) => `${inner}${end}${close}`);

const WRAPPED: Readonly<Record<string, (xml: string) => string>> = {
  // Around the whole response.
  XSW1: (xml) => {
    const evil = wrapped(({ signed }) => signed.replaceAll('ann@acme.com', 'bob@acme.com'))(xml);
    const body = xml.replace(/^<\?xml[^>]*\?>/, '');
    return evil.replace(SIGNATURE, (signature) => inSignature(signature, body, ''));
  },
  XSW2: (xml) => {
    const evil = wrapped(({ evil: one, signature }) => signature + one)(xml);
    return evil.replace(/<saml:Assertion/, () => `${xml.replace(/^<\?xml[^>]*\?>/, '')}<saml:Assertion`);
  },
  XSW3: wrapped(({ signed, evil }) => evil + signed),
  'XSW3, the other way round': wrapped(({ signed, evil }) => signed + evil),
  XSW4: wrapped(({ signed, evil }) => inside(evil, signed)),
  XSW5: wrapped(({ bare, evil, signature }) => inside(evil, signature) + bare),
  XSW6: wrapped(({ bare, evil, signature }) => inside(evil, inSignature(signature, bare, ''))),
  XSW7: wrapped(({ signed, evil }) => `<samlp:Extensions>${evil}</samlp:Extensions>${signed}`),
  XSW8: wrapped(({ bare, evil, signature }) =>
    inside(
      evil,
      inSignature(signature, `<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${bare}`, '</ds:Object>'),
    ),
  ),
  'the same id': wrapped(({ signed, evil }) => evil.replace('_evil', / ID="([^"]+)"/.exec(signed)?.[1] ?? '') + signed),
};

interface Changes {
  readonly audience?: string;
  readonly recipient?: string;
  readonly inResponseTo?: string;
  readonly issuer?: string;
  readonly ageMs?: number;
}

/** An identity provider that signs with `keys`. */
function identityProvider(keys: { readonly certificate: string; readonly key: string }, metadata: string) {
  const SSO_SERVICE = { Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: `${IDP}/sso` };
  const sp = samlify.ServiceProvider({ metadata });
  const of = (entityID: string) =>
    samlify.IdentityProvider({
      entityID,
      privateKey: keys.key,
      signingCert: keys.certificate,
      isAssertionEncrypted: false,
      requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      singleSignOnService: [SSO_SERVICE],
      singleLogoutService: [SSO_SERVICE],
    });
  return async (url: string, email: string, changes: Changes = {}): Promise<Record<string, string>> => {
    const asked = new URL(url).searchParams;
    const request = inflateRawSync(Buffer.from(asked.get('SAMLRequest') ?? '', 'base64')).toString();
    const idp = of(changes.issuer ?? IDP);
    const acs = changes.recipient ?? sp.entityMeta.getAssertionConsumerService('post');
    const at = (ms: number) => new Date(Date.now() - (changes.ageMs ?? 0) + ms).toISOString();
    const values = {
      ID: `_${randomUUID()}`,
      AssertionID: `_${randomUUID()}`,
      Destination: acs,
      Audience: changes.audience ?? sp.entityMeta.getEntityID(),
      SubjectRecipient: acs,
      Issuer: idp.entityMeta.getEntityID(),
      NameIDFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      NameID: email,
      IssueInstant: at(0),
      ConditionsNotBefore: at(0),
      ConditionsNotOnOrAfter: at(300_000),
      SubjectConfirmationDataNotOnOrAfter: at(300_000),
      InResponseTo: changes.inResponseTo ?? / ID="([^"]+)"/.exec(request)?.[1],
      StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
      AuthnStatement: '',
      AttributeStatement: '',
    };
    const filled = (template: string) => ({
      id: values.ID,
      context: samlify.SamlLib.replaceTagsByValue(template, values),
    });
    const { context } = await idp.createLoginResponse(
      sp,
      { extract: { request: { id: values.InResponseTo } } },
      'post',
      {},
      filled,
    );
    return { SAMLResponse: context, RelayState: asked.get('RelayState') ?? '' };
  };
}

async function start(dialect: Dialect, keys: { readonly certificate: string }) {
  const records = new Map<string, string>();
  const dns = await startDnsServer(records);
  const server = await startServer(await db.url(dialect), { url: 'https://atlas.test' }, [
    outbound(),
    audit(),
    adminSso({ dnsServers: [dns.address] }),
  ]);
  const boss = await userOf(server, 'boss@example.com');
  await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
  const saml = { issuer: IDP, entryPoint: `${IDP}/sso`, certificate: keys.certificate };
  const { provider } = (
    await boss.send('/api/v1/admin/sso/providers', { body: { name: 'SAML', domain: 'acme.com', saml } })
  ).body;
  records.set(provider.verificationRecord.name, provider.verificationRecord.value);
  await boss.send(`/api/v1/admin/sso/providers/${provider.id}/verify`, { method: 'POST' });
  return {
    server,
    boss,
    provider,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await dns[Symbol.asyncDispose]();
    },
  };
}

const begin = async (client: Client): Promise<string> =>
  (await client.send('/api/auth/sign-in/sso', { body: { email: 'ann@acme.com', callbackURL: '/done' } })).body.url;

/** As the page of the identity provider posts it. */
const post = (client: Client, id: string, form: Record<string, string>): Promise<Answer> =>
  client.send(`/api/auth/sso/saml2/sp/acs/${id}`, {
    method: 'POST',
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(IDP).origin },
  });

const refusal = ({ status, body }: Answer) => [status, body.error];
const isSignedIn = (client: Client) => client.cookies.has('authlib.session_token');

describe.runIf(certificates !== undefined).each(dialects)('single sign-on by SAML on %s', (dialect) => {
  const keys = certificates as NonNullable<typeof certificates>;

  it('signs in users by a signed assertion, once', async () => {
    await using setup = await start(dialect, keys);
    const { server, provider, boss } = setup;
    expect(provider).toMatchObject({
      type: 'saml',
      issuer: IDP,
      clientId: null,
      callbackUrl: `https://atlas.test/api/auth/sso/saml2/sp/acs/${provider.id}`,
      entityId: `https://atlas.test/api/auth/sso/saml2/sp/metadata?providerId=${provider.id}`,
    });
    const metadata = await boss.send(new URL(provider.entityId).pathname + new URL(provider.entityId).search);
    expect([metadata.status, metadata.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('application/xml'),
    ]);
    const answer = identityProvider(keys, metadata.body);

    const ann = new Client(server);
    const form = await answer(await begin(ann), 'Ann@acme.com');
    const ended = await post(ann, provider.id, form);
    expect([ended.status, ended.headers.get('location')]).toEqual([302, '/done']);
    expect((await ann.whoami()).body).toMatchObject({
      actor: { label: 'ann@acme.com', role: 'analyst' },
      orgId: provider.organizationId,
    });
    // The same assertion again, and in another browser.
    for (const client of [ann, new Client(server)]) {
      const { location } = Object.fromEntries((await post(client, provider.id, form)).headers);
      expect(location).toMatch(/error=/);
    }
    const stored = await server.get(internalDb).run((knex) => knex('sso_provider').first());
    expect(stored.samlConfig).not.toContain(IDP);
  });

  it('loads the library with the first provider and at a start, never for a user who waits', async () => {
    await using setup = await start(dialect, keys);
    const loads = ({ lines }: TestApp) => lines.filter(({ message }) => message.includes('library of single sign-on'));
    expect(loads(setup.server)).toHaveLength(1);
    const again = async () => startServer(setup.server.database, {}, [outbound(), adminSso()]);
    {
      await using next = await again();
      expect(loads(next)).toHaveLength(1);
      const client = new Client(next);
      expect((await post(client, setup.provider.id, { SAMLResponse: 'bm90aGluZw==' })).status).toBe(302);
      expect(loads(next)).toHaveLength(1);
    }
    await setup.boss.send(`/api/v1/admin/sso/providers/${setup.provider.id}`, { method: 'DELETE' });
    await using last = await again();
    expect(loads(last)).toHaveLength(0);
  });

  it('does not take what is forged, foreign or late', async () => {
    await using setup = await start(dialect, keys);
    const { server, provider, boss } = setup;
    const metadata = (await boss.send(`/api/auth/sso/saml2/sp/metadata?providerId=${provider.id}`)).body;
    const answer = identityProvider(keys, metadata);
    const foreign = identityProvider(selfSigned() ?? keys, metadata);
    const refused = async (name: string, make: (url: string) => Promise<Record<string, string>>) => {
      const client = new Client(server);
      const { status, headers } = await post(client, provider.id, await make(await begin(client)));
      expect([name, status, headers.get('location')]).toEqual([name, 302, expect.stringContaining('error=')]);
      expect([name, isSignedIn(client)]).toEqual([name, false]);
    };
    await refused('another key', (url) => foreign(url, 'ann@acme.com'));
    await refused('another audience', (url) => answer(url, 'ann@acme.com', { audience: 'https://other.example.com' }));
    await refused('another recipient', (url) =>
      answer(url, 'ann@acme.com', { recipient: 'https://other.example.com/acs' }),
    );
    await refused('another issuer', (url) => answer(url, 'ann@acme.com', { issuer: 'https://evil.example.com' }));
    await refused('an unknown request', (url) => answer(url, 'ann@acme.com', { inResponseTo: '_unknown' }));
    await refused('expired', (url) => answer(url, 'ann@acme.com', { ageMs: 3_600_000 }));
    await refused('an address outside', (url) => answer(url, 'ann@else.com'));
    await refused('an administrator of the platform', (url) => answer(url, 'boss@example.com'));
    await refused('no document', async () => ({ SAMLResponse: 'bm90aGluZw==', RelayState: 'x' }));
    await refused('changed after signing', async (url) => {
      const form = await answer(url, 'ann@acme.com');
      const text = Buffer.from(form.SAMLResponse ?? '', 'base64').toString();
      return {
        ...form,
        SAMLResponse: Buffer.from(text.replaceAll('ann@acme.com', 'bob@acme.com')).toString('base64'),
      };
    });
    const changed = (change: (xml: string) => string, email?: string) => async (url: string) => {
      const form = await answer(url, email ?? 'ann@acme.com');
      const text = Buffer.from(form.SAMLResponse ?? '', 'base64').toString();
      const xml = change(text);
      expect(xml).not.toBe(text);
      return { ...form, SAMLResponse: Buffer.from(xml).toString('base64') };
    };
    for (const [name, wrap] of Object.entries(WRAPPED)) await refused(name, changed(wrap));
    await refused(
      'unsigned',
      changed((xml) => xml.replace(SIGNATURE, '')),
    );
    await refused(
      'a comment that cuts the address',
      changed(
        (xml) => xml.replaceAll('ann@acme.com.evil.com', 'ann@acme.com<!-- -->.evil.com'),
        'ann@acme.com.evil.com',
      ),
    );
    const reader = new Client(server);
    const declaring = changed((xml) => `<!doctype x [<!ENTITY e "x">]>${xml}`);
    expect(refusal(await post(reader, provider.id, await declaring(await begin(reader))))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(isSignedIn(reader)).toBe(false);
    await refused('begun by the provider', (url) => answer(url, 'ann@acme.com', { inResponseTo: '' }));
    await refused('begun by the provider, without a state', async (url) => {
      const { RelayState: _, ...form } = await answer(url, 'ann@acme.com', { inResponseTo: '' });
      return form;
    });
    await refused('not valid yet', (url) => answer(url, 'ann@acme.com', { ageMs: -900_000 }));
    for (const RelayState of ['https://evil.example.com/', '//evil.example.com', 'x']) {
      const client = new Client(server);
      const form = await answer(await begin(client), 'ann@acme.com');
      const { headers } = await post(client, provider.id, { ...form, RelayState });
      expect([RelayState, headers.get('location'), isSignedIn(client)]).toEqual([
        RelayState,
        expect.not.stringContaining('evil'),
        false,
      ]);
    }
    // What is meant for another provider of the same identity provider.
    const other = (
      await boss.send('/api/v1/admin/sso/providers', {
        body: {
          name: 'Two',
          domain: 'acme.com',
          saml: { issuer: IDP, entryPoint: `${IDP}/sso`, certificate: keys.certificate },
        },
      })
    ).body.provider;
    expect(other.domainVerified).toBe(true);
    const swapped = new Client(server);
    await post(swapped, other.id, await answer(await begin(swapped), 'ann@acme.com'));
    expect(isSignedIn(swapped)).toBe(false);
    // A clock that is a little off.
    const early = new Client(server);
    expect(
      (
        await post(early, provider.id, await answer(await begin(early), 'ann@acme.com', { ageMs: -120_000 }))
      ).headers.get('location'),
    ).toBe('/done');

    // A login that another browser has begun.
    const form = await answer(await begin(new Client(server)), 'ann@acme.com');
    const victim = new Client(server);
    await post(victim, provider.id, form);
    expect(isSignedIn(victim)).toBe(false);

    const asJson = { method: 'POST', body: { SAMLResponse: 'x' } };
    expect(
      (
        await victim.send('/api/auth/sign-out', {
          ...asJson,
          body: 'a=b',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      ).status,
    ).toBe(415);
    const providers = '/api/v1/admin/sso/providers';
    const given = { name: 'x', domain: 'acme.com' };
    const saml = { issuer: IDP, entryPoint: IDP, certificate: 'nonsense' };
    for (const body of [given, { ...given, saml }, { ...given, saml: { ...saml, entryPoint: 'javascript:x' } }]) {
      expect((await boss.send(providers, { body })).status).toBe(422);
    }
  });
});
