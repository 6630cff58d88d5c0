import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AtlasError, definePlugin, httpRoutes, type Route } from '../../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../../test/harness/create-test-app.ts';
import { parseResponse, rawConnection, received } from '../../../test/harness/raw-http.ts';
import { http, httpSecurity } from '../index.ts';

const base = { summary: 'A route.', tag: 'Test', right: 'public', responses: { 200: Type.Unknown() } } as const;
const ROUTES: Route[] = [
  { ...base, method: 'POST', path: '/echo', handle: ({ body }) => ({ body: body ?? {} }) },
  { ...base, method: 'GET', path: '/plain', handle: () => ({ body: {} }) },
  {
    ...base,
    method: 'GET',
    path: '/limited',
    handle: () => {
      throw new AtlasError('Too many.', { code: 'rate_limited', retryAfterSeconds: 3 });
    },
  },
  {
    ...base,
    method: 'GET',
    path: '/stream',
    handle: () => ({
      headers: { 'content-type': 'text/event-stream', 'x-conversation-id': 'c-1' },
      stream: (async function* () {
        yield 'data: 1\n\n';
        yield 'data: 2\n\n';
      })(),
    }),
  },
];
const routes = definePlugin({
  name: 'test-routes',
  version: '1.0.0',
  type: 'interaction',
  description: 'Routes.',
  setup(ctx) {
    ctx.tap(httpRoutes, () => ROUTES);
    // Without it, pages of other origins would be refused.
    ctx.tap(httpSecurity, () => [{ name: 'key', scheme: { type: 'http', scheme: 'bearer' } }]);
  },
});

const APP = 'https://app.example.com';
const OTHER = 'http://localhost:3000';
const EXPOSED = 'Retry-After, x-conversation-id, x-request-id, ETag';

/** The headers of the CORS protocol as they came over the socket. */
async function corsHeaders(app: TestApp, line: string, headers: Record<string, string> = {}) {
  const socket = await rawConnection(app.get(http).url());
  const answer = received(socket);
  const fields = Object.entries({ host: 'a', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`${line} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
  const response = parseResponse(await answer);
  const named = Object.entries(response.headers).filter(([name]) => /^access-control-|^vary$/.test(name));
  return { ...response, cors: Object.fromEntries(named) };
}

const answers: readonly [string, string, number][] = [
  ['a plain answer', 'GET /plain', 200],
  ['a streamed answer', 'GET /stream', 200],
  ['an error with a time to come back', 'GET /limited', 429],
  ['an unknown route', 'GET /nowhere', 404],
  ['an address that is no URL', 'GET /%zz', 400],
];
const preflight = (origin: string, asked = 'content-type') => ({
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': asked,
});

let app: TestApp;
const serve = (corsOrigins?: string[]) => {
  beforeAll(async () => {
    app = await createTestApp({ plugins: [http({ port: 0, corsOrigins }), routes()] });
  });
  afterAll(() => app.close());
};

describe.each([
  ['without origins', undefined],
  ['with *', ['*']],
  ['with * among others', [APP, '*']],
])('%s', (_, corsOrigins) => {
  serve(corsOrigins);

  it.each(answers)('lets every page read %s, without credentials', async (_name, line, status) => {
    for (const headers of [{ origin: APP }, { origin: 'null' }, {}]) {
      const response = await corsHeaders(app, line, headers);
      expect(response.status).toBe(status);
      expect(response.cors).toEqual({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': EXPOSED,
      });
    }
  });

  it('answers a preflight', async () => {
    const response = await corsHeaders(app, 'OPTIONS /echo', preflight(APP, 'authorization,x-trace'));
    expect([response.status, response.body]).toEqual([204, '']);
    expect(response.cors).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, X-API-Key, Content-Type, x-request-id, x-trace',
      'access-control-expose-headers': EXPOSED,
      'access-control-max-age': '600',
      vary: 'Access-Control-Request-Headers',
    });
    expect(response.headers['x-request-id']).toMatch(/./);
  });
});

describe.each([
  ['one origin', [`${APP}/`]],
  ['one origin, written oddly', ['https://App.Example.com:443']],
  ['several origins', [OTHER, APP]],
])('with %s', (_, corsOrigins) => {
  serve(corsOrigins);

  it.each(answers)('lets its page read %s, with credentials', async (_name, line, status) => {
    const response = await corsHeaders(app, line, { origin: APP });
    expect(response.status).toBe(status);
    expect(response.cors).toEqual({
      'access-control-allow-origin': APP,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': EXPOSED,
      vary: 'Origin',
    });
  });

  it.each(answers)('gives another page no leave to read %s', async (_name, line, status) => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: `${APP}.evil.example` },
      { origin: 'http://app.example.com' },
      { origin: `${APP}:8443` },
      { origin: 'null' },
      {},
    ]) {
      const response = await corsHeaders(app, line, headers);
      expect(response.status).toBe(status);
      expect(response.cors).toEqual({ vary: 'Origin' });
    }
  });

  it('answers a preflight of its page, and gives none else leave', async () => {
    const own = await corsHeaders(app, 'OPTIONS /echo', preflight(APP));
    expect([own.status, own.body]).toEqual([204, '']);
    expect(own.cors).toEqual({
      'access-control-allow-origin': APP,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, X-API-Key, Content-Type, x-request-id',
      'access-control-expose-headers': EXPOSED,
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Headers',
    });
    const other = await corsHeaders(app, 'OPTIONS /echo', preflight('https://evil.example'));
    expect([other.status, other.cors]).toEqual([204, { vary: 'Origin' }]);
  });
});

describe('with several origins', () => {
  serve([APP, OTHER, 'capacitor://localhost']);

  it('echoes the one that asks', async () => {
    for (const origin of [APP, OTHER, 'capacitor://localhost']) {
      expect((await corsHeaders(app, 'GET /plain', { origin })).cors).toMatchObject({
        'access-control-allow-origin': origin,
        vary: 'Origin',
      });
    }
  });

  it('allows no header that is none', async () => {
    const response = await corsHeaders(app, 'OPTIONS /echo', preflight(APP, 'x-a, b c, , "d", X-API-KEY'));
    expect(response.cors['access-control-allow-headers']).toBe(
      'Authorization, X-API-Key, Content-Type, x-request-id, x-a',
    );
  });
});

it('refuses what is no origin at the start', async () => {
  for (const origin of ['app.example.com', 'https://', 'https://a.example/path', 'https://[', 'null']) {
    await expect(createTestApp({ plugins: [http({ port: 0, corsOrigins: [origin] })] })).rejects.toThrow(/corsOrigins/);
  }
});
