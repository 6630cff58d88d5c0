import { describe, expect, it } from 'vitest';
import { Origins, type RequestHeaders } from './request-origins.ts';

const secure = () => new Origins('https://api.example.com/auth', ['https://app.example.com/page', 'nonsense']);
const plain = () => new Origins(undefined, []);

const allows = (origins: Origins, headers: RequestHeaders, method = 'POST') => {
  try {
    origins.check(method, headers);
    return true;
  } catch (error) {
    expect(error).toMatchObject({
      code: 'forbidden',
      reason: 'E_ORIGIN_UNTRUSTED',
      message: 'The request comes from a web page that may not change anything here.',
      hint: 'Name its origin in AUTHLIB_TRUSTED_ORIGINS, and the public address of the API in AUTHLIB_URL.',
    });
    return false;
  }
};

it.each(['GET', 'HEAD', 'OPTIONS'])('%s changes nothing, and may come from anywhere', (method) => {
  expect(allows(secure(), { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, method)).toBe(true);
});

it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'get', ''])('%j may not come from a foreign page', (method) => {
  expect(allows(secure(), { origin: 'https://evil.example' }, method)).toBe(false);
});

describe('an origin', () => {
  it.each<[RequestHeaders, boolean]>([
    [{ origin: 'https://api.example.com' }, true],
    [{ origin: 'https://app.example.com' }, true],
    [{ origin: 'https://app.example.com:444' }, false],
    [{ origin: 'http://app.example.com' }, false],
    [{ origin: 'https://evil.example', referer: 'https://app.example.com/' }, false],
    [{ origin: '' }, false],
    [{ origin: '', referer: 'https://app.example.com/' }, false],
    [{ origin: ['https://app.example.com'], referer: 'https://evil.example' }, false],
    [{ referer: 'https://app.example.com/a?b=https://evil.example' }, true],
    [{ referer: 'https://evil.example/https://app.example.com' }, false],
    // The public address and a page of the host that is asked, over TLS only where the public address has it.
    [{ origin: 'https://internal:3001', host: 'INTERNAL:3001' }, true],
    [{ origin: 'http://internal:3001', host: 'internal:3001' }, false],
    [{ origin: 'https://internal:3001', host: 'other:3001' }, false],
    [{ origin: 'https://internal:3001' }, false],
  ])('of %j is trusted: %s', (headers, isTrusted) => {
    expect(allows(secure(), headers)).toBe(isTrusted);
  });

  it.each<[RequestHeaders, boolean]>([
    [{ origin: 'http://localhost:3001', host: 'localhost:3001' }, true],
    [{ origin: 'https://localhost:3001', host: 'localhost:3001' }, true],
    [{ origin: 'http://localhost:3000', host: 'localhost:3001' }, false],
    [{ origin: 'https://api.example.com', host: 'localhost:3001' }, false],
    [{ referer: 'nonsense', host: 'localhost:3001' }, false],
    [{ origin: 'null', host: 'null' }, false],
    [{ origin: 'Stryker was here', host: 'localhost:3001' }, false],
  ])('of %j is trusted without a public address: %s', (headers, isTrusted) => {
    expect(allows(plain(), headers)).toBe(isTrusted);
  });

  it('without TLS is that of the host only where the public address has none', () => {
    const headers = { origin: 'http://internal:3001', host: 'internal:3001' };
    expect(allows(new Origins('http://api.example.com', []), headers)).toBe(true);
    expect(allows(new Origins('https://api.example.com', []), headers)).toBe(false);
  });

  it.each(['nonsense', 'app.example.com', 'localhost:3000', 'data:text/html,x', 'null'])(
    'that is opaque is not trusted because of the setting %j',
    (setting) => {
      const origins = new Origins(setting, [setting]);
      expect(allows(origins, { origin: 'null' })).toBe(false);
      expect(allows(origins, { referer: 'nonsense' })).toBe(false);
    },
  );
});

it.each<[RequestHeaders, boolean]>([
  [{}, true],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'none' }, true],
  [{ 'sec-fetch-site': '' }, true],
  [{ 'sec-fetch-site': 'same-site' }, false],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{ referer: '', 'sec-fetch-site': 'cross-site' }, false],
])('without an origin, %j is trusted: %s', (headers, isTrusted) => {
  expect(allows(secure(), headers)).toBe(isTrusted);
});
