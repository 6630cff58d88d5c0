import { expect, test } from 'vitest';
import { folded, isFrequent, segmented } from './index.ts';

test.each([
  ['Café', 'cafe'],
  ['CAFE\u0301', 'cafe'],
  ['ＣＡＦＥ　１２', 'cafe 12'],
  ['Größe', 'grosse'],
  ['ﾃﾞｰﾀ', 'データ'],
  ['São Paulo', 'sao paulo'],
  ['Straße', 'STRASSE'],
])('%s and %s compare', (one, other) => expect(folded(one)).toBe(folded(other)));

test.each([
  ['が', 'か'],
  ['パリ', 'ハリ'],
  ['Paris', 'Pari'],
])('%s and %s are different', (one, other) => expect(folded(one)).not.toBe(folded(other)));

test('scripts without spaces are split, and others stay', () => {
  expect(segmented('今月の売上合計')).toEqual(expect.arrayContaining(['今月', '売上', '合計']));
  expect(segmented('ยอดขายรวม').length).toBeGreaterThan(1);
  expect(segmented('net revenue')).toEqual(['net revenue']);
  expect(segmented('Größe')).toEqual(['Größe']);
});

test('frequent words are those of their language', () => {
  expect([isFrequent('de', 'wie'), isFrequent('fr', 'wie'), isFrequent('de', 'kunden')]).toEqual([true, false, false]);
  expect([isFrequent('ja', 'の'), isFrequent('ja', 'おもちゃ')]).toEqual([true, false]);
});
