import { expect, it } from 'vitest';
import { chooseChart, fitsTable } from './choice.ts';
import type { ChartSpec } from './spec.ts';
import type { ResultRow } from './values.ts';

function chosen(columns: readonly string[], values: readonly (readonly unknown[])[]) {
  const rows: ResultRow[] = values.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  return chooseChart({ columns, rows });
}

it.each([
  [
    'a date and a number',
    ['day', 'revenue'],
    [
      ['2024-01', 1],
      ['2024-02', 2],
    ],
    { mark: 'line', x: 'day', y: ['revenue'], aggregate: 'sum', sort: 'x', stack: false },
  ],
  [
    'a year and a number',
    ['n', 'year'],
    [
      [5, 2023],
      [6, 2024],
    ],
    { mark: 'line', x: 'year', y: ['n'] },
  ],
  [
    'one date',
    ['day', 'revenue'],
    [
      ['2024-01', 1],
      ['2024-01', 3],
    ],
    { mark: 'bar', x: 'day', sort: 'x' },
  ],
  [
    'a date, a text and a number',
    ['day', 'region', 'n'],
    [
      ['2024-01', 'N', 1],
      ['2024-01', 'S', 2],
      ['2024-02', 'S', 2],
    ],
    { mark: 'line', series: 'region' },
  ],
  [
    'a date and two numbers',
    ['day', 'a', 'b'],
    [
      ['2024-01', 1, 2],
      ['2024-02', 2, 3],
    ],
    { mark: 'line', y: ['a', 'b'] },
  ],
  [
    'numbers of another size',
    ['day', 'a', 'b'],
    [
      ['2024-01', 1, 2e6],
      ['2024-02', 2, 3e6],
    ],
    { y: ['a'] },
  ],
  [
    'a text and a number',
    ['region', 'revenue'],
    [
      ['N', 1],
      ['S', 2],
    ],
    { mark: 'bar', x: 'region', y: ['revenue'], aggregate: 'sum', sort: 'value' },
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
    { mark: 'bar', x: 'customer_id', y: ['revenue'] },
  ],
  [
    'two numbers',
    ['height', 'weight'],
    [
      [1, 2],
      [2, 3],
    ],
    { mark: 'point', x: 'height', y: ['weight'] },
  ],
  ['a repeated text', ['region'], [['N'], ['N'], ['S']], { mark: 'bar', x: 'region', y: [], aggregate: 'count' }],
])('%s', (_name, columns, rows, spec) => {
  expect(chosen(columns, rows)).toMatchObject({ chart: spec });
});

it('one number says it all', () => {
  expect(chosen(['year', 'total'], [[2024, 5]])).toEqual({ number: 'total' });
});

it.each([
  [['a'], []],
  [['name'], [['a'], ['b']]],
  [['details'], [[{ a: 1 }], [{ a: 2 }]]],
  [['n'], [[1], [2]]],
])('nothing fits %j %j', (columns, rows) => {
  expect(chosen(columns, rows)).toBeUndefined();
});

it('looks at the first 200 rows, and at no column of a very long name', () => {
  const late = Array.from({ length: 1_000 }, (_, at) => [`r${at % 3}`, at < 300 ? at : 'text']);
  expect(chosen(['region', 'n'], late)).toMatchObject({ chart: { mark: 'bar', x: 'region', y: ['n'] } });
  expect(
    chosen(
      ['x'.repeat(201), 'n'],
      [
        ['a', 1],
        ['a', 2],
      ],
    ),
  ).toBeUndefined();
});

it('series stand on each other where their sum says something', () => {
  const rows = [
    ['N', 'a', 1],
    ['N', 'b', 2],
    ['S', 'a', 3],
  ];
  expect(chosen(['region', 'kind', 'n'], rows)).toMatchObject({ chart: { series: 'kind', stack: true } });
  expect(chosen(['region', 'kind', 'avg_n'], rows)).toMatchObject({ chart: { series: 'kind', stack: false } });
});

it('a chart fits the table that has its columns', () => {
  const choice = chooseChart({
    columns: ['day', 'n'],
    rows: [
      { day: '2024-01', n: 1 },
      { day: '2024-02', n: 2 },
    ],
  });
  const chart = choice && 'chart' in choice ? choice.chart : undefined;
  expect(chart).toBeDefined();
  expect(fitsTable(chart as ChartSpec, { columns: ['n', 'day'] })).toBe(true);
  expect(fitsTable(chart as ChartSpec, { columns: ['day'] })).toBe(false);
});
