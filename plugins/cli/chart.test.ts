import { expect, test } from 'vitest';
import { renderChart } from './chart.ts';

const table = (rows: Record<string, unknown>[]) => ({ columns: Object.keys(rows[0] ?? {}), rows });

test('bars are those of the chart that fits the columns', () => {
  const rows = [
    { region: 'Europe', revenue: 200.5 },
    { region: 'Asia', revenue: null },
    { region: null, revenue: -50.125 },
    { region: 'Africa', revenue: 401 },
  ];
  expect(renderChart(table(rows), 40)?.split('\n')).toEqual([
    'revenue',
    `Africa  ${'█'.repeat(23)} 401`,
    `Europe  ${'█'.repeat(11)}▌ 200.5`,
    `NULL    ${'░'.repeat(3)} -50.125`,
  ]);
  const split = ['x', 'y'].map((kind, at) => ({ day: '2024-01-01', kind, n: at + 1 }));
  expect(renderChart(table(split))).toMatch(/^n\n2024-01-01, x +█+ 1\n2024-01-01, y +█+ 2$/);
});

test('where no chart fits, each row is as long as the last column of numbers says', () => {
  expect(renderChart(table([{ a: 1, total: 2 }]), 40)?.split('\n')).toEqual(['total', `1  ${'█'.repeat(34)} 2`]);
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
