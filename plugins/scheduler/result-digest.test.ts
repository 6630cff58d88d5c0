import { expect, it } from 'vitest';
import { kitDialect } from '../sql-kit/index.ts';
import { type ComparedTable, resultDigest } from './result-digest.ts';

const mysql = await kitDialect('mysql');

const table = (rows: readonly (readonly unknown[])[], more: Partial<ComparedTable> = {}): ComparedTable => {
  const { columns = ['region', 'total'] } = more;
  return {
    sql: 'SELECT region, SUM(x) AS total FROM t GROUP BY region',
    columns,
    truncated: false,
    rows: rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))),
    ...more,
  };
};
const ROWS = [
  ['north', 1.5],
  ['south', 2],
] as const;
const same = (one: ComparedTable | ComparedTable[], other: ComparedTable | ComparedTable[]) =>
  resultDigest([one].flat()) === resultDigest([other].flat());

it('changes with rows, columns and whether there are more', () => {
  expect(same(table(ROWS), table(ROWS))).toBe(true);
  for (const other of [
    table([ROWS[0]]),
    table([...ROWS, ROWS[1]]),
    table([ROWS[0], ['south', 3]]),
    table([ROWS[0], ['south', '2']]),
    table([ROWS[0], ['south', null]]),
    table(ROWS, { columns: ['region', 'sum'] }),
    table(ROWS, { columns: ['region'] }),
    table(ROWS, { truncated: true }),
    table([['north,1.5', 2]]),
  ])
    expect(same(table(ROWS), other)).toBe(false);
});

it('is the same for numbers that differ in the digits that sums lose, and for no greater difference', () => {
  const digest = (value: unknown) => resultDigest([table([['all', value]])]);
  expect(digest(0.1 + 0.2)).toBe(digest(0.3));
  expect(digest(2.9999999999999996)).toBe(digest(3));
  expect(digest(1234.56 * (1 + 1e-14))).toBe(digest(1234.56));
  for (const [one, other] of [
    [1234.56, 1234.56 * (1 + 1.1e-9)],
    [9.87654321, 9.87654321 * (1 + 1.1e-9)],
    [1e-20, 1.1e-20],
    [9_007_199_254_740_990, 9_007_199_254_740_991],
    ['9007199254740993', '9007199254740994'],
    [{ a: [0.5] }, { a: [0.6] }],
  ])
    expect(digest(one)).not.toBe(digest(other));
  expect(digest({ a: [0.1 + 0.2] })).toBe(digest({ a: [0.3] }));
});

it.each([
  ['SELECT region, total FROM t', false],
  ['SELECT region, total FROM t order\n by total', true],
  ['SELECT region, total FROM (SELECT * FROM t ORDER BY x LIMIT 5) AS t', false],
  ['SELECT region, SUM(x) OVER (ORDER BY y) AS total FROM t', false],
  ["SELECT region, ') ORDER BY' AS total FROM t -- ORDER BY 1", false],
  ['SELECT "order", (total) FROM t ORDER BY (total)', true],
])('%s: the order of rows counts: %s', (sql, counts) => {
  expect(same(table(ROWS, { sql }), table(ROWS.toReversed(), { sql }))).toBe(!counts);
});

it('reads a statement as its dialect does', () => {
  const sql = String.raw`SELECT '\' ORDER BY \'' AS region, total FROM t`;
  const { notation } = mysql;
  expect(same(table(ROWS, { sql, notation }), table(ROWS.toReversed(), { sql, notation }))).toBe(true);
});

it('does not go by the order of statements, nor by how often one ran', () => {
  const [one, other] = [table(ROWS), table([['all', 3.5]])];
  expect(same([one, other], [other, one, one])).toBe(true);
  expect(same([one, other], [one])).toBe(false);
});
