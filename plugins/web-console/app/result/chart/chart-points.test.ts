import { expect, it } from 'vitest';
import { columnsOf, type ResultRow } from '../columns.ts';
import { chartPoints } from './chart-points.ts';
import { chartSentence } from './chart-sentence.ts';
import type { ChartSpec } from './chart-spec.ts';

function made(spec: Partial<ChartSpec>, names: readonly string[], values: readonly (readonly unknown[])[]) {
  const rows: ResultRow[] = values.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  const rest = { rowCount: rows.length, truncated: false, sql: '', executedSql: '', connectionId: '', durationMs: 0 };
  const columns = columnsOf({ columns: [...names], rows, ...rest });
  const whole: ChartSpec = { mark: 'bar', x: 0, y: [1], series: undefined, aggregate: 'sum', ...spec };
  const drawn = chartPoints(whole, columns, rows);
  return { drawn, sentence: chartSentence(whole, columns, drawn), pairs: drawn.points.map(({ x, y }) => [x, y]) };
}

it('bars are combined and sorted by their value', () => {
  const { pairs, sentence } = made(
    {},
    ['region', 'n'],
    [
      ['a', 1],
      ['b', 5],
      ['a', 2],
      [null, 4],
      ['c', null],
    ],
  );
  expect(pairs).toEqual([
    ['b', 5],
    ['NULL', 4],
    ['a', 3],
  ]);
  expect(sentence).toBe('Bars: n by region. Highest b: 5; lowest a: 3.');
});

it.each([
  ['mean', 1.5],
  ['min', 1],
  ['max', 2],
  ['count', 2],
] as const)('%s', (aggregate, value) => {
  expect(
    made(
      { aggregate },
      ['region', 'n'],
      [
        ['a', 1],
        ['a', 2],
      ],
    ).pairs,
  ).toEqual([['a', value]]);
});

it('lines go along time', () => {
  const { drawn } = made(
    { mark: 'line' },
    ['day', 'n'],
    [
      ['2024-02', '1'],
      ['2024-01', 3],
    ],
  );
  expect(drawn).toMatchObject({
    xScale: 'time',
    points: [
      { x: Date.UTC(2024, 0), y: 3 },
      { x: Date.UTC(2024, 1), y: 1 },
    ],
  });
});

it('several measures are series, and so is a split', () => {
  const days = [
    ['2024-01', 1, 2],
    ['2024-02', 3, 4],
  ];
  expect(made({ mark: 'line', y: [1, 2] }, ['day', 'a', 'b'], days).drawn.series).toEqual(['a', 'b']);
  const split = made(
    { series: 2 },
    ['region', 'n', 'kind'],
    [
      ['a', 1, 'x'],
      ['a', 2, null],
    ],
  );
  expect(split.drawn).toMatchObject({ series: ['x', 'NULL'], points: [{ s: 'x' }, { s: 'NULL' }] });
});

it('says how many are shown of more', () => {
  const rows = Array.from({ length: 60 }, (_, at) => [`r${at}`, at]);
  const { drawn, sentence } = made({}, ['region', 'n'], rows);
  expect(drawn.points).toHaveLength(50);
  expect(sentence).toContain('First 50 of 60 shown.');
  const { drawn: pie, sentence: pieSentence } = made({ mark: 'pie' }, ['region', 'n'], rows);
  expect(pieSentence).toContain('Highest r59: 59; lowest r53: 53.');
  expect(pie.points).toHaveLength(8);
  expect(pie.points.at(-1)).toMatchObject({
    x: 'Other',
    y: rows.slice(0, 53).reduce((sum, [, n]) => sum + Number(n), 0),
  });
  const many = made(
    { series: 2 },
    ['region', 'n', 's'],
    rows.map(([, n], at) => ['a', n, `s${at}`]),
  );
  expect(many.sentence).toContain('8 of 60 series shown.');
});

it('hostile labels are cut, made visible and kept apart', () => {
  const { drawn } = made(
    {},
    ['region', 'n'],
    [
      [`${'x'.repeat(100)}1`, 2],
      [`${'x'.repeat(100)}2`, 1],
      ['a\u202eb', 3],
    ],
  );
  const cut = `${'x'.repeat(59)}…`;
  expect(drawn.points.map(({ x }) => x)).toEqual(['aU+202Eb', cut, `${cut} (2)`]);
});

it('a pie of values below zero is refused, and says so', () => {
  const rows = [
    ['a', 5],
    ['b', -2],
  ];
  const { drawn, sentence } = made({ mark: 'pie' }, ['region', 'n'], rows);
  expect(drawn).toMatchObject({ points: [], isRefused: true });
  expect(sentence).toBe('Pie: n by region. A pie cannot show values below zero. Choose bars instead.');
  expect(made({}, ['region', 'n'], rows).drawn).toMatchObject({ shown: 2, isRefused: false });
});

it('draws no more points than a page can bear, however many series there are', () => {
  const rows = Array.from({ length: 16_000 }, (_, at) => [at >> 3, 1, `s${at % 8}`]);
  const { drawn } = made({ mark: 'line', series: 2 }, ['n', 'v', 's'], rows);
  expect(drawn).toMatchObject({ shown: 625, all: 2_000 });
  expect(drawn.points).toHaveLength(5_000);
});
