import { expect, it } from 'vitest';
import { hasWords, type LayerAnswers, rowsOf } from './layer-rows.ts';

const PLACE = { source: 'default', problems: [] };
const ANSWERS: LayerAnswers = {
  metrics: {
    metrics: [
      {
        source: 'default',
        files: [{ ...PLACE, file: 'metrics/a.yml', metrics: [{ id: 'sales', measure: 'revenue' }] }],
      },
      { source: 'shop', files: [{ ...PLACE, file: 'shop/metrics/b.yml', metrics: [{ id: 'stock' }, { id: 'bins' }] }] },
    ],
  },
  glossary: { glossary: [{ ...PLACE, file: 'glossary.yml', terms: [{ term: 'big', synonyms: ['Large'] }] }] },
  catalog: {
    catalog: { entities: [{ name: 'orders', common_questions: ['How many?'] }] },
    files: [{ ...PLACE, file: 'catalog.yml' }],
  },
};
const idsOf = (search: string, file?: string) => {
  const { metrics, terms, catalog } = rowsOf(ANSWERS, search, file);
  return [...metrics.map(({ id }) => id), ...terms.map(({ term }) => term), ...catalog.map(({ name }) => name)];
};

it('has the rows of all files, each with its file', () => {
  expect(idsOf('')).toEqual(['sales', 'stock', 'bins', 'big', 'orders']);
  expect(rowsOf(ANSWERS, '').metrics[1]).toMatchObject({ id: 'stock', file: 'shop/metrics/b.yml' });
});

it.each([
  ['REVENUE', ['sales']],
  ['large', ['big']],
  ['how many', ['orders']],
  ['metrics/b', ['stock', 'bins']],
  ['nothing', []],
])('finds %s', (search, ids) => {
  expect(idsOf(search)).toEqual(ids);
});

it('has the rows of one file', () => {
  expect(idsOf('', 'shop/metrics/b.yml')).toEqual(['stock', 'bins']);
  expect(idsOf('', 'catalog.yml')).toEqual(['orders']);
  expect(idsOf('', 'entities/orders.yml')).toEqual([]);
});

it('has nothing before anything has been read, and finds words at any depth', () => {
  expect(rowsOf({ metrics: undefined, glossary: undefined, catalog: undefined }, '')).toEqual({
    metrics: [],
    terms: [],
    catalog: [],
  });
  expect(hasWords({ a: [{ b: 'deep' }], c: null, d: 1 }, 'DEEP')).toBe(true);
});
