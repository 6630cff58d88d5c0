import { expect, it } from 'vitest';
import { linearScale, timeScale } from './scale.ts';

it.each([
  [[3, 97], true, [0, 20, 40, 60, 80, 100]],
  [[40, 60], false, [40, 45, 50, 55, 60]],
  [[-5, 5], true, [-6, -4, -2, 0, 2, 4, 6]],
  [[0.1, 0.3], true, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]],
  [[0], true, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [[], true, [0, 0.2, 0.4, 0.6, 0.8, 1]],
])('%j, with zero %s, is written at %j', (values, hasZero, ticks) => {
  expect(linearScale(values, hasZero).ticks).toEqual(ticks);
});

it.each([[[1e308, -1e308]], [[5e-324, 1e-310]], [[1e15, 1e15 + 1]], [[7, 7]], [[Number.MAX_VALUE, -Number.MAX_VALUE]]])(
  '%j stand between 0 and 1',
  (values) => {
    const { at, ticks } = linearScale(values, false);
    for (const value of values) expect(at(value)).toBeGreaterThanOrEqual(0);
    for (const value of values) expect(at(value)).toBeLessThanOrEqual(1);
    expect(ticks.every(Number.isFinite)).toBe(true);
    expect(ticks.length).toBeLessThanOrEqual(12);
  },
);

it.each([
  ['2020-01-01', '2024-06-01', ['2020', '2021', '2022', '2023', '2024']],
  ['2024-01-15', '2024-06-20', ['2024-02', '2024-03', '2024-04', '2024-05', '2024-06']],
  ['2024-01-01', '2024-01-05', ['2024-01-01', '2024-01-02', '2024-01-03', '2024-01-04', '2024-01-05']],
  ['2024-01-01T06:30Z', '2024-01-01T10:30Z', ['07:00', '08:00', '09:00', '10:00']],
  ['2024-01-01T23:59:58Z', '2024-01-02T00:00:01Z', ['23:59:58', '23:59:59', '00:00:00', '00:00:01']],
  ['2024-01-01', '2024-01-01', ['2024-01-01']],
  ['0000-01-01', '9999-12-31', ['0000', '2000', '4000', '6000', '8000']],
])('from %s to %s', (from, to, texts) => {
  const { ticks, textOf, at } = timeScale([Date.parse(from), Date.parse(to)], 6);
  expect(ticks.map(textOf)).toEqual(texts);
  for (const tick of ticks) expect(at(tick)).toBeGreaterThanOrEqual(0);
});
