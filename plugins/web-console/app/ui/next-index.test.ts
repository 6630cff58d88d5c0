import { expect, it } from 'vitest';
import { nextIndex } from './next-index.ts';

it.each([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 2, 0],
  ['ArrowDown', -1, 0],
  ['ArrowUp', 0, 2],
  ['ArrowUp', -1, 2],
  ['ArrowUp', 2, 1],
  ['Home', 2, 0],
  ['End', 0, 2],
  ['ArrowRight', 0, undefined],
  ['x', 0, undefined],
])('%s from %i leads to %s', (key, at, next) => {
  expect(nextIndex(key, at, 3, 'vertical')).toBe(next);
});

it('has other keys in a row, and none where there is nothing', () => {
  expect(nextIndex('ArrowRight', 0, 3, 'horizontal')).toBe(1);
  expect(nextIndex('Home', -1, 0, 'vertical')).toBeUndefined();
});
