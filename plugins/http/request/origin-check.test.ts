import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePlugin, httpRoutes, type Route } from '../../../kernel/index.ts';
import { createTestApp, type InjectedRequest, type TestApp } from '../../../test/harness/create-test-app.ts';
import { parseResponse, rawConnection, received } from '../../../test/harness/raw-http.ts';
import { http, httpSecurity } from '../index.ts';

const base = { summary: 'A route.', tag: 'Test', right: 'query', responses: { 200: Type.Unknown() } } as const;
const handle = () => ({ body: {} });
const ROUTES: Route[] = [
  { ...base, method: 'POST', path: '/ask', origins: 'any', handle },
  { ...base, method: 'GET', path: '/things/:id', origins: 'any', handle },
  { ...base, method: 'GET', path: '/things/all', right: 'admin', handle },
  { ...base, method: 'GET', path: '/admin', right: 'admin', handle },
  { ...base, method: 'POST', path: '/admin', right: 'admin', handle },
  { ...base, method: 'DELETE', path: '/undeclared', handle },
  { ...base, method: 'POST', path: '/tools', origins: 'own', handle },
];
const testRoutes = definePlugin({
  name: 'test-routes',
  version: '1.0.0',
  type: 'interaction',
  description: 'Routes.',
  setup: (ctx) => ctx.tap(httpRoutes, () => ROUTES),
});
/** Declares that requests carry a key; the test application lets all through all the same. */
const key = definePlugin({
  name: 'test-key',
  version: '1.0.0',
  type: 'auth',
  description: 'Declares a key.',
  setup: (ctx) => ctx.tap(httpSecurity, () => [{ name: 'key', scheme: { type: 'http', scheme: 'bearer' } }]),
});
/** As a plugin does whose routes take a key of their own. */
const ownKey = definePlugin({
  name: 'test-own-key',
  version: '1.0.0',
  type: 'interaction',
  description: 'Declares a key of its own.',
  setup: (ctx) =>
    ctx.tap(httpSecurity, () => [{ name: 'own', scheme: { type: 'http', scheme: 'basic' }, isOwn: true }]),
});

const HOST = 'localhost:3001';
const EVIL = 'https://evil.example';

let app: TestApp;
const serve = (options: Parameters<typeof http>[0] = {}, plugins = [ownKey()]) => {
  beforeAll(async () => {
    app = await createTestApp({ plugins: [http({ port: 0, ...options }), testRoutes(), ...plugins] });
  });
  afterAll(() => app.close());
};

async function statusOf(line: string, headers: Record<string, string>): Promise<number> {
  const [method, url] = line.split(' ') as [InjectedRequest['method'], string];
  return (await app.inject({ method, url, headers: { host: HOST, ...headers } })).statusCode;
}

const preflight = (method: string, origin = EVIL) => ({ origin, 'access-control-request-method': method });

