import { expect, it } from 'vitest';
import { contributions } from './contributions.ts';
import { windowsOf } from './explain-change.ts';
import { holtWinters } from './holt-winters.ts';
import { sidesOf } from './measure.ts';
import { periodBefore, periodOf, periodText } from './periods.ts';

it.each([
  ['2025', '2025-01-01', '2026-01-01', '2024'],
  ['2025-Q1', '2025-01-01', '2025-04-01', '2024-Q4'],
  ['2024-02', '2024-02-01', '2024-03-01', '2024-01'],
  ['2025-01..2025-06', '2025-01-01', '2025-07-01', '2024-Q3..2024-Q4'],
  ['2025-03-03..2025-03-16', '2025-03-03', '2025-03-17', '2025-02-17..2025-03-02'],
  ['2025-03-14', '2025-03-14', '2025-03-15', '2025-03-13'],
])('%s is from %s to before %s, and follows %s', (text, from, to, before) => {
  expect(periodOf(text)).toMatchObject({ from, to });
  expect(periodBefore(periodOf(text)).text).toBe(before);
  expect(periodOf(periodText(from, to))).toMatchObject({ from, to });
});

it.each(['2025-13', '2025-02-30', 'March', '2025-06..2025-01', '2025..2026..2027', ''])('%j is no period', (text) => {
  expect(() => periodOf(text)).toThrow('is no period');
});

it.each([
  ['100.0 * SUM(a) / COUNT(*)', ['100.0 * SUM(a)', 'COUNT(*)']],
  ['SUM(a) / NULLIF(SUM(b) + 1, 0) * 100', ['100 * SUM(a)', 'NULLIF(SUM(b) + 1, 0)']],
  ["SUM(CASE WHEN kind = 'a/b' THEN x / 2 END)", undefined],
  ['SUM(a) + SUM(b) / SUM(c)', ['', '']],
  ['SUM(a) / SUM(b) / SUM(c)', ['', '']],
])('%s has the sides %j', (sql, sides) => {
  expect(sidesOf(sql)).toEqual(sides);
});

it('compares a year with the months between and before', () => {
  const { grain, count, byUnit, range } = windowsOf(periodOf('2025-03'), periodOf('2024-03'));
  expect({ grain, count, range }).toEqual({
    grain: 'month',
    count: 14,
    range: { from: '2024-02-01', to: '2025-04-01' },
  });
  expect(new Set(byUnit?.values()).size).toBe(14);
});

it('a ratio changes by exactly its rate and mix effects, also of values that come and go', () => {
  const values = [
    { value: 'a', x: [30, 10], d: [100, 50] },
    { value: 'new', x: [5, 0], d: [50, 0] },
    { value: 'gone', x: [0, 8], d: [0, 20] },
  ];
  const totals = { x: [35, 18], d: [150, 70] };
  const parts = contributions([{ dimension: 'd', values }], totals, false);
  expect(parts.reduce((sum, { change }) => sum + change, 0)).toBeCloseTo(35 / 150 - 18 / 70, 12);
});

it('continues a series without noise exactly, and widens the intervals of one with noise', () => {
  const exact = Array.from({ length: 24 }, (_, at) => 100 + 2 * at + [5, -3, 0, -2][at % 4]!);
  const [next, , , year] = holtWinters(exact, 4, 4);
  expect(next?.value).toBeCloseTo(100 + 48 + 5, 6);
  expect(year?.high).toBeCloseTo(100 + 54 - 2, 4);
  const noisy = holtWinters(
    exact.map((value, at) => value + ((at * 7919) % 13)),
    4,
    8,
  ).map(({ low, high }) => high - low);
  expect(noisy.at(-1)).toBeGreaterThan(noisy[0]!);
});
