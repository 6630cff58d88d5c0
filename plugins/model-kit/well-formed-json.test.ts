/** Tests that no request holds half of a character. */
import { expect, test } from 'vitest';
import { wellFormedJson } from './well-formed-json.ts';

test('halves of characters are replaced, all else stays', () => {
  const cases = ['\ud83d', 'a\udc00b', '\ud800\ud800', '\\\ud800', '\\\\\ud800"'];
  for (const text of cases)
    expect(JSON.parse(wellFormedJson(JSON.stringify({ text })))).toEqual({ text: text.toWellFormed() });
  const whole = JSON.stringify({ text: '😀 é \\ud800 \\\\udfff \u0000', '😀': ['\\'] });
  expect(wellFormedJson(whole)).toBe(whole);
});
