import { describe, expect, test } from 'vitest';
import { NOBODY } from '../../kernel/index.ts';
import { claimAt, claimsOf } from './index.ts';

describe('a claim', () => {
  const claims = {
    tenant: 1,
    org: { tenant_id: 2, 'a.b': { c: 3 } },
    'https://example.com/tenant': 4,
    'https://example.com/app': { tenant: 5 },
    'org.team': 6,
    list: [{ id: 7 }],
    empty: null,
    name: 'acme',
  };

  test.each([
    ['tenant', 1],
    ['org.tenant_id', 2],
    ['org.a.b.c', 3],
    ['https://example.com/tenant', 4],
    ['https://example.com/app.tenant', 5],
    ['org.team', 6],
    ['empty', null],
    ['empty.x', undefined],
    ['tenant.x', undefined],
    ['org.missing', undefined],
    ['orgxa.b.c', undefined],
    ['name.length', undefined],
    ['name.0', undefined],
    ['missing', undefined],
    ['list.0.id', undefined],
    ['', undefined],
    ['.', undefined],
    ['.tenant', undefined],
    ['org.', undefined],
    ['constructor', undefined],
    ['constructor.name', undefined],
    ['__proto__.tenant', undefined],
    ['org.toString', undefined],
  ])('at %j is %j', (path, value) => {
    expect(claimAt(claims, path)).toEqual(value);
  });

  test('is one of the static ones only for who has none', () => {
    const fixed = { tenant: 'all' };
    expect(claimsOf({ ...NOBODY, claims: {} }, fixed)).toBe(fixed);
    expect(claimsOf({ ...NOBODY, claims: { sub: 'ann' } }, fixed)).toEqual({ sub: 'ann' });
    expect(claimsOf(NOBODY, undefined)).toEqual({});
  });
});
