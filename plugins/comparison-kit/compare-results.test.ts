/** Tests which results count as equal, and what is said of those that do not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ComparedResult, resultDifference, unordered } from './compare-results.ts';
import { inGivenOrder } from './gold-order.ts';

type Rows = readonly (readonly unknown[])[];

/** A result with the columns a, b, c, … */
function result(
  rows: Rows,
  columns = (rows[0] ?? []).map((_, index) => String.fromCharCode(97 + index)),
): ComparedResult {
  return { columns, rows: rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]]))) };
}

const difference = (actual: Rows, expected: Rows) => resultDifference(result(actual), unordered(result(expected)));
const orderDifference = (actual: Rows, expected: Rows) =>
  resultDifference(result(actual), inGivenOrder(result(expected)));

describe('values are equal', () => {
  it.each([
    [1, 1.0000005],
    ['12.50', 12.5],
    ['12.50', '12.5'],
    [12345678901234567890n, '12345678901234567890'],
    [true, 1],
    [-0, 0],
    [2.3e-13, 0],
    ['2025-03-01', '2025-03-01T00:00:00.000Z'],
    ['2025-03-01 10:30:00', '2025-03-01T10:30:00Z'],
    ['2025-03-01 10:30:00.500', '2025-03-01T10:30:00.5+00'],
    ['2025-03-01T12:30:00+02:00', '2025-03-01 10:30:00'],
    [new Date('2025-03-01T00:00:00Z'), '2025-03-01'],
    ['2025-03', '2025-03-01'],
    ['2025-Q2', '2025-04-01'],
    [null, undefined],
  ])('%s and %s', (a, b) => {
    expect(difference([[a]], [[b]])).toBeUndefined();
    expect(difference([[b]], [[a]])).toBeUndefined();
  });

  it('years as numbers and as dates, months as numbers and with two digits', () => {
    expect(difference([[2024], [2025]], [['2025-01-01'], ['2024-01-01']])).toBeUndefined();
    expect(difference([[1], [12]], [['01'], ['12']])).toBeUndefined();
  });
});

describe('values differ', () => {
  it.each([
    [null, 0],
    [null, ''],
    [0, ''],
    [1, 1.00001],
    [0, 0.0001],
    ['a', 'A'],
    ['007', 7],
    ['2025-03-01', '2025-03-02'],
    ['2025-03-01', '2025-03-01 00:00:01'],
  ])('%s and %s', (a, b) => {
    expect(difference([[a]], [[b]])).toBeDefined();
    expect(difference([[b]], [[a]])).toBeDefined();
  });
});

describe('rows', () => {
  it('are equal in any order, with names and order of columns as they like', () => {
    const expected = result(
      [
        ['North', 2.5],
        ['South', 1],
      ],
      ['region', 'revenue'],
    );
    const actual = result(
      [
        [1, 'South'],
        [2.5, 'North'],
      ],
      ['sum', 'r'],
    );
    expect(resultDifference(actual, unordered(expected))).toBeUndefined();
  });

  it('count as often as they come', () => {
    expect(difference([['a'], ['a'], ['b']], [['a'], ['b'], ['b']])).toBeDefined();
    expect(difference([['a'], ['b'], ['a']], [['a'], ['a'], ['b']])).toBeUndefined();
  });

  it('keep their values together', () => {
    expect(
      difference(
        [
          ['a', 2],
          ['b', 1],
        ],
        [
          ['a', 1],
          ['b', 2],
        ],
      ),
    ).toBe('The values are there, but in other rows: no row of the answer is ("a", 1).');
  });

  it('may have further columns, never fewer', () => {
    expect(
      difference(
        [
          ['x', 1],
          ['y', 2],
        ],
        [[1], [2]],
      ),
    ).toBeUndefined();
    expect(
      difference(
        [[1], [2]],
        [
          [1, 'x'],
          [2, 'y'],
        ],
      ),
    ).toBe('No column of the answer has the values of "b": no row of the answer is (1, "x").');
  });

  it('one column cannot stand for two', () => {
    expect(
      difference(
        [[1], [2]],
        [
          [1, 1],
          [2, 2],
        ],
      ),
    ).toBeDefined();
  });

  it('are told apart among many columns with the same values', () => {
    const bit = (row: number, column: number) => (Math.imul(row * 31 + column + 7, 2_654_435_761) >>> 13) & 1;
    const rows = Array.from({ length: 256 }, (_, row) => Array.from({ length: 14 }, (_, column) => bit(row, column)));
    expect(
      difference(
        rows.map((row) => row.toReversed()),
        rows,
      ),
    ).toBeUndefined();
    const wrong = rows.map((row, index) => (index === 0 ? row.map((value) => 1 - value) : row));
    expect(difference(wrong, rows)).toBeDefined();
  });

  it('are counted', () => {
    expect(difference([[1], [2]], [[1]])).toBe('Expected 1 row, got 2.');
    expect(difference([], [[1], [2]])).toBe('Expected 2 rows, got 0.');
    expect(difference([], [])).toBeUndefined();
  });

  it('in a fixed order are told from the same rows in another', () => {
    expect(orderDifference([[3], [2], [1]], [[3], [2], [1]])).toBeUndefined();
    expect(orderDifference([[3], [1], [2]], [[3], [2], [1]])).toBe(
      'The rows are right, but not in the order of the expected statement: row 2 is (1), expected (2).',
    );
  });

  it('long values are cut in what is said', () => {
    expect(difference([['x']], [['y'.repeat(1_000)]])?.length).toBeLessThan(300);
  });
});

describe('whatever the rows are', () => {
  const cell = fc.oneof(
    fc.constant(null),
    fc.integer({ min: -5, max: 5 }),
    fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
    fc.string(),
  );
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 12 });

  it('a number at the edge of the tolerance around an integer is equal to its neighbour beyond', () => {
    expect(difference([[229696.2297], [0]], [[229696.2067], [0]])).toBeUndefined();
  });

  it('shuffled rows and columns with tiny errors are equal', () => {
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat()), (expected, stream) => {
        const next = () => stream.next().value;
        const noise = (value: unknown) => (typeof value === 'number' ? value * (1 + ((next() % 3) - 1) * 1e-7) : value);
        const actual = expected
          .map((row) => ({ row: [row[2], row[0], row[1]].map(noise), at: next() }))
          .sort((a, b) => a.at - b.at)
          .map(({ row }) => row);
        return difference(actual, expected) === undefined;
      }),
    );
  });

  it('a changed value is noticed', () => {
    fc.assert(
      fc.property(rows, fc.nat(), (expected, at) => {
        const changed = expected.map((row, index) =>
          index === at % expected.length ? [row[0], row[1], 'something else'] : [...row],
        );
        fc.pre(!expected.some((row) => row.includes('something else')));
        return difference(changed, expected) !== undefined;
      }),
    );
  });
});
