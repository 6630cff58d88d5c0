import { expect, it } from 'vitest';
import { placeAt } from './yaml-place.ts';

function placeAfter(before: string) {
  const [line = '', ...above] = before.split('\n').reverse();
  return placeAt(line, above);
}

it.each([
  ['', { path: [], key: undefined, typed: '' }],
  ['tab', { path: [], key: undefined, typed: 'tab' }],
  ['table: ord', { path: [], key: 'table', typed: 'ord' }],
  ['dimensions:\n  - ', { path: ['dimensions'], key: undefined, typed: '' }],
  ['dimensions:\n- na', { path: ['dimensions'], key: undefined, typed: 'na' }],
  ['dimensions:\n- name: id\n  ty', { path: ['dimensions'], key: undefined, typed: 'ty' }],
  ['dimensions:\n  - name: id\n    type: nu', { path: ['dimensions'], key: 'type', typed: 'nu' }],
  [
    'dimensions:\n  - name: id\n    sql: >-\n      a + ',
    { path: ['dimensions', 'sql'], key: undefined, typed: 'a + ' },
  ],
  ['joins:\n  - on:\n      from: x\n    ta', { path: ['joins'], key: undefined, typed: 'ta' }],
  ['joins:\n  - on:\n      - from: x\n        to: y', { path: ['joins', 'on'], key: 'to', typed: 'y' }],
  ['dimensions:\n  - name: id\nmeasures:\n  - name: c\n\n    ', { path: ['measures'], key: undefined, typed: '' }],
  ['joins:\n  - { target: a, on: { from: x, to: i', { path: ['joins', 'on'], key: 'to', typed: 'i' }],
  ['joins:\n  - { target: a, on: { from: x, to: y }, re', { path: ['joins'], key: undefined, typed: 're' }],
  ['synonyms: [a, b', { path: ['synonyms'], key: undefined, typed: 'b' }],
  ['description: at 10:30 {x', { path: [], key: 'description', typed: 'at 10:30 {x' }],
])('%j', (before, place) => {
  expect(placeAfter(before)).toEqual(place);
});

it('has no place inside a comment', () => {
  expect(placeAfter('table: orders # the tab')).toBeUndefined();
});

it('reads no more of a long file than it needs', () => {
  function* above() {
    for (let at = 0; at < 20_000; at += 1) yield `  - { name: c${at} }`;
    yield 'dimensions:';
    throw new Error('It reads on.');
  }
  expect(placeAt('  - na', above())?.path).toEqual(['dimensions']);
  expect(placeAt('tab', above())?.path).toEqual([]);
});
