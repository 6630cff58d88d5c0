import { expect, it } from 'vitest';
import { boundsOf, copiedText } from './copied-cells.ts';

it('one cell is copied as it is', () => {
  expect(copiedText([['=1+1\t"x"']])).toBe('=1+1\t"x"');
  expect(copiedText([[{ a: 1 }]])).toBe('{"a":1}');
  expect(copiedText([[null]])).toBe('');
});

it('several are tab-separated and run in no spreadsheet', () => {
  expect(
    copiedText([
      ['a', -1.5],
      ['=1+1', 'two\nlines'],
    ]),
  ).toBe('a\t-1.5\n\'=1+1\t"two\nlines"');
});

it('a range may be drawn from any corner', () => {
  const bounds = { firstRow: 1, lastRow: 4, firstColumn: 0, lastColumn: 2 };
  expect(boundsOf({ from: { row: 4, column: 0 }, to: { row: 1, column: 2 } })).toEqual(bounds);
});
