import { expect, it } from 'vitest';
import { columnsOf, type ResultRow } from '../columns.ts';
import { chooseChart } from './chart-spec.ts';

function chosen(columns: readonly string[], values: readonly (readonly unknown[])[]) {
  const rows: ResultRow[] = values.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  const rest = { rowCount: rows.length, truncated: false, sql: '', executedSql: '', connectionId: '', durationMs: 0 };
  return chooseChart(columnsOf({ columns: [...columns], rows, ...rest }), rows);
}

it.each([
  [
    'a date and a number',
    ['day', 'revenue'],
    [
      ['2024-01', 1],
      ['2024-02', 2],
    ],
    { mark: 'line', x: 0, y: [1], aggregate: 'sum' },
  ],
  [
    'a year and a number',
    ['n', 'year'],
    [
      [5, 2023],
      [6, 2024],
    ],
    { mark: 'line', x: 1, y: [0] },
  ],
  [
    'one date',
    ['day', 'revenue'],
    [
      ['2024-01', 1],
      ['2024-01', 3],
    ],
    { mark: 'bar', x: 0 },
  ],
  [
    'a date, a text and a number',
    ['day', 'region', 'n'],
    [
      ['2024-01', 'N', 1],
      ['2024-01', 'S', 2],
      ['2024-02', 'S', 2],
    ],
    { mark: 'line', series: 1 },
  ],
  [
    'a date and two numbers',
    ['day', 'a', 'b'],
    [
      ['2024-01', 1, 2],
      ['2024-02', 2, 3],
    ],
    { mark: 'line', y: [1, 2], series: undefined },
  ],
  [
    'numbers of another size',
    ['day', 'a', 'b'],
    [
      ['2024-01', 1, 2e6],
      ['2024-02', 2, 3e6],
    ],
    { y: [1] },
  ],
  [
    'a text and a number',
    ['region', 'revenue'],
    [
      ['N', 1],
      ['S', 2],
    ],
    { mark: 'bar', x: 0, y: [1], aggregate: 'sum' },
  ],
  [
    'an average',
    ['region', 'avg_price'],
    [
      ['N', 1],
      ['S', 2],
    ],
    { mark: 'bar', aggregate: 'mean' },
  ],
  [
    'an id and a number',
    ['customer_id', 'revenue'],
    [
      [7, 1],
      [8, 2],
    ],
    { mark: 'bar', x: 0, y: [1] },
  ],
  [
    'two numbers',
    ['height', 'weight'],
    [
      [1, 2],
      [2, 3],
    ],
    { mark: 'point', x: 0, y: [1] },
  ],
  ['a repeated text', ['region'], [['N'], ['N'], ['S']], { mark: 'bar', y: [], aggregate: 'count' }],
])('%s', (_name, columns, rows, spec) => {
  expect(chosen(columns, rows)).toMatchObject({ chart: spec });
});

it('one number says it all', () => {
  expect(chosen(['year', 'total'], [[2024, 5]])).toEqual({ number: { column: 1 } });
});

it.each([
  [['a'], []],
  [['name'], [['a'], ['b']]],
  [['details'], [[{ a: 1 }], [{ a: 2 }]]],
  [['n'], [[1], [2]]],
])('nothing fits %j %j', (columns, rows) => {
  expect(chosen(columns, rows)).toBeUndefined();
});
