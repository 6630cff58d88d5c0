/** Tests which values have the same digest. */
import { expect, it } from 'vitest';
import { valuesDigest } from './values-digest.ts';

it('is the same for a text however it is held in memory', () => {
  const text = 'SELECT region FROM orders WHERE tenant = ?';
  // A part of a text with wide characters is held with wide characters.
  const [, wide] = `\u20ac ${text}`.split('\u20ac ');
  expect(wide).toBe(text);
  expect(valuesDigest([text, ['a']])).toBe(valuesDigest([wide, Object.freeze(['a'])]));
});

it('is another one for other values, places and types', () => {
  const others = [
    ['a', 'b'],
    ['ab'],
    [['a', 'b']],
    ['b', 'a'],
    [1],
    ['1'],
    [1n],
    [null],
    [undefined],
    [new Date(1)],
    ['\ud800'],
    ['\ud801'],
  ];
  expect(new Set(others.map(valuesDigest)).size).toBe(others.length);
});
