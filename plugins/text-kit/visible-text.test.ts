import { expect, it } from 'vitest';
import { HIDDEN_CHARACTERS, visibleParts, visibleText } from './visible-text.ts';

it.each([
  ['a\u202eb', 'aU+202Eb'],
  ['pay\u200bpal', 'payU+200Bpal'],
  ['\ufeffx', 'U+FEFFx'],
  ['a\nb\tc', 'a↵b⇥c'],
  ['a\0b\u001b[31m', 'a␀b␛[31m'],
  ['a\u{e0041}', 'aU+E0041'],
  ['a\u200db', 'aU+200Db'],
])('%j shows what it hides', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
  const kept = visibleParts(text, '\n\t').map((part) => part.text);
  expect(text.replace(HIDDEN_CHARACTERS, visibleText)).toBe(kept.join(''));
});

it.each([
  'Zürich, 東京',
  'שלום',
  '👩‍👩‍👧',
  '👩🏽‍🚀',
  '🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  'می\u200cخواهم',
  'क्\u200dष',
  '',
])('%j stays as it is', (text) => {
  expect(visibleText(text)).toBe(text);
  expect(text.search(HIDDEN_CHARACTERS)).toBe(-1);
});

it('marks symbols and keeps what its place can show', () => {
  expect(visibleParts('a\n\u202eb', '\n')).toEqual([
    { text: 'a\n', isSymbol: false },
    { text: 'U+202E', isSymbol: true },
    { text: 'b', isSymbol: false },
  ]);
});
