import { expect, it } from 'vitest';
import { truncate } from './truncate.ts';

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['a😀cd', 3, 'a…'],
])('%j in %i units is %j', (text, longest, shown) => {
  expect(truncate(text, longest)).toBe(shown);
});
