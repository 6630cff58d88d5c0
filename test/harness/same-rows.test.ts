import { describe, expect, it } from 'vitest';
import { comparisonOf, rowsDifference, sameRows } from './same-rows.ts';

const countries = [
  { country: 'Austria', n: 2 },
  { country: 'Spain', n: 7 },
];

describe('sameRows', () => {
  it('ignores names, column order and, unless asked, row order', () => {
    const actual = [
      { total: 7, name: 'Spain' },
      { total: 2, name: 'Austria' },
    ];
    expect(sameRows(actual, countries)).toBe(true);
    expect(sameRows(actual, countries, { ordered: true })).toBe(false);
    expect(sameRows(actual.toReversed(), countries, { ordered: true })).toBe(true);
  });

  it.each([
    ['another number of rows', countries.slice(1)],
    [
      'a wrong value',
      [
        { c: 'Austria', n: 2 },
        { c: 'Spain', n: 8 },
      ],
    ],
    [
      'the right values in the wrong rows',
      [
        { c: 'Austria', n: 7 },
        { c: 'Spain', n: 2 },
      ],
    ],
    ['a missing column', [{ c: 'Austria' }, { c: 'Spain' }]],
    [
      'a null instead of a value',
      [
        { c: 'Austria', n: 2 },
        { c: 'Spain', n: null },
      ],
    ],
    [
      'a value as often as another',
      [
        { c: 'Spain', n: 7 },
        { c: 'Spain', n: 7 },
      ],
    ],
    [
      'another measure beside the right one',
      [
        { c: 'Austria', n: 2, m: 5 },
        { c: 'Spain', n: 7, m: 5 },
      ],
    ],
  ])('refuses %s', (_, actual) => {
    expect(sameRows(actual, countries)).toBe(false);
    expect(rowsDifference(actual, countries)).toEqual(expect.any(String));
  });

  it('accepts columns that describe or compare, and every column of a listing', () => {
    const actual = countries.map((row) => ({ ...row, region: 'Europe', id: 5, change_percent: 3, revenue_share: 1 }));
    expect(sameRows(actual, countries)).toBe(true);
    const listed = countries.map(({ country, n }) => ({ country, people: n * 1e6 }));
    expect(
      sameRows(
        listed,
        countries.map(({ country }) => ({ country })),
      ),
    ).toBe(false);
    expect(
      sameRows(
        listed,
        countries.map(({ country }) => ({ country })),
        { listing: true },
      ),
    ).toBe(true);
  });

  it('lets a column be missing whose name starts with an underscore, but not be wrong', () => {
    const expected = [{ country: 'Spain', _n: 7 }];
    expect(sameRows([{ a: 'Spain', b: 7 }], expected)).toBe(true);
    expect(sameRows([{ a: 'Spain' }], expected)).toBe(true);
    expect(sameRows([{ a: 'Spain', b: 8 }], expected)).toBe(false);
  });

  it('compares numbers to a millionth, also as text, big integer or boolean', () => {
    const same = (actual: unknown, expected: unknown) => sameRows([{ a: actual }], [{ e: expected }]);
    expect(same(1_000_000.5, 1_000_000)).toBe(true);
    expect(same(1_000_002, 1_000_000)).toBe(false);
    expect(same(0.1 + 0.2, 0.3)).toBe(true);
    expect(same('12.50', 12.5)).toBe(true);
    expect(same(12n, 12)).toBe(true);
    expect(same(true, 1)).toBe(true);
    expect(same(false, 1)).toBe(false);
    expect(same(0, null)).toBe(false);
    expect(same('twelve', 12)).toBe(false);
  });

  it.each([
    ['2026-04', '2026-04-01', true],
    ['2026-04-01T00:00:00.000Z', '2026-04-01', true],
    ['2026-04-01 00:00:00+00', '2026-04-01', true],
    ['2026-Q2', '2026-04-01', true],
    [new Date('2026-04-01'), '2026-04-01', true],
    [2026, '2026-01-01', true],
    ['2026', '2026-01-01', true],
    ['2026-04-02', '2026-04-01', false],
    ['2026-04-01 10:15:00', '2026-04-01 10:15:00', true],
    ['2026-04-01 10:15:00', '2026-04-01', false],
    [2026, '2026-04-01', false],
  ])('reads the date %s against %s', (actual, expected, same) => {
    expect(sameRows([{ a: actual }], [{ e: expected }])).toBe(same);
  });

  it('tells two columns with the same values apart by the rows', () => {
    const expected = [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
      { a: 3, b: 3 },
    ];
    expect(
      sameRows(
        expected.map(({ a, b }) => ({ x: b, y: a })),
        expected,
      ),
    ).toBe(true);
    expect(
      sameRows(
        [
          { x: 1, y: 1 },
          { x: 2, y: 2 },
          { x: 3, y: 3 },
        ],
        expected,
      ),
    ).toBe(false);
  });

  it('takes the empty result for the empty result', () => {
    expect(sameRows([], [])).toBe(true);
    expect(sameRows([{ a: 1 }], [])).toBe(false);
  });
});

describe('comparisonOf', () => {
  it.each([
    ['SELECT COUNT(*) FROM t', false, false],
    ['SELECT a FROM t ORDER BY a', true, true],
    ['SELECT a, SUM(b) AS s FROM t GROUP BY a\norder  by s DESC LIMIT 5', true, false],
    ['SELECT a FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) AS r FROM t) WHERE r = 1', false, true],
    ['SELECT name FROM t WHERE id NOT IN (SELECT t_id FROM u ORDER BY 1)', false, true],
  ])('reads %s', (sql, ordered, listing) => {
    expect(comparisonOf(sql)).toEqual({ ordered, listing });
  });
});
