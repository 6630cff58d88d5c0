import { expect, it } from 'vitest';
import { cellAfter } from './use-cell-keys.ts';

const size = { rowCount: 100, columnCount: 5, pageRows: 10 };

it.each([
  ['ArrowDown', false, { row: 51, column: 2 }],
  ['ArrowUp', false, { row: 49, column: 2 }],
  ['ArrowLeft', false, { row: 50, column: 1 }],
  ['ArrowRight', true, { row: 50, column: 4 }],
  ['ArrowUp', true, { row: 0, column: 2 }],
  ['PageDown', false, { row: 60, column: 2 }],
  ['PageUp', false, { row: 40, column: 2 }],
  ['Home', false, { row: 50, column: 0 }],
  ['Home', true, { row: 0, column: 0 }],
  ['End', true, { row: 99, column: 4 }],
  ['Tab', false, undefined],
  ['constructor', false, undefined],
])('%s, with control %s', (key, hasControl, place) => {
  expect(cellAfter(key, hasControl, { row: 50, column: 2 }, size)).toEqual(place);
});

it('stays inside, but for the headers above', () => {
  const last = { row: 99, column: 4 };
  expect(['ArrowDown', 'ArrowRight', 'PageDown'].map((key) => cellAfter(key, false, last, size))).toEqual([
    last,
    last,
    last,
  ]);
  expect(cellAfter('ArrowUp', false, { row: 0, column: 0 }, size)).toEqual({ row: -1, column: 0 });
});
