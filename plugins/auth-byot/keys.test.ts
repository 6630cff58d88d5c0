import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK } from 'jose';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type AtlasError, authResolve, type HealthItem, healthCheck } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { Issuer, makeKey, sign } from '../../test/harness/token-issuer.ts';
import { authByot } from './index.ts';

const [one, two] = [await makeKey('k-1'), await makeKey('k-2')];
const provider = await Issuer.start(one);
afterAll(() => provider.stop());
beforeEach(() => {
  provider.back();
  provider.serve(one);
  provider.fetches = 0;
  provider.delayMs = 0;
});

async function start(options: Partial<Parameters<typeof authByot>[0]> = {}) {
  const app = await createTestApp({
    plugins: [authByot({ jwksUrl: provider.jwksUrl, issuer: 'https://id.example.com/', ...options })],
    openGates: false,
  });
  /** The id of the token's bearer, or the code of the refusal. */
  const ask = async (token: string): Promise<string | null | undefined> => {
    const headers = { authorization: `Bearer ${token}` };
    try {
      const credentials = { method: 'GET', route: '/', headers, ip: '::1' };
      return (await app.call(authResolve, credentials, app.scope()))?.actor.id;
    } catch (error) {
      const { code, retryAfterSeconds } = error as AtlasError;
      return retryAfterSeconds === undefined ? code : `${code} ${retryAfterSeconds}`;
    }
  };
  const health = async (): Promise<HealthItem | undefined> =>
    (await app.call(healthCheck, undefined, app.scope()))[0]?.value;
  return { app, ask, health, [Symbol.asyncDispose]: () => app.close() };
}

describe('rotation', () => {
  it('finds a new key by itself, and forgets the old one when it is withdrawn', async () => {
    await using t = await start({ keysCooldownMs: 20 });
    expect(await t.ask(await sign(one))).toBe('ann');
    provider.serve(one, two);
    await sleep(30);
    expect(await t.ask(await sign(two))).toBe('ann');
    expect(await t.ask(await sign(one))).toBe('ann');
    provider.serve(two);
    await sleep(30);
    // Somebody asks with an unknown key: the set is fetched, and the old key is gone.
    await t.ask(await sign({ ...one, kid: 'k-3' }));
    expect(await t.ask(await sign(one))).toBe('auth_error');
  });

  it('notices a withdrawn key when the keys are old', async () => {
    await using t = await start({ keysCooldownMs: 10, keysMaxAgeMs: 50 });
    expect(await t.ask(await sign(one))).toBe('ann');
    provider.serve(two);
    await sleep(60);
    expect(await t.ask(await sign(one))).toBe('auth_error');
  });

  it('cannot be used to flood the issuer', async () => {
    await using t = await start();
    const tokens = await Promise.all(Array.from({ length: 40 }, (_, at) => sign({ ...one, kid: `x-${at}` })));
    for (const token of tokens) expect(await t.ask(token)).toBe('auth_error');
    expect(new Set(await Promise.all(tokens.map(t.ask)))).toEqual(new Set(['auth_error']));
    // At the start, and once to see whether the first of them has just been rotated in.
    expect(provider.fetches).toBe(2);
    expect(await t.ask(await sign(one))).toBe('ann');
  });

  it('asks once for many who wait', async () => {
    provider.delayMs = 50;
    await using t = await start({ keysCooldownMs: 0 });
    const token = await sign(one);
    expect(await Promise.all(Array.from({ length: 20 }, () => t.ask(token)))).toEqual(Array(20).fill('ann'));
    expect(provider.fetches).toBe(1);
  });
});

describe('tokens without a key id', () => {
  it('are good when one of several keys has signed them', async () => {
    const [a, b, c] = [await makeKey(undefined), await makeKey(undefined), await makeKey(undefined)];
    provider.serve(a, b);
    await using t = await start();
    expect(await t.ask(await sign(a))).toBe('ann');
    expect(await t.ask(await sign(b))).toBe('ann');
    expect(await t.ask(await sign(b, { iss: 'x' }))).toBe('auth_error');
    expect(await t.ask(await sign(c))).toBe('auth_error');
  });
});

