/** Tests the scores against what BIRD's own evaluation gives. */
import { describe, expect, it } from 'vitest';
import { rewardOf, rewardScore, sameSet, timeRatio } from './score.ts';

describe('execution accuracy', () => {
  it.each([
    [
      'in any order',
      [
        [1, 'a'],
        [2, 'b'],
      ],
      [
        [2, 'b'],
        [1, 'a'],
      ],
      true,
    ],
    ['as often as they like', [['a'], ['a']], [['a']], true],
    ['integers and floats', [[1n]], [[1.0]], true],
    ['big integers', [[9007199254740993n]], [[9007199254740992n]], false],
    ['columns in another order', [[1, 'a']], [['a', 1]], false],
    ['a number and a text', [[1]], [['1']], false],
    ['nearly the same number', [[0.1 + 0.2]], [[0.3]], false],
    ['NULL and 0', [[null]], [[0]], false],
    ['a further column', [[1, 2]], [[1]], false],
    ['nothing and nothing', [], [], true],
  ])('%s', (_, predicted, gold, expected) => {
    expect(sameSet(predicted, gold)).toBe(expected);
    expect(sameSet(gold, predicted)).toBe(expected);
  });
});

describe('efficiency', () => {
  it('rewards by the ratio of the times', () => {
    expect([3, 2, 1.5, 1, 0.7, 0.5, 0.3, 0.25, 0.1, 0].map(rewardOf)).toEqual([
      1.25, 1.25, 1, 1, 0.75, 0.75, 0.5, 0.5, 0.25, 0,
    ]);
  });

  it('leaves measurements out that are far from the mean', () => {
    const gold = [...Array.from({ length: 30 }, (_, index) => 10 + (index % 3)), 10_000];
    expect(
      timeRatio(
        gold,
        gold.map(() => 10),
      ),
    ).toBeCloseTo(1.1, 5);
    expect(timeRatio([10, 10], [5, 5])).toBe(2);
    expect(timeRatio([], [])).toBe(0);
  });

  it('is the mean of the roots', () => {
    expect(rewardScore([1, 0, 0.25, 1.25])).toBeCloseTo((100 + 0 + 50 + Math.sqrt(1.25) * 100) / 4, 10);
  });
});
