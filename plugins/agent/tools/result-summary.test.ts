import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resultForModel } from './result-summary.ts';

const result = (columns: string[], rows: Record<string, unknown>[], notes: string[] = []) => ({
  columns,
  rows,
  truncated: false,
  notes,
});

test('a small result is unchanged', () => {
  const rows = [{ a: 1, b: 'x', c: null }];
  expect(resultForModel(result(['a', 'b', 'c'], rows), 4_096)).toEqual({
    columns: ['a', 'b', 'c'],
    rows,
    rowCount: 1,
    truncated: false,
  });
});

test('an empty result is unchanged', () => {
  expect(resultForModel(result(['a'], []), 4_096)).toEqual({ columns: ['a'], rows: [], rowCount: 0, truncated: false });
});

test('the summary counts every row, not only those shown', () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({ id: i, price: i === 7 ? null : i / 2, name: `n${i}` }));
  const seen = resultForModel(result(['id', 'price', 'name'], rows), 1_024);
  expect(seen.rows).toEqual(rows.slice(0, seen.rows.length));
  expect(seen.summary).toEqual({
    shownRows: seen.rows.length,
    numeric: {
      id: { min: 0, max: 299, sum: 44_850, nulls: 0 },
      price: { min: 0, max: 149.5, sum: 22_421.5, nulls: 1 },
    },
  });
});

test('a truncated result shows no figure over its rows, however few of them are shown', () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({ id: i, price: 7_331 }));
  for (const shown of [rows, rows.slice(0, 3)]) {
    const seen = resultForModel({ ...result(['id', 'price'], shown, ['A value was cut.']), truncated: true }, 1_024);
    expect(JSON.stringify(seen)).not.toContain(`${shown.length * 7_331}`);
    expect(seen.summary).toEqual(shown === rows ? { shownRows: seen.rows.length } : undefined);
    expect(seen.notes).toEqual([expect.stringContaining('a part of the result'), 'A value was cut.']);
  }
  expect(resultForModel(result(['id', 'price'], rows), 1_024).summary?.numeric?.price?.sum).toBe(300 * 7_331);
});

test('the budget counts bytes, not characters', () => {
  const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: '売上'.repeat(10) }));
  const seen = resultForModel(result(['id', 'name'], rows), 2_048);
  expect(Buffer.byteLength(JSON.stringify(seen.rows))).toBeLessThanOrEqual(2_048);
  expect(seen.rows.length).toBeGreaterThan(10);
});

test('the model sees a bounded part of any result', () => {
  const value = fc.oneof(
    fc.string({ maxLength: 2_000 }),
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.bigInt(),
    fc.object(),
  );
  const results = fc
    .uniqueArray(fc.string({ minLength: 1, maxLength: 400 }), { minLength: 1, maxLength: 200 })
    .chain((columns) =>
      fc
        .array(fc.array(value, { minLength: columns.length, maxLength: columns.length }), { maxLength: 5 })
        .map((rows) =>
          result(
            columns,
            rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]))),
          ),
        ),
    );
  fc.assert(
    fc.property(results, (given) => {
      const seen = resultForModel(given, 2_048);
      expect(Buffer.byteLength(JSON.stringify(seen))).toBeLessThan(4 * 2_048);
      expect(seen.rowCount).toBe(given.rows.length);
      expect(seen.rows.length > 0).toBe(given.rows.length > 0);
    }),
    { numRuns: 200 },
  );
});
