/** Tokens checked without a server: the keys are at hand, or fail as those of an issuer do. */
import { type CryptoKey, errors, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Logger } from '../../kernel/index.ts';
import { forge, makeKey, NOW_SECONDS, sign } from '../../test/harness/token-issuer.ts';
import { CREDENTIALS_REJECTED } from '../auth-kit/index.ts';
import type { ByotOptions } from './options.ts';
import { looksLikeJwt, verifier } from './verify.ts';

const key = await makeKey('k-1');
const other = await makeKey('k-1');
const OPTIONS: ByotOptions = {
  jwksUrl: 'https://id.example.com/jwks',
  issuer: 'https://id.example.com/',
  clockToleranceSeconds: 30,
  keysMaxAgeMs: 1,
  keysCooldownMs: 1,
  keysTimeoutMs: 1,
};

/** The claims of the token, or the refusal; and what was logged. */
async function verified(token: string, options: Partial<ByotOptions> = {}, keys?: JWTVerifyGetKey) {
  const lines: unknown[] = [];
  const log = { warn: (...line: unknown[]) => lines.push(line) } as unknown as Logger;
  const verify = verifier(keys ?? (async () => key.publicKey), { ...OPTIONS, ...options }, () => NOW_SECONDS * 1000);
  const result = await verify(token, log).catch((error: unknown) => error);
  return { result, lines };
}

const refused = (message: string) => ({
  code: 'auth_error',
  reason: CREDENTIALS_REJECTED,
  message,
  hint: 'Send a current token of your identity provider as Authorization: Bearer TOKEN.',
});

it.each([
  ['a.b.c', true],
  ['..', true],
  ['a.b', false],
  ['a.b.c.d', false],
  ['abc', false],
])('%s looks like a JWT: %s', (token, looks) => {
  expect(looksLikeJwt(token)).toBe(looks);
});

describe('a token', () => {
  it.each<[Partial<ByotOptions>, JWTPayload]>([
    [{}, {}],
    [{ audience: 'atlas' }, { aud: 'atlas' }],
    [{ audience: 'atlas' }, { aud: ['billing', 'atlas'] }],
    [{ audience: ['a', 'atlas'] }, { aud: 'atlas' }],
    [{}, { exp: NOW_SECONDS - 29 }],
    [{}, { iat: NOW_SECONDS + 30 }],
    [{}, { nbf: NOW_SECONDS + 30 }],
    [{ clockToleranceSeconds: 0 }, { iat: NOW_SECONDS, exp: NOW_SECONDS + 1 }],
  ])('is good with %j: %j', async (options, claims) => {
    const { result } = await verified(await sign(key, claims), options);
    expect(result).toMatchObject({ iss: OPTIONS.issuer, sub: 'ann', ...claims });
  });

  it.each<[string, Partial<ByotOptions>, object, string]>([
    ['expired', {}, { exp: NOW_SECONDS - 30 }, 'The token has expired.'],
    ['expired without tolerance', { clockToleranceSeconds: 0 }, { exp: NOW_SECONDS }, 'The token has expired.'],
    ['not valid yet', {}, { nbf: NOW_SECONDS + 31 }, 'The token is not valid yet.'],
    ['with a start that is no number', {}, { nbf: 'now' }, 'The claim "nbf" of the token is not valid.'],
    ['of another issuer', {}, { iss: 'https://evil.example/' }, 'The claim "iss" of the token is not valid.'],
    ['without an issuer', {}, { iss: undefined }, 'The claim "iss" of the token is missing.'],
    ['for another audience', { audience: 'atlas' }, { aud: 'x' }, 'The claim "aud" of the token is not valid.'],
    ['for no listed audience', { audience: ['a', 'b'] }, { aud: 'x' }, 'The claim "aud" of the token is not valid.'],
    ['without an audience', { audience: 'atlas' }, { aud: undefined }, 'The claim "aud" of the token is missing.'],
    ['without an end', {}, { exp: undefined }, 'The claim "exp" of the token is missing.'],
    ['without a subject', {}, { sub: undefined }, 'The claim "sub" of the token is missing.'],
    ['with an empty subject', {}, { sub: '' }, 'The claim "sub" of the token is not valid.'],
    ['with a blank subject', {}, { sub: ' ' }, 'The claim "sub" of the token is not valid.'],
    ['with a control character', {}, { sub: 'a\u0085b' }, 'The claim "sub" of the token is not valid.'],
    ['with a subject that is a number', {}, { sub: 7 }, 'The claim "sub" of the token is not valid.'],
    ['of the future', {}, { iat: NOW_SECONDS + 31 }, 'The claim "iat" of the token lies in the future.'],
  ])('is refused %s', async (_, options, claims, message) => {
    const { result, lines } = await verified(await sign(key, claims as JWTPayload), options);
    expect(result).toMatchObject(refused(message));
    expect(lines).toEqual([]);
  });

  it.each<[string, () => string | Promise<string>, string]>([
    ['of another key', () => sign(other), 'The signature of the token is not valid.'],
    [
      'with a shared secret',
      () => forge({ alg: 'HS256' }, {}, () => 'x'),
      'The token is signed with an algorithm that is not allowed.',
    ],
    ['that is none', () => 'a.b.c', 'The token is not a valid JWT.'],
  ])('is refused %s', async (_, make, message) => {
    expect((await verified(await make())).result).toMatchObject(refused(message));
  });

  it('is refused when the issuer has no such key', async () => {
    const { result } = await verified(await sign(key), {}, () => Promise.reject(new errors.JWKSNoMatchingKey()));
    expect(result).toMatchObject(refused('The token is signed with a key that the issuer does not have.'));
  });
});

describe('keys that all may fit', () => {
  /** What the library throws when several keys fit the token. */
  const several = (...keys: CryptoKey[]): JWTVerifyGetKey => {
    const error = new errors.JWKSMultipleMatchingKeys();
    error[Symbol.asyncIterator] = async function* () {
      yield* keys;
    } as never;
    return () => Promise.reject(error);
  };

  it('are tried in turn', async () => {
    const keys = several(other.publicKey, key.publicKey);
    expect((await verified(await sign(key), {}, keys)).result).toMatchObject({ sub: 'ann' });
    expect((await verified(await sign(key, { exp: 1 }), {}, keys)).result).toMatchObject(
      refused('The token has expired.'),
    );
    const { result } = await verified(await sign(key), {}, several(other.publicKey));
    expect(result).toMatchObject(refused('The signature of the token is not valid.'));
  });
});

describe('keys that cannot be used', () => {
  it.each([
    [new errors.JWKSInvalid('The set is broken.'), 'The set is broken.'],
    [new TypeError('The key is too weak.'), 'The key is too weak.'],
  ])('are not the fault of the token: %s', async (error, logged) => {
    const { result, lines } = await verified(await sign(key), {}, () => Promise.reject(error));
    expect(result).toMatchObject({
      code: 'unavailable',
      reason: 'E_JWKS_UNUSABLE',
      message: 'The token cannot be checked: the key of the identity provider for it cannot be used.',
      hint: 'Tell the operator of Atlas.',
      retryAfterSeconds: 60,
    });
    expect(lines).toEqual([[{ error: logged }, 'A token could not be checked.']]);
  });
});
