import { expect, it } from 'vitest';
import { boundsOf, copiedText, selectionOf } from './copied-cells.ts';

it('one cell runs in no spreadsheet, and stays one there', () => {
  expect(copiedText([['=1+1\t"x"']])).toBe(`"'=1+1\t""x"""`);
  expect(copiedText([['a\nb']])).toBe('"a\nb"');
  expect(copiedText([[900]])).toBe('900');
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

it('rows outside of the range have nothing of it', () => {
  const range = { from: { row: 4, column: 0 }, to: { row: 1, column: 2 } };
  expect([0, 1, 2, 5].map((row) => selectionOf(range, row))).toEqual([
    { activeColumn: undefined, from: undefined, to: undefined },
    { activeColumn: 2, from: 0, to: 2 },
    { activeColumn: undefined, from: 0, to: 2 },
    { activeColumn: undefined, from: undefined, to: undefined },
  ]);
});
