/** When keys are fetched, with a settable clock and a real issuer. */
import { errors, type JWTVerifyGetKey } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import type { Logger } from '../../kernel/index.ts';
import { Issuer, makeKey } from '../../test/harness/token-issuer.ts';
import { IssuerKeys } from './keys.ts';

const [one, two] = [await makeKey('k-1'), await makeKey('k-2')];
const provider = await Issuer.start(one);
afterAll(() => provider.stop());

function start(path = '/jwks') {
  provider.back();
  provider.delayMs = 0;
  provider.serve(one);
  provider.fetches = 0;
  const lines: unknown[] = [];
  const log = { warn: (...line: unknown[]) => lines.push(line) } as unknown as Logger;
  const clock = { now: 50_000 };
  const options = { keysMaxAgeMs: 1_000, keysCooldownMs: 100, keysTimeoutMs: 5_000 };
  const url = new URL(`${provider.url}${path}`);
  const keys = new IssuerKeys({ url, options, log, now: () => clock.now });
  /** `found`, or why there is no such key. */
  const ask = async (kid: string): Promise<unknown> => {
    const token = { payload: '', signature: '' } as unknown as Parameters<JWTVerifyGetKey>[1];
    try {
      await keys.find({ alg: 'RS256', kid }, token);
      return 'found';
    } catch (error) {
      return error instanceof errors.JWKSNoMatchingKey ? 'unknown' : error;
    }
  };
  return { keys, ask, clock, lines };
}

const unavailable = (seconds: number) => ({
  code: 'unavailable',
  reason: 'E_JWKS_UNAVAILABLE',
  message: 'The token cannot be checked: the identity provider does not give its keys.',
  hint: 'Try again shortly.',
  retryAfterSeconds: seconds,
});

describe('keys', () => {
  it('are fetched once, and again from their greatest age on', async () => {
    const { keys, ask, clock } = start();
    expect([keys.count, keys.problem]).toEqual([0, undefined]);
    expect(await ask('k-1')).toBe('found');
    clock.now += 999;
    expect(await ask('k-1')).toBe('found');
    expect([provider.fetches, keys.count, keys.problem]).toEqual([1, 1, undefined]);
    provider.serve(two);
    clock.now += 1;
    expect(await ask('k-2')).toBe('found');
    expect(provider.fetches).toBe(2);
    expect(await ask('k-1')).toBe('unknown');
  });

  it('that a token names are looked for at once, and then once in the cool-down', async () => {
    const { ask, clock } = start();
    await ask('k-1');
    provider.serve(one, two);
    expect(await ask('k-2')).toBe('found');
    expect(provider.fetches).toBe(2);
    // Searching holds no search up, and each search starts the cool-down anew.
    for (const kid of ['x', 'y']) expect(await ask(kid)).toBe('unknown');
    clock.now += 99;
    expect(await ask('x')).toBe('unknown');
    expect(provider.fetches).toBe(2);
    clock.now += 1;
    expect(await ask('x')).toBe('unknown');
    expect(provider.fetches).toBe(3);
    expect(await ask('x')).toBe('unknown');
    expect(provider.fetches).toBe(3);
  });

  it('are fetched once for callers at the same time', async () => {
    const { keys, ask } = start();
    provider.delayMs = 30;
    expect(await Promise.all(['k-1', 'k-1', 'k-1'].map(ask))).toEqual(['found', 'found', 'found']);
    expect(provider.fetches).toBe(1);
    expect(await keys.refresh()).toBe(false);
    expect(provider.fetches).toBe(1);
  });

  it('are fetched by a refresh unless that was tried within the cool-down', async () => {
    const { keys, clock } = start();
    expect(await keys.refresh()).toBe(true);
    clock.now += 99;
    expect(await keys.refresh()).toBe(false);
    clock.now += 1;
    expect(await keys.refresh()).toBe(true);
    expect(provider.fetches).toBe(2);
  });
});

