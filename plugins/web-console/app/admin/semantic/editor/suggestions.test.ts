import { expect, it } from 'vitest';
import { keysOf } from './layer-keys.ts';
import { type KnownNames, quoted, suggestionsAt, type WritingPlace } from './suggestions.ts';

const NAMES: KnownNames = {
  tables: ['orders', 'customers'],
  entities: ['orders', 'customers', 'a: b'],
  columns: async () => ['id', 'customer_id'],
  columnsOf: async (entity) => (entity === 'customers' ? ['id', 'country'] : []),
};

function placeIn(before: string, after = ''): WritingPlace {
  const [line = '', ...above] = before.split('\n').reverse();
  return { line, above, text: () => before + after };
}

async function labels(before: string, { path = 'entities/x.yml', after = '', isAsked = true } = {}) {
  const found = await suggestionsAt(keysOf(path), placeIn(before, after), NAMES, isAsked);
  return found?.options.map(({ label }) => label);
}

it('suggests the keys of the map at the place', async () => {
  expect(await labels('')).toContain('dimensions');
  expect(await labels('dimensions:\n  - name: id\n    ')).toEqual(expect.arrayContaining(['type', 'primary_key']));
  expect(await labels('joins:\n  - on: { ')).toEqual(['from', 'to']);
  expect(await labels('terms:\n  - term: x\n    ', { path: 'glossary.yml' })).toContain('definition');
  expect(await labels('id: x\n', { path: 'shop/metrics/m.yml' })).toContain('objective');
  expect(await labels('entities:\n  - ', { path: 'catalog.yml' })).toContain('common_questions');
});

it('suggests words and names for values', async () => {
  expect(await labels('measures:\n  - type: ', { isAsked: false })).toContain('count_distinct');
  expect(await labels('table: ')).toEqual(['orders', 'customers']);
  expect(await labels('joins:\n  - target: cu')).toEqual(['orders', 'customers', 'a: b']);
  expect(await labels('joins:\n  - { target: customers, on: { from: ')).toEqual(['id', 'customer_id']);
  expect(await labels('joins:\n  - { target: customers, on: { from: x, to: ')).toEqual(['id', 'country']);
  expect(await labels('joins:\n  - on: { to: ', { after: ' }\n    target: "customers"' })).toEqual(['id', 'country']);
});

it('suggests columns inside an expression, in place of the word there', async () => {
  const text = 'measures:\n  - sql: sum(cus';
  const found = await suggestionsAt(keysOf('entities/x.yml'), placeIn(text), NAMES, false);
  expect(found).toMatchObject({ typed: 'cus', options: [{ text: 'id' }, { text: 'customer_id' }] });
});

it('suggests nothing unasked where nothing is typed, and nowhere that is free or unknown', async () => {
  expect(await labels('dimensions:\n  - ', { isAsked: false })).toBeUndefined();
  expect(await labels('description: an or')).toBeUndefined();
  expect(await labels('description: >-\n  an or')).toBeUndefined();
  expect(await labels('nothing:\n  - na')).toBeUndefined();
  expect(await labels('constructor:\n  - na')).toBeUndefined();
});

it.each([
  ['order items', 'order items'],
  ['sales.orders', 'sales.orders'],
  ['a: b', '"a: b"'],
  ['no', '"no"'],
  ['1st', '"1st"'],
  ['- x', '"- x"'],
  ['a #b', '"a #b"'],
])('writes the name %s as %s', (name, text) => {
  expect(quoted(name)).toBe(text);
});
