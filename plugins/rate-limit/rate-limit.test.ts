import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AtlasError, authResolve, definePlugin, httpRoutes, type Identity, type Route } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { rateLimit } from './index.ts';
import { userKey } from './user-key.ts';

pluginContract('rate-limit', () => rateLimit({ requestsPerMinute: 60 }), { with: () => [http({ port: 0 })] });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const asked: Route = {
  method: 'GET',
  path: '/asked',
  summary: 'A route.',
  tag: 'Test',
  right: 'query',
  responses: { 200: Type.Unknown() },
  handle: () => ({ body: {} }),
};
const open: Route = { ...asked, path: '/open', right: 'public' };
const vital: Route = { ...open, path: '/vital', essential: true };
const closed: Route = { ...asked, path: '/closed', right: 'admin' };
const routes = definePlugin({
  name: 'test-routes',
  version: '1.0.0',
  type: 'interaction',
  description: 'Routes.',
  setup: (ctx) => ctx.tap(httpRoutes, () => [asked, open, vital, closed]),
});
/** `x-user` says who. */
const byName = definePlugin({
  name: 'auth-test',
  version: '1.0.0',
  type: 'auth',
  description: 'Accepts every caller.',
  setup(ctx) {
    ctx.tap(authResolve, ({ headers }): Identity | undefined => {
      const id = headers['x-user'];
      if (typeof id !== 'string') return undefined;
      if (id === 'wrong') throw new AtlasError('No.', { code: 'auth_error' });
      return { actor: { id, label: id, role: 'viewer', mode: 'test', claims: {} }, orgId: null };
    });
  },
});

const start = (limit: number, auth = [byName(), authRoles()]) =>
  createTestApp({
    plugins: [http({ port: 0, trustProxy: true }), ...auth, routes(), rateLimit({ requestsPerMinute: limit })],
    openGates: false,
  });

async function get(app: TestApp, url: string, user?: string, ip = '192.0.2.1') {
  const headers = { 'x-forwarded-for': ip, ...(user !== undefined && { 'x-user': user }) };
  const response = await app.inject({ method: 'GET', url, headers });
  return { status: response.statusCode, headers: response.headers, json: response.json() };
}

async function statuses(count: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < count; at += 1) found.push((await ask()).status);
  return found;
}

describe('the limit', () => {
  it('slides: a request leaves the window 60 seconds after it came', async () => {
    await using app = await start(3);
    const ask = () => get(app, '/asked', 'ann');
    expect((await ask()).status).toBe(200);
    vi.advanceTimersByTime(30_000);
    expect(await statuses(3, ask)).toEqual([200, 200, 429]);
    vi.advanceTimersByTime(29_999);
    expect((await ask()).status).toBe(429);
    vi.advanceTimersByTime(1);
    // Only the first has left; a fixed window would let three in.
    expect(await statuses(2, ask)).toEqual([200, 429]);
    vi.advanceTimersByTime(30_000);
    expect(await statuses(3, ask)).toEqual([200, 200, 429]);
  });

  it('says when to come back, in the header and in the body', async () => {
    await using app = await start(2);
    const ask = () => get(app, '/asked', 'ann');
    await ask();
    vi.advanceTimersByTime(10_500);
    await ask();
    const { status, headers, json } = await ask();
    expect([status, headers['retry-after']]).toEqual([429, '50']);
    expect(json).toEqual({
      error: 'rate_limited',
      message: 'More than 2 requests came in a minute. Wait as long as Retry-After says.',
      requestId: expect.any(String),
      retryAfterSeconds: 50,
    });
    vi.advanceTimersByTime(49_400);
    expect((await ask()).headers['retry-after']).toBe('1');
    vi.advanceTimersByTime(1_000);
    expect((await ask()).status).toBe(200);
  });

  it('does not count what it refuses', async () => {
    await using app = await start(1);
    const ask = () => get(app, '/asked', 'ann');
    expect(await statuses(50, ask)).toEqual([200, ...Array(49).fill(429)]);
    vi.advanceTimersByTime(60_000);
    expect((await ask()).status).toBe(200);
  });

  it('is not moved by the time of day', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    await using app = await start(1);
    await get(app, '/asked', 'ann');
    vi.setSystemTime(Date.now() + 86_400_000);
    expect((await get(app, '/asked', 'ann')).headers['retry-after']).toBe('60');
    vi.setSystemTime(0);
    expect((await get(app, '/asked', 'ann')).headers['retry-after']).toBe('60');
  });
});

