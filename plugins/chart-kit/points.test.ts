import { expect, it } from 'vitest';
import { drawChart } from './drawing.ts';
import { drawnTable } from './drawn-chart.ts';
import { axisText } from './number-text.ts';
import type { ChartSpec } from './spec.ts';
import { svgText } from './svg.ts';
import type { ResultRow } from './values.ts';

function made(spec: Partial<ChartSpec>, names: readonly string[], values: readonly (readonly unknown[])[]) {
  const rows: ResultRow[] = values.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  const [x = '', y = ''] = names;
  const whole: ChartSpec = { mark: 'bar', x, y: [y], aggregate: 'sum', sort: 'value', stack: false, ...spec };
  const { drawn, words } = drawnTable(whole, { columns: names, rows }, 'en');
  return { drawn, sentence: words.sentence, pairs: drawn.points.map(({ x, y }) => [x, y]) };
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
  expect(made({ mark: 'line', y: ['a', 'b'] }, ['day', 'a', 'b'], days).drawn.series).toEqual(['a', 'b']);
  const split = made(
    { series: 'kind' },
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
    { series: 's' },
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

it('thousands of labels that are cut to the same text are told apart', () => {
  const rows = Array.from({ length: 1_500 }, (_, at) => [`${'x'.repeat(100)}${at}`, at]);
  const { drawn } = made({ mark: 'line', sort: 'rows' }, ['region', 'n'], [...rows.slice(0, 2), ['x (2)', 0], ...rows]);
  expect(new Set(drawn.points.map(({ x }) => x)).size).toBe(1_501);
  expect(drawn.points.at(-1)?.x).toBe(`${'x'.repeat(59)}… (1500)`);
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

it('a pie has one part a place, whatever splits it', () => {
  const rows = [
    ['a', 1, 'x'],
    ['a', 2, 'y'],
    ['b', 4, 'x'],
  ];
  expect(made({ mark: 'pie', series: 'kind' }, ['region', 'n', 'kind'], rows).pairs).toEqual([
    ['b', 4],
    ['a', 3],
  ]);
});

it('draws no more points than a page can bear, however many series there are', () => {
  const rows = Array.from({ length: 16_000 }, (_, at) => [at >> 3, 1, `s${at % 8}`]);
  const { drawn } = made({ mark: 'line', series: 's' }, ['n', 'v', 's'], rows);
  expect(drawn).toMatchObject({ shown: 625, all: 2_000 });
  expect(drawn.points).toHaveLength(5_000);
});

it('places stand along the axis, the largest first, or as in the table', () => {
  const rows = [
    ['b', 2],
    ['c', 1],
    ['a', 3],
  ];
  const places = (sort: ChartSpec['sort']) => made({ sort }, ['region', 'n'], rows).pairs.map(([x]) => x);
  expect([places('x'), places('value'), places('rows')]).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
    ['b', 'c', 'a'],
  ]);
  expect(
    made(
      { mark: 'line', sort: 'rows' },
      ['day', 'n'],
      [
        ['2024-02', 1],
        ['2024-01', 2],
      ],
    ).pairs[0]?.[1],
  ).toBe(2);
});

it.each([
  ['number', 1_234_567.5, '1,234,567.5'],
  ['compact', 1_234_567.5, '1.23M'],
  ['percent', 0.1234, '12.34%'],
  ['number', 1e308, '1.000e+308'],
  ['number', 2e-7, '2.000e-7'],
] as const)('as %s, %s is %s', (format, value, text) => {
  expect(made({ format }, ['region', 'n'], [['a', value]]).drawn.points[0]?.t).toBe(`a: ${text}`);
});

it('values are written with the formats of their columns, as in tables', () => {
  const formats = {
    revenue: { style: 'currency', unit: 'EUR' },
    cost: { style: 'currency', unit: 'EUR' },
    share: { style: 'percent' },
    wait: { style: 'duration', unit: 'minutes' },
  } as const;
  const rows = [
    { month: 'a', revenue: 401_073.081, cost: 5, share: 12.5, wait: 80 },
    { month: 'b', revenue: 2, cost: 9, share: 3, wait: 90 },
  ];
  const columns = ['month', ...Object.keys(formats)];
  const drawn = (y: string[], spec: Partial<ChartSpec> = {}) =>
    drawnTable(
      { mark: 'bar', x: 'month', y, aggregate: 'sum', sort: 'x', stack: false, ...spec },
      { columns, rows, formats },
      'en',
    );
  const first = (...args: Parameters<typeof drawn>) => drawn(...args).drawn.points[0]?.t;
  expect(drawn(['revenue']).words.sentence).toBe(
    'Bars: revenue by month. Highest a: 401,073.08 EUR; lowest b: 2.00 EUR.',
  );
  expect(first(['share'])).toBe('a: 12.50 %');
  expect(first(['wait'], { mark: 'line' })).toBe('a: 1 h 20 min');
  expect(
    drawn(['revenue', 'wait'])
      .drawn.points.map(({ t }) => t)
      .slice(0, 2),
  ).toEqual(['a, revenue: 401,073.08 EUR', 'a, wait: 1 h 20 min']);
  // Rows are counted, whatever the values are; and the chart itself may say another.
  expect(first(['revenue'], { aggregate: 'count' })).toBe('a: 1');
  expect(first(['revenue'], { format: 'compact' })).toBe('a: 401.07K');
  // Several columns have one axis, which has a unit only where it is theirs.
  const axisOf = (...args: Parameters<typeof drawn>) => {
    const chart = drawn(...args);
    return [0, 250_000].map((value) => axisText(value, chart.format, 'en'));
  };
  expect(axisOf(['revenue', 'cost'])).toEqual(['0 EUR', '250K EUR']);
  expect(axisOf(['revenue', 'share'])).toEqual(['0', '250K']);
  expect(svgText(drawChart(drawn(['revenue'])))).toContain('>200K EUR<');
  expect(svgText(drawChart(drawn(['revenue'], { mark: 'point', x: 'share' })))).toMatch(/>\d+ %|\.\d+ %</);
});
