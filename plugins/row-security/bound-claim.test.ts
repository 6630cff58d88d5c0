import { describe, expect, it } from 'vitest';
import type { Actor } from '../../kernel/index.ts';
import { testScope } from '../../test/harness/create-test-app.ts';
import { boundClaim, placesFor } from './bound-claim.ts';

const source = { path: 'org.tenants', staticClaims: undefined };
const actor = (tenants: unknown): Actor => ({
  id: 'ann',
  label: 'ann',
  role: 'viewer',
  mode: 'test',
  claims: { org: { tenants } },
});
const list = (length: number) => Array.from({ length }, (_, n) => n);

describe('placesFor', () => {
  it.each([
    ['none', undefined, 1],
    ['one value', 7, 1],
    ['an empty list', [], 1],
    ['a list of one', [7], 1],
    ['a list of two', [7, 8], 2],
    ['a list of three', list(3), 4],
    ['a list of four', list(4), 4],
    ['a list of five', list(5), 8],
    ['the longest list', list(1_024), 1_024],
    ['a list that is too long', list(1_025), 1],
  ])('%s', (_, claim, places) => {
    expect(placesFor(source, actor(claim))).toBe(places);
  });

  it('reads a static claim of the configuration for actors without claims', () => {
    const given = { path: 'org.tenants', staticClaims: { org: { tenants: [1, 2, 3] } } };
    expect(placesFor(given, { ...actor(undefined), claims: {} })).toBe(4);
    expect(placesFor(given, actor([1, 2]))).toBe(2);
  });
});

describe('boundClaim', () => {
  const bound = (claim: unknown, index = 0, type: Parameters<typeof boundClaim>[2] = 'integer') =>
    boundClaim(source, index, type, 'orders').valueFor(testScope({ actor: actor(claim) }));
  const refusalOf = (claim: unknown, type: Parameters<typeof boundClaim>[2] = 'integer') => {
    try {
      bound(claim, 0, type);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('is the value, or the list item at the index, padded with the last one', () => {
    expect(bound(7)).toBe(7);
    expect(bound(7, 3)).toBe(7);
    expect([0, 1, 2, 3].map((index) => bound([7, 8, 9], index))).toEqual([7, 8, 9, 9]);
    expect(bound(list(1_024), 1_023)).toBe(1_023);
    expect(bound('0', 0, 'text')).toBe('0');
    expect(bound(0)).toBe(0);
    expect(bound(false, 0, 'boolean')).toBe(false);
  });

  it.each([[undefined], [null], [''], [[]]])('is refused where the claim is %j', (claim) => {
    expect(refusalOf(claim)).toMatchObject({
      code: 'forbidden',
      reason: 'E_CLAIM_MISSING',
      message: 'The rows of "orders" that you may see are not known: the claim "org.tenants" is missing or empty.',
      hint: expect.stringContaining('ask an administrator'),
    });
  });

  it('is refused for more values than a statement binds', () => {
    expect(refusalOf(list(1_025))).toMatchObject({
      code: 'forbidden',
      reason: 'E_CLAIM_TYPE',
      message: expect.stringContaining('the claim "org.tenants" has more than 1024 values.'),
    });
  });

  it.each([
    ['integer', 'an integer'],
    ['number', 'a number'],
    ['boolean', 'true or false'],
    ['uuid', 'a UUID'],
    ['text', 'a text or an integer'],
    ['any', 'a text, a number, true or false'],
    ['flexible', 'a text or a number in its plain spelling'],
    ['converted', 'a text or an integer'],
  ] as const)('is refused where %s needs another value', (type, shape) => {
    expect(refusalOf({}, type)).toMatchObject({
      reason: 'E_CLAIM_TYPE',
      message: expect.stringMatching(new RegExp(`the claim "org\\.tenants" is not ${shape}\\.$`)),
    });
    expect(refusalOf([{}], type)).toMatchObject({
      message: expect.stringMatching(new RegExp(`the claim "org\\.tenants" is not ${shape} in every place\\.$`)),
    });
  });
});