describe('who is counted', () => {
  it('is the user, wherever they are', async () => {
    await using app = await start(2);
    expect((await get(app, '/asked', 'ann', '192.0.2.1')).status).toBe(200);
    expect((await get(app, '/asked', 'ann', '192.0.2.2')).status).toBe(200);
    expect((await get(app, '/asked', 'ann', '192.0.2.3')).status).toBe(429);
    expect((await get(app, '/asked', 'bob', '192.0.2.1')).status).toBe(200);
  });

  it('is the address of a client that fails to sign in, whose further failures are limited too', async () => {
    await using app = await start(2);
    expect(await statuses(3, () => get(app, '/asked', 'wrong'))).toEqual([401, 401, 429]);
    expect(await statuses(1, () => get(app, '/asked', undefined))).toEqual([429]);
    expect((await get(app, '/asked', 'wrong', '192.0.2.2')).status).toBe(401);
    // Users who sign in from there are not locked out by them.
    expect((await get(app, '/asked', 'ann')).status).toBe(200);
  });

  it('is the address on a public route, which needs no identity', async () => {
    await using app = await start(2);
    expect(await statuses(3, () => get(app, '/open', 'ann'))).toEqual([200, 200, 429]);
    expect((await get(app, '/asked', 'ann')).status).toBe(200);
  });

  it('is the address without authentication', async () => {
    await using app = await start(2, [authNone()]);
    expect(await statuses(3, () => get(app, '/asked'))).toEqual([200, 200, 429]);
    expect((await get(app, '/asked', undefined, '192.0.2.2')).status).toBe(200);
  });

  it('is not confused by a user who is named like an address', async () => {
    await using app = await start(1);
    expect((await get(app, '/asked', '192.0.2.1')).status).toBe(200);
    expect((await get(app, '/open')).status).toBe(200);
  });

  it('counts refusals for lack of a role too', async () => {
    await using app = await start(2);
    expect(await statuses(3, () => get(app, '/closed', 'ann'))).toEqual([403, 403, 429]);
  });

  it('is a whole IPv6 network', async () => {
    await using app = await start(1, [authNone()]);
    expect((await get(app, '/asked', undefined, '2001:db8:0:7::1')).status).toBe(200);
    expect((await get(app, '/asked', undefined, '2001:db8:0:7:ffff::2')).status).toBe(429);
    expect((await get(app, '/asked', undefined, '2001:db8:0:8::1')).status).toBe(200);
  });

  it('cannot be another by claiming to be forwarded', async () => {
    await using app = await start(1, [authNone()]);
    expect((await get(app, '/asked', undefined, '1.1.1.1, 192.0.2.1')).status).toBe(200);
    expect((await get(app, '/asked', undefined, '2.2.2.2, 192.0.2.1')).status).toBe(429);
  });
});

it('never touches health, nor asks that find no route', async () => {
  await using app = await start(1);
  expect(await statuses(5, () => get(app, '/vital'))).toEqual(Array(5).fill(200));
  expect(await statuses(3, () => get(app, '/nowhere'))).toEqual(Array(3).fill(404));
  expect((await get(app, '/open')).status).toBe(200);
  expect((await get(app, '/vital')).status).toBe(200);
});

it.each([{}, { requestsPerMinute: 0 }, { requestsPerMinute: 1.5 }, { requestsPerMinute: -1 }])(
  'does not start with %j',
  async (options) => {
    const started = createTestApp({ plugins: [http({ port: 0 }), rateLimit(options as never)] });
    await expect(started).rejects.toThrow(/requestsPerMinute/);
  },
);

describe('keys', () => {
  it('of users are short and differ', () => {
    const [one, two] = [userKey(`${'x'.repeat(5_000)}1`), userKey(`${'x'.repeat(5_000)}2`)];
    expect(one).not.toBe(two);
    expect([one.length, userKey('ann')]).toEqual([44, 'ann']);
  });
});