describe('an issuer that is away', () => {
  const problem = () => `The token keys could not be fetched from ${new URL(provider.url).host}.`;

  it('is told with the time after which a retry may succeed', async () => {
    const { keys, ask, clock, lines } = start('/jwks?secret=1');
    provider.away();
    expect(await ask('k-1')).toMatchObject(unavailable(1));
    expect(keys.problem).toBe(problem());
    // The reason beneath stands in the log, and nothing of the query of the address.
    expect(lines).toEqual([[{ url: `${provider.url}/jwks`, error: expect.stringMatching(/^[^:]+: .+/) }, problem()]]);
    expect(provider.fetches).toBe(0);
    provider.back();
    clock.now += 99;
    expect(await ask('k-1')).toMatchObject(unavailable(1));
    expect(provider.fetches).toBe(0);
    clock.now += 1;
    expect(await ask('k-1')).toBe('found');
    expect(keys.problem).toBeUndefined();
  });

  it('is asked again after the cool-down, the rest of which is the time to wait', async () => {
    provider.back();
    const log = { warn: () => {} } as unknown as Logger;
    const clock = { now: 0 };
    const options = { keysMaxAgeMs: 1_000, keysCooldownMs: 30_000, keysTimeoutMs: 5_000 };
    provider.served = { status: 500, body: 'no' };
    const keys = new IssuerKeys({ url: new URL(provider.url), options, log, now: () => clock.now });
    const ask = () => keys.find({ alg: 'RS256', kid: 'k-1' }, {} as never);
    await expect(ask()).rejects.toMatchObject(unavailable(30));
    clock.now = 10_500;
    await expect(ask()).rejects.toMatchObject(unavailable(20));
    clock.now = 29_999;
    await expect(ask()).rejects.toMatchObject(unavailable(1));
  });

  it('leaves the last keys working, without holding up those who have one', async () => {
    const { keys, ask, clock, lines } = start();
    await ask('k-1');
    provider.away();
    clock.now += 1_000;
    expect(await ask('k-1')).toBe('found');
    expect(keys.problem).toBe(problem());
    expect(lines).toHaveLength(1);
    // A key that is not known may be there by now.
    expect(await ask('k-2')).toMatchObject(unavailable(1));
    provider.back();
    provider.delayMs = 3_000;
    clock.now += 1_000;
    expect(await ask('k-1')).toBe('found');
    // It was answered before the provider had.
    expect(keys.problem).toBeDefined();
    await expect.poll(() => keys.problem).toBeUndefined();
  });

  it('is searched for an unknown key, which is unavailable when that fails', async () => {
    const { ask, clock } = start();
    await ask('k-1');
    provider.away();
    expect(await ask('k-2')).toMatchObject(unavailable(1));
    clock.now += 99;
    provider.back();
    expect(await ask('k-2')).toMatchObject(unavailable(1));
    expect(provider.fetches).toBe(1);
    clock.now += 1;
    expect(await ask('k-2')).toBe('unknown');
    expect(provider.fetches).toBe(2);
  });

  it('is not waited for once Atlas closes, and that is no problem to log', async () => {
    const { keys, ask, lines } = start();
    provider.delayMs = 10_000;
    const asked = ask('k-1');
    await expect.poll(() => provider.fetches).toBe(1);
    keys.close();
    expect(await asked).toMatchObject({ code: 'unavailable' });
    expect(lines).toEqual([]);
  });
});

describe('an answer', () => {
  it.each([
    ['of 1 MiB is read', 1024 * 1024, undefined],
    ['of more is not', 1024 * 1024 + 1, 'The answer is larger than 1 MiB.'],
  ])('%s', async (_, bytes, error) => {
    const { ask, lines } = start();
    const body = JSON.stringify({ keys: [one.jwk] });
    provider.served = { body: body + ' '.repeat(bytes - body.length) };
    const found = await ask('k-1');
    if (error === undefined) expect(found).toBe('found');
    else {
      expect(found).toMatchObject({ code: 'unavailable' });
      expect(lines).toMatchObject([[{ error }, expect.anything()]]);
    }
  });

  it.each([204, 302, 404, 500])('with the status %i has no keys', async (status) => {
    const { ask, lines } = start();
    provider.served = { status, body: { keys: [one.jwk] } };
    expect(await ask('k-1')).toMatchObject({ code: 'unavailable' });
    expect(lines).toHaveLength(1);
  });
});
