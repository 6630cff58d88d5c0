import { expect, it } from 'vitest';
import { masked, maskedKey } from './masking.ts';

const H = '***';

it.each([
  [
    'top level',
    { password: 'x', apiKey: 'x', api_key: 'x', 'X-API-Key': 'x' },
    { password: H, apiKey: H, api_key: H, 'X-API-Key': H },
  ],
  ['any depth', { a: [{ b: { authToken: 'x', page: 2 } }] }, { a: [{ b: { authToken: H, page: 2 } }] }],
  ['whole objects and lists', { credentials: { user: 'u' }, tokens: ['a', 'b'] }, { credentials: H, tokens: H }],
  [
    'any case',
    { Authorization: 'x', COOKIE: 'x', clientSecret: 'x', SIGNATURE: 'x' },
    { Authorization: H, COOKIE: H, clientSecret: H, SIGNATURE: H },
  ],
  ['numbers', { pin: 1234, otp: 7, count: 3 }, { pin: H, otp: H, count: 3 }],
  [
    'headers as pairs',
    {
      headers: [
        ['Authorization', 'Bearer x'],
        ['Accept', 'y'],
      ],
    },
    {
      headers: [
        ['Authorization', H],
        ['Accept', 'y'],
      ],
    },
  ],
  [
    'headers by name',
    {
      headers: [
        { name: 'X-Token', value: 'x' },
        { name: 'Accept', value: 'y' },
      ],
    },
    {
      headers: [
        { name: 'X-Token', value: H },
        { name: 'Accept', value: 'y' },
      ],
    },
  ],
  [
    'fields by key',
    [
      { key: 'apiKey', value: 'x' },
      { key: 'region', value: 'y' },
    ],
    [
      { key: 'apiKey', value: H },
      { key: 'region', value: 'y' },
    ],
  ],
  [
    'URLs',
    { url: 'https://u:p@x.example/a?token=1&page=2&key=3&sig=4' },
    { url: `https://${H}@x.example/a?token=${H}&page=2&key=${H}&sig=${H}` },
  ],
  ['texts', { body: "password = 'hunter2'" }, { body: `password = '${H}'` }],
  [
    'what is no secret',
    { to: ['ann@example.com'], text: 'The key figures', author: 'Ann', monkey: 1, none: null, token: null },
    { to: ['ann@example.com'], text: 'The key figures', author: 'Ann', monkey: 1, none: null, token: null },
  ],
])('hides secrets, and only these: %s', (_, value, expected) => {
  expect(masked(value)).toEqual(expected);
});

it('shows nothing below a great depth', () => {
  let deep: unknown = { password: 'x' };
  for (let level = 0; level < 100; level += 1) deep = [deep];
  expect(JSON.stringify(masked(deep))).not.toContain('"x"');
});

it.each([
  ['sk-0123456789abcdef', '****cdef'],
  ['0123456789abcdef', '****cdef'],
  ['0123456789abcde', '****'],
  ['', '****'],
])('shows of the key %j %j', (key, shown) => {
  expect(maskedKey(key)).toBe(shown);
});
