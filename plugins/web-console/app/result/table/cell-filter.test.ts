import { expect, it } from 'vitest';
import type { ColumnKind } from '../../../../chart-kit/index.ts';
import { cellFilter } from './cell-filter.ts';

it.each<[ColumnKind, string, readonly unknown[], readonly unknown[]]>([
  ['text', 'or', ['North', 'FORD', 'East', null], ['North', 'FORD']],
  ['text', '', ['a', null], ['a', null]],
  ['text', '—', ['a', null], [null]],
  ['text', '>10', ['>10 %', '20'], ['>10 %']],
  ['text', '[.*', ['[.*]', 'x'], ['[.*]']],
  ['number', '>10', [10, 11, null], [11]],
  ['number', '<=5', [5, 5.1, -3], [5, -3]],
  ['number', '1..5', [0.5, 1, 5, 6], [1, 5]],
  ['number', '..5', [-9, 6], [-9]],
  ['number', '5..', [4, 5], [5]],
  ['number', '=5', [5, 55], [5]],
  ['number', '!=5', [5, 55], [55]],
  ['number', '5', [5, 55, 6], [5, 55]],
  ['number', '>1,000', [999, 1001], [1001]],
  ['number', '>x', [1], []],
  ['digits', '>12345678901234567890', ['12345678901234567890', '12345678901234567891'], ['12345678901234567891']],
  ['date', '>=2024-02', ['2024-01-31', '2024-02-01', '2024-02-15 10:00'], ['2024-02-01', '2024-02-15 10:00']],
  ['date', '2024-01..2024-02', ['2023-12-31', '2024-02-29', '2024-03-01'], ['2024-02-29']],
  ['date', '>2024-01-31', ['2024-01-31 10:00', '2024-02-01'], ['2024-02-01']],
  ['date', '2024-0', ['2024-01-31', '2023-01-01'], ['2024-01-31']],
  ['boolean', 'tr', [true, false], [true]],
  ['json', '"a":1', [{ a: 1 }, { b: 1 }], [{ a: 1 }]],
])('%s %s of %j', (kind, typed, values, passed) => {
  expect(values.filter(cellFilter(typed, { kind }))).toEqual(passed);
});
