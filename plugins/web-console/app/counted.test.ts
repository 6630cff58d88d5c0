import { expect, it } from 'vitest';
import { bytes, counted, milliseconds } from './counted.ts';

it('takes the form of the word that fits, and groups digits', () => {
  expect([0, 1, 2].map((count) => counted(count, 'row', 'rows'))).toEqual(['0 rows', '1 row', '2 rows']);
  expect(counted(1_000, 'row', 'rows')).toBe(`${(1_000).toLocaleString()} rows`);
});

it('writes tenths of short durations alone', () => {
  expect([0, 12.34, 1_234.5].map(milliseconds)).toEqual(['0 ms', '12 ms', `${(1_235).toLocaleString()} ms`]);
  expect(milliseconds(1.25)).toBe(`${(1.3).toLocaleString()} ms`);
});

it.each([
  [0, 0, 'byte'],
  [999, 999, 'byte'],
  [1_500, 1.5, 'kilobyte'],
  [2_000_000, 2, 'megabyte'],
  [12_345_000_000_000, 12_345, 'gigabyte'],
])('writes %i bytes in a unit that shows them', (size, count, unit) => {
  expect(bytes(size)).toBe(count.toLocaleString(undefined, { style: 'unit', unit }));
});