describe('without credentials, on a loopback address', () => {
  serve();

  it.each(['GET /admin', 'HEAD /admin', 'POST /admin', 'DELETE /undeclared', 'GET /things/all', 'POST /tools'])(
    '%s is for pages of the server alone',
    async (line) => {
      for (const headers of [
        { origin: EVIL },
        { origin: 'null' },
        { origin: '' },
        { origin: 'http://localhost' },
        { origin: 'http://localhost:3000' },
        { origin: 'http://127.0.0.1:3001' },
        { origin: 'http://localhost:3001.evil.example' },
        { origin: 'http://localhost:3001@evil.example' },
        { origin: 'chrome-extension://localhost:3001' },
        { origin: `http://${HOST}, ${EVIL}` },
        { origin: EVIL, 'x-forwarded-host': 'evil.example' },
        { origin: EVIL, 'x-http-method-override': 'GET' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
      ] as Record<string, string>[]) {
        const answer = await app.inject({
          method: line.split(' ')[0] as 'GET',
          url: line.split(' ')[1] as string,
          headers: { host: HOST, ...headers },
        });
        expect([headers, answer.statusCode]).toEqual([headers, 403]);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
        if (!line.startsWith('HEAD')) expect(answer.json()).toMatchObject({ error: 'forbidden' });
      }
      for (const headers of [
        {},
        { origin: `http://${HOST}` },
        { origin: `http://${HOST.toUpperCase()}` },
        { 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
      ] as Record<string, string>[]) {
        expect([headers, await statusOf(line, headers)]).toEqual([headers, 200]);
      }
    },
  );

  it('what is open to every page stays so', async () => {
    for (const origin of [EVIL, 'null', 'http://localhost:3000']) {
      for (const line of ['POST /ask', 'GET /things/1']) {
        const [method, url] = line.split(' ') as ['GET', string];
        const answer = await app.inject({ method, url, headers: { host: HOST, origin } });
        expect([origin, line, answer.statusCode]).toEqual([origin, line, 200]);
        expect(answer.headers['access-control-allow-origin']).toBe('*');
      }
      expect(await statusOf('OPTIONS /ask', preflight('POST', origin))).toBe(204);
    }
    expect(await statusOf('POST /ask', { 'sec-fetch-site': 'cross-site' })).toBe(200);
    expect(await statusOf('GET /nowhere', { origin: EVIL })).toBe(404);
    expect(await statusOf('OPTIONS /admin', { origin: EVIL })).toBe(204);
  });

  it('a preflight is refused for all else', async () => {
    for (const [path, method] of [
      ['/admin', 'GET'],
      ['/admin', 'POST'],
      ['/admin', 'HEAD'],
      ['/admin', 'PUT'],
      ['/ask', 'DELETE'],
      ['/undeclared', 'DELETE'],
      ['/things/all', 'GET'],
      ['/tools', 'POST'],
      ['/nowhere', 'POST'],
    ] as const) {
      expect([path, method, await statusOf(`OPTIONS ${path}`, preflight(method))]).toEqual([path, method, 403]);
    }
    expect(await statusOf('OPTIONS /admin', preflight('POST', `http://${HOST}`))).toBe(204);
  });

  it.each([
    'localhost',
    'localhost:1',
    'LOCALHOST:3001',
    'localhost.',
    'localhost.:3001',
    'atlas.localhost:3001',
    '127.0.0.1',
    '127.8.9.10:3001',
    '[::1]:3001',
    '[0:0:0:0:0:0:0:1]',
  ])('the host %s is known', async (host) => {
    expect(await statusOf('GET /admin', { host })).toBe(200);
    expect(await statusOf('POST /admin', { host, origin: `http://${host}` })).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:3001',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example',
    '127.evil.example',
    'localhost:3001@evil.example',
    'evil.example@localhost',
    'localhost/x',
    'localhost:99999',
    '0.0.0.0:3001',
    '10.0.0.1',
    '[::]',
    '[::ffff:10.0.0.1]',
  ])('the host "%s" is refused everywhere', async (host) => {
    for (const line of ['GET /admin', 'POST /ask', 'GET /things/1', 'GET /nowhere', 'OPTIONS /ask']) {
      expect([line, await statusOf(line, { host })]).toEqual([line, 403]);
      expect([line, await statusOf(line, { host, origin: `http://${host}` })]).toEqual([line, 403]);
    }
    expect(await statusOf('GET /admin', { host, 'x-forwarded-host': 'localhost' })).toBe(403);
  });

  it.each([
    ['GET http://evil.example/admin HTTP/1.1\r\nHost: localhost', 403],
    ['GET http://localhost/admin HTTP/1.1\r\nHost: localhost', 200],
    ['GET /admin HTTP/1.1\r\nHost:', 403],
    ['GET /admin HTTP/1.0', 200],
    [`POST /admin HTTP/1.0\r\nOrigin: ${EVIL}`, 403],
    ['GET /admin HTTP/1.1\r\nHost: localhost\r\nHost: evil.example', 400],
    [`GET /admin HTTP/1.1\r\nHost: localhost\r\nOrigin: ${EVIL}\r\nConnection: Upgrade\r\nUpgrade: websocket`, 403],
  ])('%j is answered with %i', async (head, status) => {
    const socket = await rawConnection(app.get(http).url());
    const answer = received(socket);
    socket.write(`${head}\r\nConnection: close\r\n\r\n`);
    expect(parseResponse(await answer).status).toBe(status);
  });
});

describe('with names that the operator gives', () => {
  serve({ corsOrigins: ['https://app.example.com', '*'], allowedHosts: ['Atlas.Example.com', '[fd00::7]'] });

  it('they are known as hosts and origins', async () => {
    for (const host of ['atlas.example.com', 'ATLAS.EXAMPLE.COM.:8080', '[fd00:0::7]:1', HOST]) {
      expect([host, await statusOf('GET /admin', { host })]).toEqual([host, 200]);
    }
    expect(await statusOf('POST /admin', { host: 'atlas.example.com', origin: 'https://atlas.example.com' })).toBe(200);
    expect(await statusOf('POST /admin', { origin: 'https://app.example.com' })).toBe(200);
    expect(await statusOf('OPTIONS /admin', preflight('POST', 'https://app.example.com'))).toBe(204);
    expect(await statusOf('POST /admin', { origin: EVIL })).toBe(403);
    expect(await statusOf('GET /admin', { host: 'other.example.com' })).toBe(403);
  });
});

describe('on every address', () => {
  serve({ host: '0.0.0.0' });

  it('any host is taken, but no foreign origin', async () => {
    const host = 'atlas.example.com';
    expect(await statusOf('GET /admin', { host })).toBe(200);
    expect(await statusOf('POST /admin', { host, origin: `http://${host}` })).toBe(200);
    expect(await statusOf('POST /admin', { host, origin: EVIL })).toBe(403);
    expect(await statusOf('POST /tools', { host })).toBe(403);
  });
});

describe('on every address, with names that the operator gives', () => {
  serve({ host: '0.0.0.0', allowedHosts: ['atlas.example.com'] });

  it('no other is taken', async () => {
    expect(await statusOf('GET /admin', { host: 'atlas.example.com' })).toBe(200);
    expect(await statusOf('GET /admin', { host: 'evil.example' })).toBe(403);
  });
});

describe('behind a proxy that is trusted', () => {
  serve({ trustProxy: true, allowedHosts: ['atlas.example.com'] });

  it('the host that the proxy was asked for counts too, and not instead', async () => {
    const forwarded = { 'x-forwarded-host': 'atlas.example.com' };
    expect(await statusOf('POST /admin', { ...forwarded, origin: 'https://atlas.example.com' })).toBe(200);
    expect(await statusOf('POST /admin', { ...forwarded, origin: EVIL })).toBe(403);
    expect(await statusOf('POST /admin', { 'x-forwarded-host': 'evil.example' })).toBe(403);
    expect(await statusOf('POST /admin', { 'x-forwarded-host': 'localhost', host: 'evil.example' })).toBe(403);
  });
});

describe('with credentials', () => {
  serve({}, [key()]);

  it('pages and names are not restricted, but for routes that are for own pages', async () => {
    const evil = { host: 'evil.example', origin: EVIL };
    for (const line of ['GET /admin', 'POST /admin', 'DELETE /undeclared', 'POST /ask']) {
      expect([line, await statusOf(line, evil)]).toEqual([line, 200]);
    }
    expect(await statusOf('OPTIONS /admin', { ...evil, ...preflight('POST') })).toBe(204);
    expect(await statusOf('POST /tools', { origin: EVIL })).toBe(403);
    expect(await statusOf('POST /tools', { host: 'evil.example' })).toBe(403);
    expect(await statusOf('POST /tools', { origin: `http://${HOST}` })).toBe(200);
    expect(await statusOf('OPTIONS /tools', preflight('POST'))).toBe(403);
  });
});

it.each([
  [{}, [], 1],
  [{ corsOrigins: ['*'] }, [], 1],
  [{ corsOrigins: ['https://app.example.com'] }, [], 0],
  [{}, [key()], 0],
])('the start says once what the default means, where it has a meaning, %#', async (options, plugins, times) => {
  await using told = await createTestApp({ plugins: [http({ port: 0, ...options }), testRoutes(), ...plugins] });
  expect(told.lines.filter(({ message }) => message.includes('SVC_CORS_ORIGIN'))).toHaveLength(times);
});
