import { createHmac, sign as signBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { exportJWK, exportPKCS8, exportSPKI, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authResolve, definePlugin, httpRoutes, type Identity, type Route } from '../../kernel/index.ts';
import { authContract } from '../../test/contract/auth.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { sendRaw } from '../../test/harness/raw-http.ts';
import { forge, Issuer, makeKey, NOW_SECONDS, sign } from '../../test/harness/token-issuer.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { authByot } from './index.ts';

const issuer = 'https://id.example.com/';
const claims = { iss: issuer, aud: 'atlas', sub: 'ann', iat: NOW_SECONDS, exp: NOW_SECONDS + 300 };
const key = await makeKey('k-1');
const pem = await exportPKCS8(key.privateKey);
const stranger = await makeKey('k-1');
const provider = await Issuer.start(key);
afterAll(() => provider.stop());

const plugin = (options: Partial<Parameters<typeof authByot>[0]> = {}) =>
  authByot({ jwksUrl: provider.jwksUrl, issuer, audience: 'atlas', ...options });

pluginContract('auth-byot', () => plugin());
authContract('auth-byot', () => plugin(), {
  accepted: [async () => ({ authorization: `Bearer ${await sign(key)}` })],
  rejected: [
    async () => ({ authorization: `Bearer ${await sign(stranger)}` }),
    async () => ({ authorization: `Bearer ${await sign(key, { iss: 'https://other.example' })}` }),
  ],
  foreign: [
    { authorization: 'Bearer k-4f1b8c02d7a94e55' },
    { authorization: 'Bearer session.signature' },
    { authorization: 'Bearer a.b.c.d.e' },
    async () => ({ 'x-api-key': await sign(key) }),
    async () => ({ cookie: `token=${await sign(key)}` }),
    async () => ({ authorization: await sign(key) }),
  ],
});

const who: Route = {
  method: 'GET',
  path: '/who',
  summary: 'Who.',
  tag: 'Test',
  right: 'query',
  responses: { 200: Type.Unknown() },
  handle: (_request, scope) => ({ body: { ...scope.actor, orgId: scope.orgId } }),
};
const routes = definePlugin({
  name: 'test-routes',
  version: '1.0.0',
  type: 'interaction',
  description: 'Routes.',
  setup: (ctx) => ctx.tap(httpRoutes, () => [who]),
});

async function get(app: TestApp, headers: readonly string[], path = '/who') {
  const request = [`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers].join('\r\n');
  const response = await sendRaw(app.get(http).url(), `${request}\r\n\r\n`);
  return { ...response, json: JSON.parse(response.body) };
}

const start = (options: Partial<Parameters<typeof authByot>[0]> = {}) =>
  createTestApp({
    plugins: [http({ port: 0 }), authRoles(), plugin(options), routes()],
    openGates: false,
  });

describe('over HTTP', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await start();
  });
  afterAll(() => app.close());

  it('admits the bearer of a valid token', async () => {
    const given = { email: 'ann@example.com', role: 'analyst', org_id: 'org-1', tenant: 7 };
    const { status, json } = await get(app, [`authorization: bearer  ${await sign(key, given)} `]);
    expect([status, json]).toEqual([
      200,
      {
        id: 'ann',
        label: 'ann@example.com',
        role: 'analyst',
        mode: 'byot',
        orgId: 'org-1',
        claims: { ...claims, ...given },
      },
    ]);
  });

  const hmacToken = (secret: string | Buffer, header: object = {}) =>
    forge({ alg: 'HS256', kid: 'k-1', ...header }, claims, (input) =>
      createHmac('sha256', secret).update(input).digest(),
    );
  const rs256 = (header: object, payload: string | object = claims) =>
    forge({ alg: 'RS256', kid: 'k-1', ...header }, payload, (input) => signBytes('sha256', Buffer.from(input), pem));
  const hostile: [string, () => string | Promise<string>][] = [
    ['alg none', () => forge({ alg: 'none' }, claims)],
    ['alg None with the key id', () => forge({ alg: 'None', kid: 'k-1' }, claims)],
    ['no alg', () => forge({ kid: 'k-1' }, claims)],
    ['alg none and a signature', async () => `${forge({ alg: 'none' }, claims)}${(await sign(key)).split('.')[2]}`],
    ['HS256 with the public key as PEM', async () => hmacToken(await exportSPKI(key.publicKey))],
    ['HS256 with the trimmed PEM', async () => hmacToken((await exportSPKI(key.publicKey)).trim())],
    ['HS256 with the public key as JWK', async () => hmacToken(JSON.stringify(await exportJWK(key.publicKey)))],
    ['HS256 with the served JWK', () => hmacToken(JSON.stringify(key.jwk))],
    ['HS256 with the modulus', () => hmacToken(Buffer.from(key.jwk.n ?? '', 'base64url'))],
    ['HS256 with an empty secret', () => hmacToken('')],
    ['no signature', async () => (await sign(key)).replace(/[^.]*$/, '')],
    ['a changed signature', async () => (await sign(key)).replace(/.{8}$/, 'AAAAAAAA')],
    [
      'changed claims',
      async () =>
        (await sign(key))
          .split('.')
          .with(1, forge('{}', { ...claims, sub: 'bob' }).split('.')[1] ?? '')
          .join('.'),
    ],
    ['the signature of another key', () => sign(stranger)],
    ['an unknown key id', () => sign({ ...key, kid: 'k-9' })],
    ['a path as key id', () => sign({ ...key, kid: '../../dev/null' })],
    ['SQL as key id', () => sign({ ...key, kid: "' OR 1=1 --" })],
    ['a key id that is no text', () => rs256({ kid: { $ne: null } })],
    ['__proto__ as key id', () => sign({ ...key, kid: '__proto__' })],
    ['an embedded key (jwk)', () => sign(stranger, {}, { kid: 'mine', jwk: stranger.jwk })],
    ['an embedded key set URL (jku)', () => sign(stranger, {}, { jku: 'http://127.0.0.1:9/jwks.json' })],
    [
      'an embedded certificate (x5c, x5u)',
      () => sign(stranger, {}, { x5c: ['MIIB'], x5u: 'http://127.0.0.1:9/c.pem' }),
    ],
    ['an unknown crit', () => rs256({ crit: ['exp'], exp: 1 })],
    ['crit without what it names', () => rs256({ crit: ['unknown'] })],
    ['b64=false', () => rs256({ crit: ['b64'], b64: false })],
    ['a compressed payload', () => rs256({ zip: 'DEF', crit: ['zip'] })],
    ['another issuer', () => sign(key, { iss: 'https://evil.example/' })],
    ['an issuer without its slash', () => sign(key, { iss: issuer.slice(0, -1) })],
    ['a list of issuers', () => rs256({}, { ...claims, iss: [issuer] })],
    ['no issuer', () => sign(key, { iss: undefined } as unknown as JWTPayload)],
    ['another audience', () => sign(key, { aud: 'billing' })],
    ['other audiences', () => sign(key, { aud: ['billing', 'atlas2'] })],
    ['no audience', () => sign(key, { aud: undefined } as unknown as JWTPayload)],
    ['expired', () => sign(key, { exp: NOW_SECONDS - 31 })],
    ['expired to the second', () => sign(key, { exp: NOW_SECONDS - 30 })],
    ['no expiry', () => sign(key, { exp: undefined } as unknown as JWTPayload)],
    ['an expiry that is a text', () => rs256({}, { ...claims, exp: String(NOW_SECONDS + 300) })],
    ['not valid yet', () => sign(key, { nbf: NOW_SECONDS + 31 })],
    ['a start that is a text', () => rs256({}, { ...claims, nbf: 'now' })],
    ['issued in the future', () => sign(key, { iat: NOW_SECONDS + 3_600 })],
    ['no sub', () => sign(key, { sub: undefined } as unknown as JWTPayload)],
    ['an empty sub', () => sign(key, { sub: '' })],
    ['a blank sub', () => sign(key, { sub: '  ' })],
    ['a null character in sub', () => sign(key, { sub: 'a\u0000b' })],
    ['a line break in sub', () => sign(key, { sub: 'a\nb' })],
    ['a sub that is a number', () => rs256({}, { ...claims, sub: 7 })],
    ['a sub that is null', () => rs256({}, { ...claims, sub: null })],
    ['a sub that is a list', () => rs256({}, { ...claims, sub: ['ann'] })],
    ['claims that are a list', () => rs256({}, '[]')],
    ['claims that are no JSON', () => rs256({}, 'ann')],
    ['a header that is no JSON', () => forge('RS256', claims, () => 'x')],
    ['three empty parts', () => '..'],
    ['no base64', () => '%%%.###.!!!'],
    ['9,000 bytes', () => sign(key, { pad: 'x'.repeat(6_000) })],
    ['a quoted token', async () => `"${await sign(key)}"`],
    ['a token with a blank inside', async () => (await sign(key)).replace('.', '. ')],
    ['two tokens', async () => `${await sign(key)},${await sign(key)}`],
  ];

  it.each(hostile)('refuses %s', async (_, make) => {
    const token = await make();
    const seen = app.lines.length;
    const response = await get(app, [`Authorization: Bearer ${token}`]);
    expect([response.status, response.json.error]).toEqual([401, 'auth_error']);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="atlas", error="invalid_token"');
    expect(response.json.message).toMatch(/^The [^{}]+\. [A-Z].*\.$/);
    for (const part of token.split(/[.\s,]/).filter((text) => text.length > 7)) {
      expect(response.body).not.toContain(part);
      expect(JSON.stringify(app.lines.slice(seen))).not.toContain(part);
    }
  });

  it('never fetches a URL of a token', async () => {
    const before = provider.fetches;
    await get(app, [`Authorization: Bearer ${await sign(stranger, {}, { jku: `${provider.url}/mine` })}`]);
    expect(provider.fetches).toBe(before);
  });

  it('takes what lies within the tolerance', async () => {
    for (const given of [
      { exp: NOW_SECONDS - 29 },
      { nbf: NOW_SECONDS + 30 },
      { iat: NOW_SECONDS + 30 },
      { aud: ['x', 'atlas'] },
    ]) {
      expect((await get(app, [`Authorization: Bearer ${await sign(key, given)}`])).status).toBe(200);
    }
  });

  it.each([
    ['in the address', async () => [[], `/who?access_token=${await sign(key)}&token=${await sign(key)}`] as const],
    ['in a cookie', async () => [[`Cookie: token=${await sign(key)}`], '/who'] as const],
    ['without a scheme', async () => [[`Authorization: ${await sign(key)}`], '/who'] as const],
    ['with a tab', async () => [[`Authorization: Bearer\t${await sign(key)}`], '/who'] as const],
    [
      'twice',
      async () =>
        [[`Authorization: Bearer ${await sign(key)}`, `Authorization: Bearer ${await sign(key)}`], '/who'] as const,
    ],
    [
      'after another',
      async () => [['Authorization: Bearer x', `authorization: Bearer ${await sign(key)}`], '/who'] as const,
    ],
  ])('does not take a token %s', async (_, make) => {
    const [headers, path] = await make();
    const response = await get(app, headers, path);
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it('says what is wrong with it', async () => {
    const message = async (token: string) => (await get(app, [`Authorization: Bearer ${token}`])).json.message;
    expect(await message(await sign(key, { exp: 1 }))).toMatch(/^The token has expired\. Send a current token/);
    expect(await message(await sign(key, { aud: 'x' }))).toMatch(/^The claim "aud" of the token is not valid\./);
    expect(await message(await sign(key, { nbf: NOW_SECONDS + 99 }))).toMatch(/^The token is not valid yet\./);
    expect(await message(await sign(key, { exp: undefined } as unknown as JWTPayload))).toMatch(
      /"exp" of the token is missing/,
    );
  });
});

describe.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'])(
  '%s',
  (alg) => {
    it('is good', async () => {
      const own = await makeKey('own', alg);
      const other = await Issuer.start(own);
      await using app = await createTestApp({ plugins: [plugin({ jwksUrl: other.jwksUrl })], openGates: false });
      const headers = { authorization: `Bearer ${await sign(own)}` };
      const identity = await app.call(authResolve, { method: 'GET', route: '/', headers, ip: '::1' }, app.scope());
      expect(identity?.actor.id).toBe('ann');
      await other.stop();
    });
  },
);

describe('claims', () => {
  async function identity(
    options: Partial<Parameters<typeof authByot>[0]>,
    given: object,
  ): Promise<Identity | undefined> {
    await using app = await createTestApp({ plugins: [plugin(options)], openGates: false });
    const headers = { authorization: `Bearer ${await sign(key, given as JWTPayload)}` };
    return await app.call(authResolve, { method: 'GET', route: '/', headers, ip: '::1' }, app.scope());
  }

  it.each([
    [undefined, {}, 'viewer'],
    [undefined, { role: 'admin' }, 'admin'],
    [undefined, { atlas_role: 'analyst' }, 'analyst'],
    [undefined, { role: 'viewer', atlas_role: 'admin' }, 'viewer'],
    // Others have roles of their own under that name.
    [undefined, { role: 'authenticated', atlas_role: 'analyst' }, 'analyst'],
    [undefined, { role: 'owner' }, 'viewer'],
    [undefined, { role: 'Admin' }, 'viewer'],
    [undefined, { role: 2 }, 'viewer'],
    [undefined, { role: null }, 'viewer'],
    [undefined, { role: { admin: true } }, 'viewer'],
    [undefined, { role: ['viewer', 'admin', 'analyst'] }, 'admin'],
    [undefined, { role: ['staff', 7] }, 'viewer'],
    [undefined, { role: [] }, 'viewer'],
    ['realm_access.roles', { realm_access: { roles: ['offline_access', 'analyst'] } }, 'analyst'],
    ['app.role', { app: { role: 'admin' } }, 'admin'],
    ['app.role', { 'app.role': 'analyst', app: { role: 'admin' } }, 'analyst'],
    ['https://example.com/role', { 'https://example.com/role': 'admin' }, 'admin'],
    ['https://example.com/claims.role', { 'https://example.com/claims': { role: 'admin' } }, 'admin'],
    // A configured claim is the only one.
    ['app.role', { role: 'admin', atlas_role: 'admin' }, 'viewer'],
    ['constructor.name', {}, 'viewer'],
    ['__proto__.role', {}, 'viewer'],
  ])('with roleClaim %j, %j makes a %s', async (roleClaim, given, role) => {
    expect((await identity({ roleClaim }, given))?.actor.role).toBe(role);
  });

  it('logs an unknown role at debug level', async () => {
    await using app = await createTestApp({ plugins: [plugin()], openGates: false });
    const headers = { authorization: `Bearer ${await sign(key, { role: 'owner' })}` };
    await app.call(authResolve, { method: 'GET', route: '/', headers, ip: '::1' }, app.scope());
    expect(app.lines.filter(({ message }) => message.includes('viewer'))).toMatchObject([
      { level: 'debug', plugin: 'auth-byot', fields: { requestId: expect.any(String) } },
    ]);
  });

  it('give a label, when it is a text', async () => {
    expect(await identity({}, { name: 'Ann' })).toMatchObject({ actor: { label: 'Ann' }, orgId: null });
    expect(await identity({}, { email: 5 })).toMatchObject({ actor: { label: null }, orgId: null });
  });

  it.each([
    [undefined, { org_id: 'acme' }, 'acme'],
    [undefined, { org_id: 'Ärzte & Söhne/ΩΩ' }, 'Ärzte & Söhne/ΩΩ'],
    [undefined, { org_id: 1 }, '1'],
    [undefined, { org_id: '1' }, '1'],
    [undefined, { org_id: '01' }, '01'],
    [undefined, { org_id: null }, null],
    [undefined, {}, null],
    ['org.id', { org: { id: 'o-1' } }, 'o-1'],
    ['org.id', { 'org.id': 'o-2', org: { id: 'o-1' } }, 'o-2'],
    ['https://example.com/org', { 'https://example.com/org': 'o-3' }, 'o-3'],
    ['org.id', { org: ['id'], org_id: 'acme' }, null],
    ['constructor.name', {}, null],
    ['__proto__.org', {}, null],
    ['toString', {}, null],
    ['org.length', { org: 'acme' }, null],
  ])('by the claim %j of %j name the organization %j', async (orgClaim, given, orgId) => {
    const named = await identity(orgClaim === undefined ? {} : { orgClaim }, given);
    expect(named?.orgId).toBe(orgId);
  });

  it.each([
    ['', ' ', ' acme', 'acme\n', 'a\0b', 'a\u{202e}\u{85}', '\ud800', 'x'.repeat(256)],
    [[], ['acme'], ['acme', 'evil'], {}, { id: 'acme' }],
    [true, false, 1.5, -1, 2 ** 60],
  ])('that name no single organization are refused: %j', async (...values) => {
    for (const org_id of values) {
      const refused = identity({}, { org_id });
      await expect(refused, JSON.stringify(org_id)).rejects.toMatchObject({
        code: 'auth_error',
        message: 'The claim "org_id" of the token is not valid: it must name one organization.',
      });
    }
  });

  it('may have any audience when none is configured', async () => {
    expect((await identity({ audience: undefined }, { aud: 'else' }))?.actor.id).toBe('ann');
    expect((await identity({ audience: ['a', 'atlas'] }, {}))?.actor.id).toBe('ann');
  });
});

it('works together with API keys', async () => {
  const apiKey = 'sk.live.4f1b8c02d7a94e55';
  for (const plugins of [
    [plugin(), authApiKey({ keys: [{ key: apiKey }] })],
    [authApiKey({ keys: [{ key: apiKey }] }), plugin()],
  ]) {
    await using app = await createTestApp({
      plugins: [http({ port: 0 }), authRoles(), ...plugins, routes()],
      openGates: false,
    });
    expect((await get(app, [`Authorization: Bearer ${apiKey}`])).json.mode).toBe('api-key');
    expect((await get(app, [`Authorization: Bearer ${await sign(key)}`])).json.mode).toBe('byot');
    expect((await get(app, ['Authorization: Bearer neither'])).status).toBe(401);
    expect((await get(app, ['X-API-Key: neither', `Authorization: Bearer ${await sign(key)}`])).status).toBe(401);
  }
});

describe('options', () => {
  const start = (options: object) => createTestApp({ plugins: [authByot(options as never)] });
  it('need the issuer, and say how to give it', async () => {
    await expect(start({ jwksUrl: provider.jwksUrl })).rejects.toThrow(/"issuer".*SVC_AUTH_ISSUER/);
    await expect(start({ jwksUrl: provider.jwksUrl, issuer: '' })).rejects.toThrow(/"issuer".*SVC_AUTH_ISSUER/);
    await expect(start({ issuer })).rejects.toThrow(/"jwksUrl".*SVC_AUTH_JWKS_URL/);
  });

  it.each([
    'file:///etc/passwd',
    'id.example.com/jwks',
    'https://',
    'https://user:pass@id.example.com/jwks',
    'data:,{}',
  ])('refuse %s as the address of keys, without showing it', async (jwksUrl) => {
    const started = start({ jwksUrl, issuer });
    await expect(started).rejects.toThrow(/Set SVC_AUTH_JWKS_URL like/);
    await expect(started).rejects.not.toThrow(/pass@|passwd/);
  });

  it.each([
    ['http://id.example.com/jwks', true],
    ['http://10.0.0.5/jwks', true],
    ['http://localhost.evil.example/jwks', true],
    ['http://127.0.0.1:1/jwks', false],
    ['http://localhost:1/jwks', false],
    ['http://[::1]:1/jwks', false],
    ['https://127.0.0.1:1/jwks', false],
  ])('with %s warn: %s', async (jwksUrl, warns) => {
    await using app = await start({ jwksUrl, issuer, keysTimeoutMs: 50 });
    expect(app.lines.some(({ message }) => message.includes('over http'))).toBe(warns);
  });
});
