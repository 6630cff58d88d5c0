import { expect, test } from 'vitest';
import { renderChart } from './chart.ts';

const table = (rows: Record<string, unknown>[]) => ({ columns: Object.keys(rows[0] ?? {}), rows });

test('bars are as long as the last column of numbers says', () => {
  const rows = [
    { region: 'Europe', orders: 4, revenue: '200.5' },
    { region: 'Asia', orders: 2, revenue: null },
    { region: null, orders: 1, revenue: -50.125 },
  ];
  expect(renderChart(table(rows), 40)?.split('\n')).toEqual([
    'revenue',
    `Europe, 4  ${'█'.repeat(20)} 200.5`,
    'Asia, 2     ',
    `–, 1       ${'░'.repeat(5)} -50.125`,
  ]);
});

test('many rows are cut, and what has no numbers is not drawn', () => {
  const many = Array.from({ length: 35 }, (_, n) => ({ n }));
  expect(renderChart(table(many))?.split('\n').at(-1)).toBe('… 5 more');
  expect(renderChart(table([{ name: 'a' }, { name: '7' }]))).toBeUndefined();
  expect(renderChart({ columns: ['n'], rows: [] })).toBeUndefined();
});

test('nothing in the data steers the terminal', () => {
  expect(renderChart(table([{ name: '\u001b[2J', n: 1 }]))).not.toContain('\u001b');
});
