/** Measures the matcher on a layer that it was not made for: what it answers is right, and near misses are none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { timeReader, tokenizer } from '../model-offline/index.ts';
import { createModel, loadSemanticLayer, type ModelVerifiedQuery } from '../semantic-layer/index.ts';
import { Matcher } from './matching.ts';

const ROOT = join(import.meta.dirname, '../..');
const set = parse(readFileSync(join(import.meta.dirname, 'fixtures/hotel.yml'), 'utf8')) as {
  queries: ModelVerifiedQuery[];
  matches: [string, string, Record<string, unknown>?][];
  nearMisses: string[];
};
const layer = await loadSemanticLayer(join(ROOT, 'test/fixtures/questions/hotel/layer'));
const [{ tokenize }, { readTime }] = await Promise.all([tokenizer(), timeReader()]);
const matcher = new Matcher(createModel({ ...layer, verified: set.queries }, 1, []), tokenize, readTime);
const ask = (text: string) => matcher.find({ text, now: new Date('2025-07-01T12:00:00Z') });

it('finds the query and its parameters', () => {
  const found = set.matches.map(([text]) => {
    const { certain } = ask(text);
    const values = Object.entries(certain[0]?.values ?? {}).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? `${value.from}/${value.to}` : value,
    ]);
    return [
      text,
      certain.map(({ query }) => query.name).join(),
      ...(values.length > 0 ? [Object.fromEntries(values)] : []),
    ];
  });
  expect(found).toEqual(set.matches);
});

it('takes no question for one that it only looks like', () => {
  const wrong = set.nearMisses.flatMap((text) => {
    const { certain } = ask(text);
    return certain.length === 0 ? [] : [`${text} -> ${certain.map(({ query }) => query.name)}`];
  });
  expect(wrong).toEqual([]);
});
