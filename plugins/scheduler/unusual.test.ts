import { describe, expect, it } from 'vitest';
import { thresholdRates, unusualRates } from '../../test/bench/planted-figures.ts';
import { Random } from '../../test/harness/random.ts';
import { seasonOf } from './season.ts';
import { type Figure, unusualness } from './unusual.ts';

const here = (...values: number[]): Figure[] => values.map((value) => ({ position: '', value }));
const scoreOf = (value: number, earlier: readonly Figure[]) => unusualness({ position: '', value }, earlier);

describe('an unusual figure', () => {
  it('is more than 3.5 modified z-scores from the median', () => {
    // The others' medians are 50 or 51, 10 … 13 away from the least and the greatest values, so the MAD is 7.5.
    const earlier = here(40, 42, 44, 50, 51, 56, 58, 60);
    const deviations = [11, 9, 7, 1, 1, 6, 8, 10].toSorted((a, b) => a - b);
    const mad = (deviations[3]! + deviations[4]!) / 2;
    expect(scoreOf(50.5, earlier)).toEqual({ median: 50.5, z: 0, isUnusual: false });
    expect(scoreOf(89, earlier)?.z).toBeCloseTo((0.6745 * 38.5) / mad, 10);
    expect([89, 90].map((value) => scoreOf(value, earlier)?.isUnusual)).toEqual([false, true]);
    expect([12, 11].map((value) => scoreOf(value, earlier)?.isUnusual)).toEqual([false, true]);
  });

  it('goes by the mean deviation where most figures are equal, and by any difference where all are', () => {
    const mostly = here(5, 5, 5, 5, 5, 5, 5, 9);
    expect(scoreOf(7, mostly)).toMatchObject({ median: 5, isUnusual: false });
    expect(scoreOf(7, mostly)?.z).toBeCloseTo(2 / (1.253314 * (4 / 8)), 10);
    expect(scoreOf(8, mostly)?.isUnusual).toBe(true);
    const equal = here(...Array<number>(8).fill(5));
    expect(scoreOf(5, equal)).toEqual({ median: 5, z: 0, isUnusual: false });
    expect(scoreOf(5.1, equal)).toEqual({ median: 5, z: Infinity, isUnusual: true });
  });

  it('is none before there are eight runs, four of them at its position', () => {
    expect(scoreOf(1_000, here(1, 2, 3, 4, 5, 6, 7))).toBeUndefined();
    expect(scoreOf(1_000, here(1, 2, 3, 4, 5, 6, 7, 8))?.isUnusual).toBe(true);
    const elsewhere = here(1, 2, 3, 4, 5).map((figure) => ({ ...figure, position: 'Sunday' }));
    expect(scoreOf(1_000, [...elsewhere, ...here(1, 2, 3)])).toBeUndefined();
    expect(scoreOf(1_000, [...elsewhere, ...here(1, 2, 3, 4)])?.isUnusual).toBe(true);
  });

  it('is compared with its own position of the season', () => {
    const week = [0, 1, 2, 3].flatMap((week) =>
      [100, 100, 100, 100, 100, 10, 10].map((level, day) => ({
        position: String(day),
        value: level + ((week * 3 + day) % 5),
      })),
    );
    expect(unusualness({ position: '6', value: 12 }, week)?.isUnusual).toBe(false);
    expect(unusualness({ position: '6', value: 100 }, week)?.isUnusual).toBe(true);
    expect(unusualness({ position: '0', value: 12 }, week)?.isUnusual).toBe(true);
  });

  it('is found where one was planted, and hardly anywhere else', () => {
    const random = new Random(1993);
    for (const { detected, falseAlarms } of unusualRates(random, 200)) {
      expect(detected).toBeGreaterThanOrEqual(93);
      expect(falseAlarms).toBeLessThanOrEqual(4);
    }
    expect(thresholdRates(random, 200)).toMatchObject({ detected: 100, falseAlarms: 0 });
  });
});

describe('the position of a run in the season', () => {
  const NOW = Date.parse('2026-03-27T12:00:00Z');
  const positions = (cron_expression: string, timezone: string, times: readonly string[]) =>
    times.map(seasonOf({ cron_expression, timezone }, NOW));

  it.each([
    ['0 8 * * *', ['Monday', 'Saturday']],
    ['0 8 * * 1-5', ['Monday', 'Saturday']],
    ['0 8 * * 1,4', ['Monday', 'Saturday']],
    ['0 8 * * 1', ['', '']],
    ['0 8 1 * *', ['', '']],
    ['0 * * * *', ['Monday 08', 'Saturday 00']],
    ['*/10 8 * * 1', ['Monday 08', 'Saturday 00']],
  ])('of %s', (cron, expected) => {
    expect(positions(cron, 'UTC', ['2026-03-30T08:00:00Z', '2026-03-28T00:10:00Z'])).toEqual(expected);
  });

  it('goes by the clock of the task, also where it changes', () => {
    // On 29 March 2026 the clocks of Berlin go forward.
    const times = ['2026-03-28T23:30:00Z', '2026-03-29T07:00:00Z', '2026-03-22T08:00:00Z'];
    expect(positions('0 * * * *', 'Europe/Berlin', times)).toEqual(['Sunday 00', 'Sunday 09', 'Sunday 09']);
    expect(positions('0 9 * * *', 'Europe/Berlin', times)).toEqual(['Sunday', 'Sunday', 'Sunday']);
  });
});
