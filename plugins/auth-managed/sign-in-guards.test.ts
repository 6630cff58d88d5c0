import { expect, it } from 'vitest';
import { localLimits } from '../shared-limits/index.ts';
import { Origins } from './accounts/request-origins.ts';
import { cookieDomain } from './better-auth/cookie-domain.ts';
import { betterAuthError } from './better-auth/errors.ts';
import { SessionCache } from './better-auth/session-cache.ts';
import { Passwords } from './passwords/password-hashing.ts';
import { Throttle } from './passwords/throttle.ts';

const throttleAt = (now: () => number) => new Throttle(localLimits(now).attempts('test'));

it.each([
  ['https://api.example.com', ['https://app.example.com'], 'example.com'],
  ['https://api.example.com', ['https://example.com'], 'example.com'],
  ['https://example.com', ['https://app.example.com'], 'example.com'],
  ['https://api.eu.example.com', ['https://app.eu.example.com'], 'eu.example.com'],
  ['https://api.eu.example.com', ['https://app.eu.example.com', 'https://www.example.com'], 'example.com'],
  ['https://api.example.com:8443', ['https://app.example.com:3000'], 'example.com'],
  ['https://api.acme.co.uk', ['https://app.acme.co.uk'], 'acme.co.uk'],
  ['https://api.xn--bcher-kva.example', ['https://app.xn--bcher-kva.example'], 'xn--bcher-kva.example'],
  // Only one host, or nothing in common.
  ['https://api.example.com', ['https://api.example.com', '*'], undefined],
  ['https://api.example.com', ['https://app.example.org'], undefined],
  ['https://api.example.com', [], undefined],
  [undefined, ['https://app.example.com'], undefined],
  ['https://api.example.com.', ['https://app.example.com.'], undefined],
  // What strangers share.
  ['https://web-acme.koyeb.app', ['https://api-acme.koyeb.app'], undefined],
  ['https://web.a.eastus.azurecontainerapps.io', ['https://api.b.eastus.azurecontainerapps.io'], undefined],
  ['https://app.10.0.0.1.nip.io', ['https://api.10.0.0.2.nip.io'], undefined],
  ['https://x.execute-api.mx-central-1.amazonaws.com', ['https://y.execute-api.mx-central-1.amazonaws.com'], undefined],
  ['https://b.s3-website-us-east-1.amazonaws.com', ['https://x.us-east-1.elb.amazonaws.com'], undefined],
  ['https://api.co.uk', ['https://shop.co.uk'], undefined],
  ['https://api.com.au', ['https://app.com.au'], undefined],
  ['https://acme.github.io', ['https://evil.github.io'], undefined],
  ['https://api.up.railway.app', ['https://app.up.railway.app'], undefined],
  ['https://a.eu-west-1.elasticbeanstalk.com', ['https://b.eu-west-1.elasticbeanstalk.com'], undefined],
  ['https://api.com', ['https://app.com'], undefined],
  // No names.
  ['http://api.localhost', ['http://app.localhost'], undefined],
  ['http://127.0.0.1:3001', ['http://127.0.0.2:3000'], undefined],
  ['http://[::1]:3001', ['http://[::2]:3000'], undefined],
  ['http://notexample.com', ['http://example.com'], undefined],
])('derives the domain of cookies for %s and %j: %s', (url, origins, domain) => {
  expect(cookieDomain(url, origins)).toBe(domain);
});

it('accepts origins of the public address and of the requested host', () => {
  const allows = (origins: Origins, headers: Record<string, string>) => {
    try {
      origins.check('POST', headers);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'forbidden' });
      return false;
    }
  };
  const secure = new Origins('https://api.example.com/', ['https://app.example.com/']);
  const host = 'internal:3001';
  expect(allows(secure, { host, origin: 'https://api.example.com' })).toBe(true);
  expect(allows(secure, { host, origin: 'https://app.example.com' })).toBe(true);
  expect(allows(secure, { host, origin: 'http://api.example.com' })).toBe(false);
  expect(allows(secure, { host: 'api.example.com', origin: 'http://api.example.com' })).toBe(false);
  expect(allows(secure, { host, origin: 'https://app.example.com:444' })).toBe(false);
  expect(allows(secure, { host, referer: 'https://app.example.com/a?b=https://evil.example' })).toBe(true);
  expect(allows(secure, { host, referer: 'nonsense' })).toBe(false);
  const plain = new Origins(undefined, []);
  expect(allows(plain, { host: 'localhost:3001', origin: 'http://localhost:3001' })).toBe(true);
  expect(allows(plain, { host: 'localhost:3001', origin: 'http://localhost:3000' })).toBe(false);
  expect(allows(plain, { host: '[::1]:3001', origin: 'http://[::1]:3001' })).toBe(true);
  expect(allows(plain, { origin: 'http://localhost:3001' })).toBe(false);
});

