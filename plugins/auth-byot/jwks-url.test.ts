import { expect, it } from 'vitest';
import { isOpenToOthers, readJwksUrl } from './jwks-url.ts';

it.each(['https://id.example.com/jwks', 'http://id.example.com:81/jwks?a=b'])('reads %s', (text) => {
  expect(readJwksUrl(text).href).toBe(text);
});

it.each([
  '',
  'jwks',
  'https://',
  'file:///etc/passwd',
  'data:,{}',
  'xhttps://id.example.com/jwks',
  'httpss://id.example.com/jwks',
  'https://user@id.example.com/jwks',
  'https://:pass@id.example.com/jwks',
])('refuses %j', (text) => {
  expect(() => readJwksUrl(text)).toThrow(
    expect.objectContaining({
      code: 'configuration_error',
      reason: 'E_JWKS_URL',
      message: 'The address of the token keys is not an https address without a user.',
      hint: 'Set SVC_AUTH_JWKS_URL like https://id.example.com/.well-known/jwks.json.',
    }),
  );
});

it.each([
  ['http://id.example.com', true],
  ['http://10.0.0.5', true],
  ['http://localhost.evil.example', true],
  ['http://notlocalhost', true],
  ['http://127.0.0.1.evil.example', true],
  ['http://1.127.0.0.1.example', true],
  ['http://[::2]', true],
  ['http://[1::1]', true],
  ['https://id.example.com', false],
  ['http://localhost', false],
  ['http://id.localhost', false],
  ['http://127.0.0.1', false],
  ['http://127.10.20.255', false],
  ['http://[::1]', false],
])('%s is open to attackers on the network: %s', (url, isOpen) => {
  expect(isOpenToOthers(new URL(url))).toBe(isOpen);
});
