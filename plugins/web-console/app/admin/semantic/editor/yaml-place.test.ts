import { expect, it } from 'vitest';
import { placeAt } from './yaml-place.ts';

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
  expect(placeAt(before)).toEqual(place);
});

it('has no place inside a comment', () => {
  expect(placeAt('table: orders # the tab')).toBeUndefined();
});

it('reads a long file without going back and forth', () => {
  const dimensions = Array.from({ length: 20_000 }, (_, at) => `  - { name: c${at} }`);
  expect(placeAt(['dimensions:', ...dimensions, '  - na'].join('\n'))?.path).toEqual(['dimensions']);
});