it('makes waits grow, end, and expire', async () => {
  let now = 0;
  const throttle = throttleAt(() => now);
  const fail = (account = 'ann', address = '1.1.1.1') => throttle.begin(account, address);
  const wait = async () => {
    try {
      await (await fail()).undone();
      return 0;
    } catch (error) {
      return (error as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };
  for (let index = 0; index < 10; index += 1) await fail();
  const waits = [];
  for (let index = 0; index < 14; index += 1) {
    waits.push(await wait());
    now += (await wait()) * 1_000;
    await fail();
  }
  expect(waits.slice(0, 12)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  // Somebody else's address is not blocked by that, and the owner gets in from elsewhere.
  await (await throttle.begin('ANN ', '2.2.2.2')).succeeded();
  await expect(fail()).rejects.toThrow(/too many/);
  now += 1_800_001;
  for (let index = 0; index < 10; index += 1) await fail();
  await expect(fail()).rejects.toThrow();
});

it.each<[string, (attempt: number) => [account: string, ip: string], free: number, longestWaitS: number]>([
  ['an account from one address', () => ['ann', '1.1.1.1'], 10, 900],
  ['an account from anywhere', (attempt) => ['ann', `1.1.${attempt}.1`], 50, 30],
  ['an address, whatever the account', (attempt) => [`user${attempt}`, '1.1.1.1'], 100, 900],
])('counts %s: free attempts, then waits that double up to a limit', async (_, attemptOf, free, longestWaitS) => {
  let now = 0;
  const throttle = throttleAt(() => now);
  for (let attempt = 0; attempt < free; attempt += 1) await throttle.begin(...attemptOf(attempt));
  const waits: number[] = [];
  for (let attempt = free; attempt < free + 12; attempt += 1) {
    try {
      await throttle.begin(...attemptOf(attempt));
    } catch (error) {
      const { retryAfterSeconds } = error as { retryAfterSeconds: number };
      waits.push(retryAfterSeconds);
      now += retryAfterSeconds * 1_000;
      await throttle.begin(...attemptOf(attempt));
    }
  }
  expect(waits).toEqual(Array.from({ length: 12 }, (_, doubled) => Math.min(2 ** doubled, longestWaitS)));
});

it('slows down one address that tries many accounts, and many addresses that try one', async () => {
  const spray = throttleAt(() => 0);
  for (let index = 0; index < 100; index += 1) await spray.begin(`user${index}`, '1.1.1.1');
  await expect(spray.begin('one more', '1.1.1.1')).rejects.toThrow();
  await spray.begin('one more', '2.2.2.2');
  // One subscriber has a whole /64.
  const network = throttleAt(() => 0);
  for (let index = 0; index < 100; index += 1) await network.begin(`user${index}`, `2001:db8::${index.toString(16)}`);
  await expect(network.begin('one more', '2001:db8::ffff')).rejects.toThrow();
  await network.begin('one more', '2001:db8:0:1::1');
  const crowd = throttleAt(() => 0);
  for (let index = 0; index < 50; index += 1) await crowd.begin('ann', `1.1.1.${index}`);
  await expect(crowd.begin('ann', '9.9.9.9')).rejects.toThrow();
});

it('counts an account in any spelling as one, and says when to try again', async () => {
  const refusalsOf = async (throttle: Throttle, emailOf: (n: number) => string) => {
    const refusals: unknown[] = [];
    for (let n = 0; n < 30; n += 1) {
      refusals.push(
        await throttle.begin(emailOf(n), '1.1.1.1').then(
          () => undefined,
          (error: unknown) => error,
        ),
      );
    }
    return refusals;
  };
  const refusals = await refusalsOf(
    throttleAt(() => 0),
    (n) => (n % 2 === 0 ? ' Ann@Example.com' : 'ann@example.com '),
  );
  const alone = await refusalsOf(
    throttleAt(() => 0),
    () => 'bob@example.com',
  );
  const first = refusals.findIndex((error) => error !== undefined);
  expect(first).toBe(alone.findIndex((error) => error !== undefined));
  const { retryAfterSeconds } = refusals[first] as { retryAfterSeconds: number };
  expect(refusals[first]).toMatchObject({ code: 'rate_limited', hint: `Try again in ${retryAfterSeconds} s.` });
});

it('never limits successful sign-ins, and remembers a bounded number of users', async () => {
  const throttle = throttleAt(() => 0);
  for (let index = 0; index < 500; index += 1) await (await throttle.begin('ann', '1.1.1.1')).succeeded();
  for (let index = 0; index < 60_000; index += 1) await throttle.begin(`user${index}`, `address ${index}`);
  await (await throttle.begin('ann', '1.1.1.1')).succeeded();
});

it('hashes passwords, and keeps on after a failure', async () => {
  const passwords = new Passwords();
  const hash = await passwords.hash('a password');
  expect(await passwords.verify(hash, 'a password')).toBe(true);
  expect(await passwords.verify(hash, 'another one')).toBe(false);
  for (let index = 0; index < 3; index += 1) await expect(passwords.verify('no hash', 'a password')).rejects.toThrow();
  expect(await passwords.verify(hash, 'a password')).toBe(true);
});

it('keeps its counts when it refuses attempts', async () => {
  const throttle = throttleAt(() => 0);
  for (let index = 0; index < 10; index += 1) await throttle.begin('ann', '2.2.2.2');
  for (let index = 0; index < 100; index += 1) await throttle.begin(`user${index}`, '1.1.1.1');
  for (let index = 0; index < 60_000; index += 1)
    await expect(throttle.begin(`other${index}`, '1.1.1.1')).rejects.toThrow();
  await expect(throttle.begin('ann', '2.2.2.2')).rejects.toThrow(/too many/);
});

it('admits a user who has succeeded from the address before, whatever others do there', async () => {
  let now = 0;
  const throttle = throttleAt(() => now);
  await (await throttle.begin('ann', '1.1.1.1')).succeeded();
  await throttle.recognise('bob', '1.1.1.1');
  for (let index = 0; index < 100; index += 1) await throttle.begin(`user${index}`, '1.1.1.1');
  for (let index = 0; index < 50; index += 1) await throttle.begin('ann', `2.2.2.${index}`);
  await expect(throttle.begin('somebody', '1.1.1.1')).rejects.toThrow(/too many/);
  await expect(throttle.begin('ann', '3.3.3.3')).rejects.toThrow(/too many/);
  const [ann, bob] = [await throttle.begin('Ann', '1.1.1.1'), await throttle.begin('bob', '1.1.1.1')];
  expect([ann.familiar, bob.familiar]).toEqual([true, true]);
  // Who guesses there is slowed down all the same.
  for (let index = 0; index < 9; index += 1) await throttle.begin('ann', '1.1.1.1');
  await expect(throttle.begin('ann', '1.1.1.1')).rejects.toThrow(/too many/);
  now += 31 * 86_400_000;
  expect((await throttle.begin('ann', '1.1.1.1')).familiar).toBe(false);
});

it('changes the version of what is cached about a user', () => {
  const sessionCache = new SessionCache();
  const before = performance.now();
  expect(sessionCache.versionOf('ann', before)).toBe('1');
  sessionCache.invalidate('ann');
  const version = sessionCache.versionOf('ann', Infinity);
  expect(version).not.toBe('1');
  expect(sessionCache.versionOf('ann', Infinity)).toBe(version);
  sessionCache.invalidate('ann');
  expect(sessionCache.versionOf('ann', Infinity)).not.toBe(version);
  expect(sessionCache.versionOf('bob', Infinity)).toBe('1');
});

it('gives data read before a change a version that no cache has', () => {
  const sessionCache = new SessionCache();
  const before = performance.now();
  sessionCache.invalidate('ann');
  const stale = sessionCache.versionOf('ann', before);
  expect([sessionCache.versionOf('ann', Infinity), sessionCache.versionOf('ann', before)]).not.toContain(stale);
});

it.each([
  [401, { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' }, 'auth_error'],
  [403, { code: 'BANNED_USER', message: 'x' }, 'forbidden'],
  [400, { code: 'ORGANIZATION_NOT_FOUND', message: 'Organization not found' }, 'not_found'],
  [400, { code: 'ORGANIZATION_SLUG_ALREADY_TAKEN', message: 'Taken' }, 'conflict'],
  [400, { code: 'VALIDATION_ERROR', message: '[body.email] Invalid email address' }, 'validation_error'],
  [400, { code: 'VALIDATION_ERROR', message: '[query.id] Required' }, 'invalid_request'],
  [400, { code: 'WHATEVER', message: 'No' }, 'invalid_request'],
  [404, '', 'not_found'],
  [429, {}, 'rate_limited'],
  [500, { code: 'X', message: 'select * from secrets' }, 'internal_error'],
])('tells a failure with status %i and %j as %s', (status, body, code) => {
  const error = betterAuthError(status, body);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/[.!?]$/);
});
