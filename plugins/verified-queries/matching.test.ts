/** Measures the matcher on a layer that it was not made for: what it answers is right, and near misses are none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { readCorpus } from '../../test/harness/question-corpus.ts';
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
const value = (...values: string[]) => [{ name: 'v', type: 'value' as const, values }];
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

it('compares values with their signs, and codes that are words with their capitals', () => {
  const one = { sql: 'SELECT :v AS v', file: '', source: 'default' };
  const verified = [
    { ...one, name: 'grade', question: 'Loans of grade {v}', parameters: value('A+', 'AA', 'R&D') },
    { ...one, name: 'country', question: 'Customers that have {v} addresses', parameters: value('NO', 'FR') },
  ];
  const own = new Matcher(createModel({ ...layer, verified }, 1, []), tokenize, readTime);
  const said = (text: string) => own.find({ text, now: new Date() }).certain[0]?.values.v;
  expect(['A+', 'AA', 'AA.', 'R&D'].map((grade) => said(`Loans of grade ${grade}`))).toEqual(['A+', 'AA', 'AA', 'R&D']);
  expect(['A', 'AA-', 'AA+', 'R D'].map((grade) => said(`Loans of grade ${grade}`))).toEqual(Array(4).fill(undefined));
  expect(said('Customers that have NO addresses')).toBe('NO');
  expect(said('Customers that have no addresses')).toBeUndefined();
  expect(said('CUSTOMERS THAT HAVE NO ADDRESSES')).toBeUndefined();
});

it('takes a value by what it is called in the language of a wording', async () => {
  using folder = layerFolder({
    'entities/bookings.yml':
      'table: bookings\ndimensions: [{ name: country, sample_values: [Germany, Austria], value_translations: { de: { Germany: [Deutschland], Austria: [Österreich], Iceland: [Island] } } }]\n',
  });
  const one = { name: 'country', sql: 'SELECT :v AS v', file: '', source: 'default' };
  const parameters = [{ name: 'v', type: 'value' as const, dimension: 'bookings.country' }];
  const verified = [{ ...one, question: 'Bookings from {v}', also: ['Buchungen aus {v}'], parameters }];
  const model = await loadSemanticLayer(folder.dir);
  const own = new Matcher(createModel({ ...model, verified }, 1, []), tokenize, readTime);
  const said = (text: string) => own.find({ text, now: new Date() }).certain[0]?.values.v;
  expect(['Deutschland', 'Osterreich', 'Germany'].map((name) => said(`Buchungen aus ${name}?`))).toEqual([
    'Germany',
    'Austria',
    'Germany',
  ]);
  // Only what is listed may be asked for.
  expect(said('Buchungen aus Island?')).toBeUndefined();
});

it.each(['clinic', 'freight', 'saas', 'shop', 'hotel'])(
  'takes no question of the corpus %s for another',
  async (name) => {
    const corpus = readCorpus(name);
    const questions = corpus.questions.filter(({ history, sql }) => history.length === 0 && sql.length > 0);
    const verified = questions.map(({ question, sql }, at) => ({
      name: `q${at}`,
      question,
      sql: sql[0]!,
      file: '',
      source: 'default',
    }));
    const model = createModel({ ...(await loadSemanticLayer(corpus.layer)), verified }, 1, []);
    const own = new Matcher(model, tokenize, readTime);
    const wrong = questions.flatMap(({ question, sql }, at) => {
      const { certain } = own.find({ text: question, now: corpus.now });
      const others = certain.filter(({ query }) => query.name !== `q${at}` && !sql.includes(query.sql ?? ''));
      const isOwn = certain.some(({ query }) => query.name === `q${at}`);
      return [...others.map(({ query }) => [question, query.question]), ...(isOwn ? [] : [[question]])];
    });
    expect(questions.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  },
);
