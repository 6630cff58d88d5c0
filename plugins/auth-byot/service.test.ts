/** What the plugin gives to others: its service, its health, and how a client authenticates. */
import { afterAll, expect, it } from 'vitest';
import { healthCheck } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { Issuer, makeKey } from '../../test/harness/token-issuer.ts';
import { authLookup } from '../auth-kit/index.ts';
import { httpSecurity } from '../http/index.ts';
import { authByot } from './index.ts';

const provider = await Issuer.start(await makeKey('k-1'));
afterAll(() => provider.stop());

const start = (options: Partial<Parameters<typeof authByot>[0]> = {}) =>
  createTestApp({
    plugins: [authByot({ jwksUrl: provider.jwksUrl, issuer: 'https://id.example.com/', ...options })],
    openGates: false,
  });

it('knows of an actor who is not there only that there is nothing to look up', async () => {
  await using app = await start();
  expect(await app.callKey(authLookup, 'byot', { actorId: 'a', orgId: null }, app.scope())).toEqual({
    state: 'unknown',
  });
});

it('fetches the keys at the start, and shows in its health how many there are', async () => {
  provider.serve(await makeKey('k-1'), await makeKey('k-2'));
  await using app = await start();
  const health = async () => (await app.call(healthCheck, undefined, app.scope()))[0]?.value;
  await expect
    .poll(health)
    .toEqual({ component: 'auth', status: 'ok', details: { mode: 'byot', enabled: true, keys: 2 } });
  expect((await app.call(httpSecurity, undefined, app.scope())).map(({ value }) => value)).toEqual([
    {
      name: 'jwt',
      scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of the identity provider.' },
    },
  ]);
});

it('is unhealthy without keys while the issuer is away', async () => {
  provider.away();
  await using app = await start({ keysCooldownMs: 0, keysMaxAgeMs: 0 });
  const health = async () => (await app.call(healthCheck, undefined, app.scope()))[0]?.value;
  const message = `The token keys could not be fetched from ${new URL(provider.url).host}.`;
  await expect
    .poll(health)
    .toEqual({ component: 'auth', status: 'error', message, details: { mode: 'byot', enabled: true, keys: 0 } });
  provider.back();
});

it('warns of keys that come over http from another host', async () => {
  await using app = await start({ jwksUrl: 'http://id.invalid/jwks', keysTimeoutMs: 50 });
  expect(app.lines.find(({ message }) => message.includes('over http'))).toMatchObject({
    level: 'warn',
    fields: { host: 'id.invalid' },
  });
});
