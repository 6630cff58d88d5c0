import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authResolve, definePlugin, httpRoutes, type Identity, type Route } from '../../kernel/index.ts';
import { authContract } from '../../test/contract/auth.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { sendRaw } from '../../test/harness/raw-http.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { authApiKey } from './index.ts';

const KEY = 'k-4f1b8c02d7a94e55';
const ADMIN = 'a-99e0c3d1b2a74f68';
const keys = [
  { key: KEY, name: 'reports', claims: { tenant: 7 } },
  { key: ADMIN, role: 'admin' },
] as const;

pluginContract('auth-api-key', () => authApiKey({ keys }));
authContract('auth-api-key', () => authApiKey({ keys }), {
  accepted: [
    { authorization: `Bearer ${KEY}` },
    { 'x-api-key': ADMIN },
    { authorization: `Bearer ${KEY}`, 'x-api-key': KEY },
    { authorization: 'Basic dTpw', 'x-api-key': KEY },
  ],
  rejected: [
    { 'x-api-key': 'not-a-known-key' },
    { 'x-api-key': `${KEY}, ${KEY}` },
    { 'x-api-key': `${KEY}x` },
    { 'x-api-key': KEY.toUpperCase() },
    { 'x-api-key': KEY, authorization: `Bearer ${ADMIN}` },
    { 'x-api-key': KEY, authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln' },
    { 'x-api-key': 'not-a-known-key', authorization: `Bearer ${KEY}` },
  ],
  foreign: [{ authorization: 'Bearer not-a-known-key' }, { authorization: KEY }, { cookie: `key=${KEY}` }],
});

const who: Route = {
  method: 'GET',
  path: '/who',
  summary: 'Who.',
  tag: 'Test',
  right: 'query',
  responses: { 200: Type.Unknown() },
  handle: (_request, scope) => ({ body: scope.actor }),
};
const adminOnly: Route = { ...who, path: '/admin', right: 'admin' };
const routes = definePlugin({
  name: 'test-routes',
  version: '1.0.0',
  type: 'interaction',
  description: 'Routes.',
  setup: (ctx) => ctx.tap(httpRoutes, () => [who, adminOnly]),
});

/** Sends these header lines over a socket, as they are. */
async function get(app: TestApp, path: string, ...lines: (string | undefined)[]) {
  const given = lines.filter((line) => line !== undefined).map((line) => `${line}\r\n`);
  const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${given.join('')}\r\n`;
  const response = await sendRaw(app.get(http).url(), Buffer.from(request));
  return { ...response, json: JSON.parse(response.body) };
}

describe('over HTTP', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp({
      plugins: [
        http({ port: 0 }),
        authRoles(),
        authApiKey({ keys: [...keys, { key: 'schlüssel für alle' }] }),
        routes(),
      ],
      openGates: false,
    });
  });
  afterAll(() => app.close());

  it.each([
    `Authorization: Bearer ${KEY}`,
    `authorization: bearer ${KEY}`,
    `AUTHORIZATION: BEARER   ${KEY}  `,
    `X-API-Key: ${KEY}`,
    `x-api-key:${KEY}`,
  ])('%s is let in', async (line) => {
    const { status, json } = await get(app, '/who', line);
    expect([status, json]).toEqual([
      200,
      { id: 'api-key:b4466fe04c3480af', label: 'reports', role: 'analyst', mode: 'api-key', claims: { tenant: 7 } },
    ]);
  });

  it('takes a key with spaces and other letters', async () => {
    const { status, json } = await get(app, '/who', 'Authorization: Bearer schlüssel für alle');
    expect([status, json.label]).toEqual([200, 'API key']);
  });

  it.each([
    ['no key', undefined],
    ['a wrong key', 'Authorization: Bearer wrong-key-000000'],
    ['an empty token', 'Authorization: Bearer '],
    ['no token', 'Authorization: Bearer'],
    ['another scheme', `Authorization: Basic ${KEY}`],
    ['the bare key', `Authorization: ${KEY}`],
    ['a part of the key', `Authorization: Bearer ${KEY.slice(0, -1)}`],
    ['the key and more', `Authorization: Bearer ${KEY} ${KEY}`],
    ['a quoted key', `Authorization: Bearer "${KEY}"`],
    ['a tab before the key', `Authorization: Bearer\t${KEY}`],
    ['a wrong X-API-Key', 'X-API-Key: wrong-key-000000'],
    ['an empty X-API-Key', 'X-API-Key:'],
    ['X-API-Key with a scheme', `X-API-Key: Bearer ${KEY}`],
    ['two X-API-Key', `X-API-Key: ${KEY}\r\nX-API-Key: ${KEY}`],
    ['two Authorization', `Authorization: Bearer ${KEY}\r\nAuthorization: Bearer ${KEY}`],
    ['two that differ', `Authorization: Bearer ${KEY}\r\nX-API-Key: ${ADMIN}`],
    ['an empty one beside a good one', `Authorization: Bearer ${KEY}\r\nX-API-Key:`],
    ['9,000 bytes', `X-API-Key: ${'k'.repeat(9_000)}`],
    ['9,000 bytes of token', `Authorization: Bearer ${'k'.repeat(9_000)}`],
  ])('%s is refused', async (_name, line) => {
    const response = await get(app, '/who', line);
    expect([response.status, response.json.error]).toEqual([401, 'auth_error']);
    const challenge = response.headers['www-authenticate'] ?? '';
    expect(challenge).toMatch(/^Bearer realm="atlas"/);
    if (line === undefined) expect(challenge).not.toContain('error');
    expect(response.body).not.toMatch(/4f1b8c02|99e0c3d1|wrong-key|kkkk/);
    expect(JSON.stringify(app.lines)).not.toMatch(/4f1b8c02|99e0c3d1|wrong-key|kkkk/);
  });

  it.each(['Authorization', 'X-API-Key'])('says that two %s headers are one too many', async (name) => {
    const line = `${name}: Bearer ${KEY}`;
    const { json } = await get(app, '/who', line, line);
    expect(json.message).toBe(`The request carries several ${name} headers. Send one.`);
  });

  it('ignores a key in the address', async () => {
    expect((await get(app, `/who?api_key=${KEY}&access_token=${KEY}`)).status).toBe(401);
  });

  it('gives each key its role', async () => {
    expect((await get(app, '/admin', `Authorization: Bearer ${ADMIN}`)).status).toBe(200);
    const refused = await get(app, '/admin', `Authorization: Bearer ${KEY}`);
    expect([refused.status, refused.json.error, refused.headers['www-authenticate']]).toEqual([
      403,
      'auth_error',
      undefined,
    ]);
  });

  it('says that a key is wrong, in contrast to none', async () => {
    const wrong = await get(app, '/who', 'Authorization: Bearer wrong-key-000000');
    expect(wrong.json.message).toMatch(/^The credentials are not valid\./);
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="atlas", error="invalid_token"');
    expect((await get(app, '/who')).json.message).toMatch(/^Authentication is required\./);
    expect((await get(app, '/who', 'X-API-Key: nope')).json.message).toMatch(/^The API key is not valid\. Send/);
    const two = await get(app, '/who', `Authorization: Bearer ${KEY}`, `X-API-Key: ${ADMIN}`);
    expect(two.json.message).toBe('Authorization and X-API-Key say two different things. Send one of them.');
  });
});

describe('beside another plugin', () => {
  const other: Identity = {
    actor: { id: 'ann', label: 'Ann', role: 'viewer', mode: 'other', claims: {} },
    orgId: null,
  };
  const sessions = definePlugin({
    name: 'auth-other',
    version: '1.0.0',
    type: 'auth',
    description: 'Refuses every token but its own.',
    setup(ctx) {
      ctx.tap(authResolve, ({ headers }) => {
        if (headers.authorization === 'Bearer session-token-1') return other;
        throw new Error('not mine');
      });
    },
  });

  it.each([
    ['before', [authApiKey({ keys }), sessions()]],
    ['after', [sessions(), authApiKey({ keys })]],
  ])('is asked first when it stands %s it', async (_, plugins) => {
    await using app = await createTestApp({ plugins, openGates: false });
    const ask = async (authorization: string) =>
      app.call(authResolve, { method: 'GET', route: '/', headers: { authorization }, ip: '::1' }, app.scope());
    expect((await ask(`Bearer ${KEY}`))?.actor.mode).toBe('api-key');
    expect((await ask('Bearer session-token-1'))?.actor.id).toBe('ann');
  });
});

describe('options', () => {
  const start = (options: Parameters<typeof authApiKey>[0]) => createTestApp({ plugins: [authApiKey(options)] });

  it.each([
    ['no keys', { keys: [] }],
    ['nothing', {}],
    ['an empty key', { keys: [{ key: '' }] }],
    ['a key with a line break', { keys: [{ key: 'secret-part\nmore' }] }],
    ['a key with a space at its end', { keys: [{ key: 'secret-part ' }] }],
    ['an unknown role', { keys: [{ key: KEY, role: 'owner' as 'admin' }] }],
    ['the same key twice', { keys: [{ key: KEY }, { key: KEY, role: 'admin' as const }] }],
  ])('refuse %s without showing it', async (_, options) => {
    const started = start(options as never);
    await expect(started).rejects.toThrow(/option "keys|API keys 1 and 2/);
    await expect(started).rejects.not.toThrow(/secret-part|4f1b8c02/);
  });

  it('warn of a key that can be guessed', async () => {
    await using app = await start({ keys: [{ key: 'short' }, { key: KEY }, { key: 'brief', name: 'ci' }] });
    expect(app.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
      { key: 1 },
      { key: 'ci' },
    ]);
    expect(JSON.stringify(app.lines)).not.toMatch(/short|brief/);
  });
});
