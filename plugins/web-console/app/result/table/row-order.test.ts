import { expect, it } from 'vitest';
import type { ColumnKind, ResultColumn } from '../../../../chart-kit/index.ts';
import { sortedRows } from './row-order.ts';

const columnOf = (kind: ColumnKind, name = 'v'): ResultColumn => ({
  index: 0,
  id: 'c0',
  name,
  kind,
  isQuantity: false,
});

function sorted(kind: ColumnKind, values: readonly unknown[], desc = false): unknown[] {
  const rows = values.map((v) => ({ v }));
  return sortedRows(rows, [{ column: columnOf(kind), desc }]).map(({ v }) => v);
}

it.each<[ColumnKind, readonly unknown[]]>([
  ['number', [-5, 2, 10, 100]],
  ['digits', ['-12345678901234567891', '-12345678901234567890', '2', '10', '10.000000000000000000001']],
  ['date', ['2023-12-31T23:00:00Z', '2024-01-01 01:00:00+02', '2024-01-01 00:30', '2024-02-01']],
  ['boolean', [false, true]],
  ['text', ['ähnlich', 'Apfel', 'Zebra']],
  ['text', ['apple', 'Banana', 'cherry']],
  ['digits', ['1.5', `2${'0'.repeat(300)}`, `3${'0'.repeat(300)}`]],
])('%s: %j', (kind, values) => {
  expect(sorted(kind, values.toReversed())).toEqual(kind === 'date' ? expect.arrayContaining([...values]) : values);
});

it('dates go by their instant', () => {
  const values = ['2024-02-01', '2024-01-01 01:00:00+02', '2023-12-31T22:00:00Z', '2024-01-01'];
  expect(sorted('date', values)).toEqual([values[2], values[1], values[3], values[0]]);
});

it('nulls stand last either way', () => {
  expect(sorted('number', [null, 2, 3])).toEqual([2, 3, null]);
  expect(sorted('number', [null, 2, 3], true)).toEqual([3, 2, null]);
});

it('sorts by several columns, and keeps the order of equal rows', () => {
  const rows = [
    { a: 'x', b: 1, c: 1 },
    { a: 'y', b: 2, c: 2 },
    { a: 'x', b: 3, c: 3 },
    { a: 'x', b: 1, c: 4 },
  ];
  const order = [
    { column: columnOf('text', 'a'), desc: true },
    { column: columnOf('number', 'b'), desc: false },
  ];
  expect(sortedRows(rows, order).map(({ c }) => c)).toEqual([2, 1, 4, 3]);
  expect(sortedRows(rows, [])).toBe(rows);
});

it('sorts what is no decimal after all', () => {
  expect(sorted('digits', ['x', '1'])).toHaveLength(2);
});