describe('an issuer that is away', () => {
  it('means 503 until it is back, and Atlas starts all the same', async () => {
    provider.away();
    await using t = await start({ keysCooldownMs: 100 });
    expect(await t.ask(await sign(one))).toBe('unavailable 1');
    expect(await t.health()).toMatchObject({ component: 'auth', status: 'error', details: { mode: 'byot', keys: 0 } });
    provider.back();
    await sleep(120);
    expect(await t.ask(await sign(one))).toBe('ann');
    expect(await t.health()).toEqual({
      component: 'auth',
      status: 'ok',
      details: { mode: 'byot', enabled: true, keys: 1 },
    });
  });

  it('leaves the last keys working', async () => {
    await using t = await start({ keysCooldownMs: 10, keysMaxAgeMs: 20 });
    expect(await t.ask(await sign(one))).toBe('ann');
    provider.away();
    await sleep(40);
    expect(await t.ask(await sign(one))).toBe('ann');
    expect(await t.ask(await sign(one, { exp: 1 }))).toBe('auth_error');
    // The issuer may have this key by now; it cannot be asked.
    expect(await t.ask(await sign(two))).toBe('unavailable 1');
    expect(await t.health()).toEqual({
      component: 'auth',
      status: 'degraded',
      message: `The token keys could not be fetched from ${new URL(provider.url).host}.`,
      details: { mode: 'byot', enabled: true, keys: 1 },
    });
    provider.back();
    await sleep(20);
    await t.ask(await sign(two));
    expect((await t.health())?.status).toBe('ok');
  });

  it('is not asked again before the cool-down is over', async () => {
    provider.served = { status: 500, body: 'no' };
    await using t = await start();
    const token = await sign(one);
    for (let at = 0; at < 10; at += 1) expect(await t.ask(token)).toMatch(/^unavailable (2\d|30)$/);
    expect(provider.fetches).toBe(1);
  });

  it.each([
    ['an error', { status: 500, body: 'no' }],
    ['a redirect', { status: 302, body: '' }],
    ['no JSON', { body: '<html>' }],
    ['no key set', { body: { keys: 'none' } }],
    ['another object', { body: {} }],
  ])('or answers with %s means 503', async (_, served) => {
    provider.served = served;
    await using t = await start();
    expect(await t.ask(await sign(one))).toMatch(/^unavailable/);
    const [line] = t.app.lines.filter(({ level }) => level === 'warn');
    expect(line).toMatchObject({ fields: { url: provider.jwksUrl } });
  });

  it('or answers without an end means 503, and is not read to it', async () => {
    const chunk = ' '.repeat(64 * 1024);
    let sent = 0;
    provider.served = {
      body: function* () {
        for (; sent < 200 * chunk.length; sent += chunk.length) yield chunk;
      },
    };
    await using t = await start();
    expect(await t.ask(await sign(one))).toMatch(/^unavailable/);
    const [line] = t.app.lines.filter(({ level }) => level === 'warn');
    expect(line).toMatchObject({
      fields: { url: provider.jwksUrl, error: 'The answer is larger than 1 MiB.' },
      message: expect.stringMatching(/could not be fetched/),
    });
    expect(sent).toBeLessThan(100 * chunk.length);
  });

  it('or does not answer in time means 503', async () => {
    provider.delayMs = 1_000;
    await using t = await start({ keysTimeoutMs: 50 });
    expect(await t.ask(await sign(one))).toMatch(/^unavailable/);
  });

  it('does not hold a stop up', async () => {
    provider.delayMs = 10_000;
    // A caller that waits for the answer gets it, and then the token is good.
    const t = await start({ keysTimeoutMs: 25_000 });
    const asked = t.ask(await sign(one));
    await expect.poll(() => provider.fetches).toBe(1);
    await t.app.close();
    expect(await asked).toMatch(/^unavailable/);
  });
});

describe('keys that are of no use', () => {
  it('shared secrets and private keys are never used', async () => {
    provider.served = {
      body: {
        keys: [
          { kty: 'oct', kid: 'k-0', k: 'c2VjcmV0', alg: 'HS256' },
          { ...(await exportJWK(one.privateKey)), kid: 'k-1', alg: 'RS256' },
        ],
      },
    };
    await using t = await start();
    expect(await t.ask(await sign(one))).toMatch(/^unavailable/);
  });

  it('an empty set refuses', async () => {
    provider.serve();
    await using t = await start();
    expect(await t.ask(await sign(one))).toBe('auth_error');
  });
});
