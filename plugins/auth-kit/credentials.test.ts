import { describe, expect, it } from 'vitest';
import { apiKey, bearerToken, CREDENTIALS_REJECTED } from './index.ts';

/** What reading the header gives, or the refusal. */
function read(reader: typeof bearerToken, headers: Parameters<typeof bearerToken>[0]): unknown {
  try {
    return reader(headers);
  } catch (error) {
    return error;
  }
}

const TOO_LONG = {
  code: 'auth_error',
  reason: CREDENTIALS_REJECTED,
  message: 'The credentials are too long.',
  hint: 'Send at most 8192 bytes.',
};

describe('a bearer token', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER    abc', 'abc'],
    ['Bearer a b', 'a b'],
    ['Bearer abc\nd', 'abc\nd'],
    ['Bearer a', 'a'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearer  ', undefined],
    ['Bearer\tabc', undefined],
    ['Bearerabc', undefined],
    ['abc', undefined],
    ['Basic abc', undefined],
    ['Basic Bearer abc', undefined],
    ['', undefined],
    [undefined, undefined],
    [['Bearer abc'], undefined],
  ])('of %j is %j', (authorization, token) => {
    expect(bearerToken({ authorization } as never)).toBe(token);
    expect(bearerToken({ 'x-api-key': authorization } as never)).toBeUndefined();
  });

  it('is refused when its header is longer than 8,192 bytes', () => {
    const header = (length: number) => ({ authorization: `Bearer ${'k'.repeat(length - 'Bearer '.length)}` });
    expect(bearerToken(header(8_192))).toHaveLength(8_185);
    expect(read(bearerToken, header(8_193))).toMatchObject(TOO_LONG);
  });
});

describe('an API key', () => {
  it.each([
    [{ 'x-api-key': 'abc' }, 'abc'],
    [{ 'x-api-key': 'Bearer abc' }, 'Bearer abc'],
    [{ 'x-api-key': '' }, ''],
    [{ authorization: 'abc' }, undefined],
    [{ 'x-api-key': ['abc'] }, undefined],
    [{}, undefined],
  ])('of %j is %j', (headers, key) => {
    expect(apiKey(headers as never)).toBe(key);
  });

  it('is refused when it is longer than 8,192 bytes', () => {
    expect(apiKey({ 'x-api-key': 'k'.repeat(8_192) })).toHaveLength(8_192);
    expect(read(apiKey, { 'x-api-key': 'k'.repeat(8_193) })).toMatchObject(TOO_LONG);
  });
});
