import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/harness/certificate.ts';
import {
  type Answer,
  Client,
  type Dialect,
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

const isSignedIn = (client: Client) => client.cookies.has('authlib.session_token');

describe.runIf(certificates !== undefined).each<Dialect>(['sqlite', 'postgres'])(
  'single sign-on by SAML on %s',
  (dialect) => {
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
      await refused('another audience', (url) =>
        answer(url, 'ann@acme.com', { audience: 'https://other.example.com' }),
      );
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
  },
);
