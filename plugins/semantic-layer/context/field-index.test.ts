import { describe, expect, test } from 'vitest';
import { FieldIndex } from './field-index.ts';
import { SimilarWords } from './similar-words.ts';

const WEIGHTS = [
  { weight: 5, lengthEffect: 0.5 },
  { weight: 1, lengthEffect: 0.5 },
];
const words = (text: string) => new Set(text.split(' ').filter(Boolean));

function indexOf(documents: Readonly<Record<string, readonly [string, string]>>): FieldIndex {
  const index = new FieldIndex(WEIGHTS);
  for (const [id, [names, text]] of Object.entries(documents)) index.add(id, [words(names), words(text)]);
  return index;
}

function ranked(index: FieldIndex, query: string): string[] {
  const found = index.search(new Map(query.split(' ').map((word) => [word, 1])));
  const score = (parts: readonly number[]) => parts.reduce((sum, part) => sum + part, 0);
  return [...found].sort(([, a], [, b]) => score(b) - score(a)).map(([id]) => id);
}

describe('the order of documents', () => {
  const index = indexOf({
    orders: ['order', 'what customer buy'],
    customers: ['customer', 'who place order'],
    long: ['order line of a much longer name', ''],
    other: ['weather', 'sun rain'],
  });

  test('a name says more than a description, and a short name more than a long one', () => {
    expect(ranked(index, 'order')).toEqual(['orders', 'long', 'customers']);
  });

  test('a rare word says more than a frequent one', () => {
    expect(ranked(index, 'order rain')[0]).toBe('orders');
    expect(index.rarity('rain')).toBeGreaterThan(index.rarity('order'));
    expect(ranked(index, 'nowhere')).toEqual([]);
  });

  test('a document is replaced by one of the same id, and found no more once it is removed', () => {
    index.add('other', [words('snow'), words('')]);
    expect(ranked(index, 'rain')).toEqual([]);
    expect(ranked(index, 'snow')).toEqual(['other']);
    index.remove(['other']);
    expect(ranked(index, 'snow')).toEqual([]);
    expect(index.documentCount).toBe(3);
  });
});

test('removed and replaced documents leave nothing behind', () => {
  const index = indexOf({ orders: ['order', ''], other: ['weather', ''] });
  const before = index.rarity('order');
  for (let n = 0; n < 50; n += 1) index.add('orders', [words('order'), words(`text${n}`)]);
  expect(index.rarity('order')).toBe(before);
  expect(index.has('text1')).toBe(false);
  expect(index.wordCount).toBe(3);
});

test.each([
  ['custmer', 'customer'],
  ['cutsomer', 'customer'],
  ['auit', 'audit'],
  ['shipmnt', 'shipment'],
])('%s is read as %s', (typo, meant) => {
  expect(new SimilarWords(['order', 'customer', 'audit', 'shipment', 'region']).to(typo)[0]?.[0]).toBe(meant);
});

test('a word that is like none has none alike', () => {
  expect(new SimilarWords(['customer', 'audit']).to('zeppelin')).toEqual([]);
});
