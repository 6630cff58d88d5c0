import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { authResolve, definePlugin, httpRoutes, type Route } from '../../../kernel/index.ts';
import { createTestApp } from '../../../test/harness/create-test-app.ts';
import { sendRaw } from '../../../test/harness/raw-http.ts';
import { addressKey } from '../address-key.ts';
import { http } from '../index.ts';
import { clientAddress, trustedProxies } from './client-address.ts';

/** The address read for a connection from `peer` with these headers. */
async function read(trustProxy: boolean | string[], peer: string, forwarded?: string, real?: string): Promise<string> {
  const server = Fastify({ trustProxy: trustedProxies(trustProxy) });
  await server.register(clientAddress, { isBehindProxy: trustProxy !== false });
  server.get('/', async ({ address }) => ({ address }));
  const headers = {
    ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
    ...(real !== undefined && { 'x-real-ip': real }),
  };
  const answer = await server.inject({ method: 'GET', url: '/', remoteAddress: peer, headers });
  return answer.json<{ address: string }>().address;
}

describe('without trust', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('%s is %s, whatever the headers say', async (peer, address) => {
    expect(await read(false, peer, '9.9.9.9', '8.8.8.8')).toBe(address);
  });
});

describe('behind one proxy', () => {
  it.each([
    ['9.9.9.9', '9.9.9.9'],
    // What is left of the last entry came from the client.
    ['1.1.1.1, 9.9.9.9', '9.9.9.9'],
    ['127.0.0.1, 10.0.0.1, 9.9.9.9', '9.9.9.9'],
    ['garbage, 9.9.9.9', '9.9.9.9'],
    ['1.1.1.1,9.9.9.9,', '9.9.9.9'],
    [' ,, 9.9.9.9 , ', '9.9.9.9'],
    ['9.9.9.9:51234', '9.9.9.9'],
    ['[2001:db8::9]:443', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
    ['2001:DB8::0:9', '2001:db8::9'],
    ['::ffff:9.9.9.9', '9.9.9.9'],
    ['fe80::9%eth1', 'fe80::9'],
    // No address: the proxy itself stays the client.
    ['unknown', '10.0.0.1'],
    ['1.1.1.1, unknown', '10.0.0.1'],
    ['9.9.9.999', '10.0.0.1'],
    ['9.9.9.9:', '10.0.0.1'],
    ['9.9.9.9;evil', '10.0.0.1'],
    ["'; DROP TABLE x", '10.0.0.1'],
    ['', '10.0.0.1'],
    [', ,', '10.0.0.1'],
  ])('X-Forwarded-For: %s is %s', async (forwarded, address) => {
    expect(await read(true, '10.0.0.1', forwarded)).toBe(address);
  });

  it('takes X-Real-IP only without X-Forwarded-For', async () => {
    expect(await read(true, '10.0.0.1', undefined, '8.8.8.8')).toBe('8.8.8.8');
    expect(await read(true, '10.0.0.1', undefined, 'nothing')).toBe('10.0.0.1');
    expect(await read(true, '10.0.0.1', '9.9.9.9', '8.8.8.8')).toBe('9.9.9.9');
    expect(await read(true, '10.0.0.1', undefined, '1.1.1.1, 8.8.8.8')).toBe('8.8.8.8');
  });
});

describe('behind known proxies', () => {
  const trust = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8'];
  it.each([
    ['10.0.0.1', '9.9.9.9', '9.9.9.9'],
    ['10.0.0.1', '1.1.1.1, 9.9.9.9, 192.0.2.1, 10.3.3.3', '9.9.9.9'],
    ['fd00::1', '9.9.9.9, fd12::5', '9.9.9.9'],
    ['::ffff:10.0.0.1', '9.9.9.9', '9.9.9.9'],
    // A sender that is no known proxy is the client, whatever it claims.
    ['203.0.113.5', '9.9.9.9, 10.0.0.1', '203.0.113.5'],
    ['192.0.2.2', '9.9.9.9', '192.0.2.2'],
    // All of them ours: the farthest.
    ['10.0.0.1', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
    // A proxy that says something unreadable is as far as one can see.
    ['10.0.0.1', '9.9.9.9, unknown, 10.0.0.8', '10.0.0.8'],
  ])('from %s, X-Forwarded-For: %s is %s', async (peer, forwarded, address) => {
    expect(await read(trust, peer, forwarded)).toBe(address);
  });

  it('takes X-Real-IP from a known one only', async () => {
    expect(await read(trust, '10.0.0.1', undefined, '8.8.8.8')).toBe('8.8.8.8');
    expect(await read(trust, '203.0.113.5', undefined, '8.8.8.8')).toBe('203.0.113.5');
    expect(await read([], '10.0.0.1', '9.9.9.9')).toBe('10.0.0.1');
  });

  it.each([
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0',
    'proxy.local',
    '::1/129',
    '::1/-1',
    '::1/1.5',
    '',
  ])('does not start with %j', async (entry) => {
    await expect(createTestApp({ plugins: [http({ port: 0, trustProxy: [entry] })] })).rejects.toThrow(
      `"${entry}" in trustProxy is neither an address nor a network. Write them like`,
    );
  });
});

const WHO: Route = {
  method: 'GET',
  path: '/ip',
  summary: 'Who.',
  tag: 'Test',
  right: 'public',
  responses: { 200: Type.Unknown() },
  handle: ({ ip }) => ({ body: { ip } }),
};

it('reads several headers over a socket as one list', async () => {
  const who = definePlugin({
    name: 'test-routes',
    version: '1.0.0',
    type: 'interaction',
    description: 'Says who.',
    setup: (ctx) => ctx.tap(httpRoutes, () => [WHO]),
  });
  const lines = [
    'GET /ip HTTP/1.1',
    'Host: localhost',
    'Connection: close',
    'X-Forwarded-For: 1.1.1.1',
    'X-Forwarded-For: 9.9.9.9',
  ];
  for (const [trustProxy, ip] of [
    [false, '127.0.0.1'],
    [true, '9.9.9.9'],
    [['127.0.0.0/8', '9.9.9.9'], '1.1.1.1'],
  ] as const) {
    await using app = await createTestApp({ plugins: [http({ port: 0, trustProxy }), who()] });
    const { body } = await sendRaw(app.get(http).url(), `${lines.join('\r\n')}\r\n\r\n`);
    expect(JSON.parse(body)).toEqual({ ip });
  }
});

describe('keys', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:1::', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
    ['1:2:3:4::', '1:2:3:4'],
    ['1::4:5:6:7:8', '1:0:0:4'],
    ['', ''],
  ])('%s counts as %s', (ip, key) => expect(addressKey(ip)).toBe(key));
});

it('is read once, before anything is done for the request', async () => {
  const auth = definePlugin({
    name: 'test-auth',
    version: '1.0.0',
    type: 'auth',
    description: 'Changes the headers, as a connection that is cut changes what is known of its peer.',
    setup(ctx) {
      ctx.tap(httpRoutes, () => [{ ...WHO, right: 'query' as const }]);
      ctx.tap(authResolve, ({ headers, ip }) => {
        Object.assign(headers, { 'x-forwarded-for': '8.8.8.8' });
        return { actor: { id: ip, label: null, role: 'admin' as const, mode: 'test', claims: {} }, orgId: null };
      });
    },
  });
  await using app = await createTestApp({ plugins: [http({ port: 0, trustProxy: true }), auth()] });
  const answer = await app.inject({ method: 'GET', url: '/ip', headers: { 'x-forwarded-for': '9.9.9.9' } });
  expect(answer.json()).toEqual({ ip: '9.9.9.9' });
});
