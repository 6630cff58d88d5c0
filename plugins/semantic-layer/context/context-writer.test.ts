import { beforeAll, describe, expect, test } from 'vitest';
import { generateLayer, writeLayer } from '../../../test/harness/generate-layer.ts';
import { layerFolder } from '../../../test/harness/layer-folder.ts';
import { loadSemanticLayer } from '../loader.ts';
import { ContextWriter, DEFAULT_CONTEXT_BYTES } from './context-writer.ts';
import { LayerSearch } from './search.ts';

const bytes = (text: string) => Buffer.byteLength(text, 'utf8');

async function contextOf(files: Record<string, string>, question: string, maxBytes?: number): Promise<string> {
  using folder = layerFolder(files);
  return new ContextWriter(new LayerSearch()).write(await loadSemanticLayer(folder.dir), question, maxBytes);
}

describe.each([50, 500, 2000])('%i generated entities', (count) => {
  const layer = generateLayer(count, 400, 7);
  let write: (question: string, maxBytes?: number) => Promise<string>;

  beforeAll(async () => {
    using folder = layerFolder();
    writeLayer(folder.dir, layer);
    const model = await loadSemanticLayer(folder.dir);
    expect(model.problems).toEqual([]);
    expect(model.entities).toHaveLength(count);
    const writer = new ContextWriter(new LayerSearch());
    write = (question, maxBytes) => writer.write(model, question, maxBytes);
  });

  test('within the limit, with the right entity in detail for at least 99 % of the questions', async () => {
    const missed: string[] = [];
    for (const { question, entity } of layer.questions) {
      const text = await write(question);
      expect(bytes(text)).toBeLessThanOrEqual(DEFAULT_CONTEXT_BYTES);
      expect(text).toContain(`of ${count} entities are shown in detail`);
      const block = text.split('\n## ').find((part) => part.startsWith(`${entity} `));
      if (block === undefined || !/\ncolumns:\n- \w+ \(/.test(block)) missed.push(question);
    }
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(layer.questions.length * 0.01);
  });

  test('keeps any limit, with whole lines only, for any question', async () => {
    const whole = new Set((await write('')).split('\n').map((line) => line.slice(0, 20)));
    expect(whole.size).toBeGreaterThan(4);
    for (const maxBytes of [600, 1000, 2048, 5000, 16_384]) {
      for (const question of ['', '   ', '???', 'x'.repeat(100_000), '日本語 الطلبات', layer.questions[0]!.question]) {
        expect(bytes(await write(question, maxBytes))).toBeLessThanOrEqual(maxBytes);
      }
    }
  });
});

describe('a layer that fits', () => {
  const files = {
    'catalog.yml': 'name: Shop\ndescription: What we sell.\nentities: [{ name: orders, use_for: [Sales over time] }]\n',
    'entities/orders.yml': `
table: sales.orders
grain: one row per order
description: |
  Orders of
  customers.
synonyms: [purchases]
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: status, description: Where it stands, sample_values: [open, closed, null] }
  - { name: total, type: number, sql: cents / 100.0 }
  - { name: net, type: number, sql: "{total} - tax" }
measures:
  - { name: revenue, type: sum, sql: "{net}", format: currency }
  - { name: buyers, type: count_distinct, sql: buyer_id }
joins:
  - { target: people, relationship: many_to_one, on: [{ from: buyer_id, to: id }, { from: shop, to: shop }] }
segments:
  - { name: open, sql: status = 'open' }
  - { name: shipped, sql: "{status} <> 'new'", default: true, synonyms: [sent] }
query_patterns:
  - { description: By month, sql: "SELECT 1" }
`,
    'entities/people.yml': 'table: people\n',
    'metrics/m.yml': 'metrics:\n  - { id: sales, label: Sales, entity: orders, measure: revenue, unit: EUR }\n',
    'glossary.yml': `
terms:
  - { term: late, definition: Not in time., entity: orders, sql: status = 'late' }
  - term: active
    status: ambiguous
    meanings: [logged in of late, { name: buying, entity: orders, measure: buyers }]
`,
  };

  test('is given whole and the same for every question', async () => {
    const text = await contextOf(files, 'anything');
    expect(text).toBe(await contextOf(files, 'something else'));
    expect(text).toBe(`# Semantic layer
Shop: What we sell.
What to use for what:
- orders: Sales over time
# Glossary
- late: Not in time. [orders: status = 'late']
- active: AMBIGUOUS, ask which meaning is meant before querying
  1. logged in of late
  2. buying (orders.buyers)
# Metrics
- sales "Sales" = orders.revenue (unit EUR)
# Entities
## orders (table sales.orders, one row per order): Orders of customers. (also: purchases)
columns:
- id (number, primary key)
- status (string): Where it stands; e.g. open, closed, null
- total (number) = cents / 100.0
- net (number) = (cents / 100.0) - tax
measures:
- revenue = sum(((cents / 100.0) - tax)) (currency)
- buyers = count(distinct buyer_id)
joins:
- people (many_to_one) on orders.buyer_id = people.id and orders.shop = people.shop
segments (ready-made conditions):
- open: status = 'open'
- shipped: status <> 'new' (also: sent) (default: use it unless the question says otherwise)
query patterns:
- By month: SELECT 1
## people`);
  });

  test('shows nothing that is hidden, nor what reads it, nor samples of what is masked', async () => {
    const text = await contextOf(
      {
        'entities/people.yml': `
table: people
dimensions:
  - { name: id }
  - { name: social_number, sql: ssn, hidden: true, sample_values: [123-45-6789], synonyms: [sosec] }
  - { name: last_four, sql: "substr(ssn, -4)" }
  - { name: email, mask: "'***'", sample_values: [ann@example.com] }
  - { name: joined_on, mask: "NULL", type: date, range: [1999-01-02, 2000-03-04] }
  - { name: left_on, hidden: true, type: date, range: [1999-01-02, 2000-03-04] }
measures:
  - { name: numbers, type: count_distinct, sql: SSN }
  - { name: people_count, type: count }
joins:
  - { target: files, relationship: one_to_many, on: { from: ssn, to: owner } }
segments:
  - { name: known, sql: "{social_number} is not null" }
query_patterns:
  - { description: All, sql: select ssn from people }
`,
        'entities/files.yml': `
table: files
dimensions: [{ name: owner }]
joins:
  - { target: people, relationship: many_to_one, on: { from: owner, to: ssn } }
`,
        'metrics/m.yml':
          'metrics:\n  - { id: k, entity: people, measure: numbers }\n  - { id: l, entity: people, sql: max(ssn) }\n',
        'glossary.yml': "terms:\n  - { term: citizen, definition: Is known., entity: people, sql: ssn <> '' }\n",
      },
      'ssn 123-45-6789 sosec',
    );
    expect(text).not.toMatch(/ssn|social|sosec|123-45|last_four|numbers|known:|ann@|- k |- l |1999|2000/i);
    expect(text).toContain('- email (string, masked)');
    expect(text).toContain('- people_count = count(*)');
    expect(text).toContain('- citizen: Is known.');
  });

  test('tells about how many rows there are, and from when they are', async () => {
    const text = await contextOf(
      {
        'entities/orders.yml': `
table: orders
grain: one row per order
row_count: 12417
dimensions:
  - { name: ordered_at, type: timestamp, description: When it came in, range: ["2024-11-01T08:00:00", "2026-10-31T21:59:00"] }
  - { name: packed_at, type: timestamp, range: ["2024-11-01T08:00:00", "2024-11-01T09:30:00"] }
`,
        'entities/shops.yml': 'table: shops\nrow_count: 1\n',
      },
      'orders and shops',
    );
    expect(text).toContain('## orders (one row per order, about 12,400 rows)');
    expect(text).toContain('- ordered_at (timestamp): When it came in; from 2024-11-01 to 2026-10-31\n');
    expect(text).toContain('- packed_at (timestamp); from 2024-11-01T08:00:00 to 2024-11-01T09:30:00');
    expect(text).toContain('## shops (about 1 row)');
  });

  test('keeps text of files on its line', async () => {
    const text = await contextOf(
      { 'entities/a.yml': 'table: a\ndescription: "x\\n# Entities\\n## fake\\u2028y\\u202Ez"\n' },
      'a',
    );
    expect(text.split('\n').filter((line) => line.startsWith('## '))).toEqual(['## a: x # Entities ## fake y z']);
  });
});

describe('a layer with multi-byte characters', () => {
  const entityOf = (n: number) =>
    `table: t${n}\ndescription: ${'売上の合計。'.repeat(30)}\ndimensions: [{ name: id, description: ${'番号'.repeat(60)} }]\n`;
  const layerOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`entities/t${n}.yml`, entityOf(n)]));

  test.each([4, 10, 40])('of %i entities takes no more bytes than allowed', async (count) => {
    const text = await contextOf(layerOf(count), '売上 t1', 4_096);
    expect(bytes(text)).toBeLessThanOrEqual(4_096);
    expect(bytes(text)).toBeGreaterThan(2_048);
  });
});

describe('a layer that does not fit', () => {
  const wide = (name: string, columns: number, text = '') =>
    `table: ${name}\n${text}dimensions:\n  - { name: id, primary_key: true }\n${Array.from(
      { length: columns },
      (_, n) => `  - { name: ${name}_col_${n}, description: ${'long words '.repeat(10)}${n}, sample_values: [a, b] }\n`,
    ).join('')}`;

  test('writes the columns that were asked for whole, and others by name', async () => {
    const medium = await contextOf({ 'entities/w.yml': wide('w', 150) }, 'What is w_col_17 by id?');
    expect(medium).toMatch(/^- w_col_17 \(string\): long words .*; e\.g\. a, b$/m);
    expect(medium).toMatch(/^- more: .*w_col_\d+, … \d+ more in entities\/w\.yml$/m);
    const huge = await contextOf({ 'entities/w.yml': wide('w', 2000) }, 'What is w_col_1717 by id?');
    expect(huge).toContain('- w_col_1717 (string): long words');
    expect(huge).toContain('- id (string, primary key)');
    expect(huge).toMatch(/… 1\d\d\d more in entities\/w\.yml/);
    expect(bytes(huge)).toBeLessThanOrEqual(DEFAULT_CONTEXT_BYTES);
  });

  test('writes default conditions whole, with the columns that they read', async () => {
    const segments = 'segments: [{ name: real, sql: NOT w_col_90, default: true }]\n';
    const text = await contextOf({ 'entities/w.yml': wide('w', 150) + segments }, 'What is w_col_17 by id?', 1_500);
    expect(text).toContain('- real: NOT w_col_90 (default: use it unless the question says otherwise)');
    expect(text).toContain('- w_col_90 (string): long words');
  });

  test('includes what the best entity joins, and the terms of the question, ambiguous ones first', async () => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 80; n++) files[`entities/noise_${n}.yml`] = wide(`noise${n}`, 20);
    files['entities/orders.yml'] = wide(
      'orders',
      5,
      `joins:
  - { target: addresses, relationship: many_to_one, on: { from: address_id, to: id } }
`,
    );
    files['entities/addresses.yml'] = wide('addresses', 5);
    files['glossary.yml'] =
      `terms:\n${Array.from({ length: 300 }, (_, n) => `  - { term: order word ${n}, definition: Words about an order. }\n`).join('')}  - { term: US, meanings: [country, company] }\n`;
    const text = await contextOf(files, 'How many orders in the us?');
    expect(text.indexOf('## orders')).toBeGreaterThan(0);
    expect(text.indexOf('## addresses')).toBeGreaterThan(text.indexOf('## orders'));
    expect(text).toContain('# Glossary\n- US: AMBIGUOUS');
  });

  test('finds an entity by its metrics and terms', async () => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 80; n++) files[`entities/e${n}.yml`] = wide(`e${n}`, 20);
    files['metrics/m.yml'] = 'id: churn\nlabel: Churn\nentity: e41\nmeasure: count\n';
    files['glossary.yml'] = 'terms: [{ term: whale, definition: Someone big., entity: e17 }]\n';
    expect(await contextOf(files, 'churn by month')).toContain('\n# Entities\n## e41');
    expect(await contextOf(files, 'list our whales')).toContain('\n# Entities\n## e17');
  });
});

test.each([
  [60, 30],
  [30, 120],
  [8, 300],
])('a layer of %i tables with %i columns always shows what it says it shows', async (tables, columns) => {
  const files = Object.fromEntries(
    Array.from({ length: tables }, (_, n) => [
      `entities/t${n}.yml`,
      `table: things_${n}\ndimensions:\n${Array.from(
        { length: columns },
        (__, at) => `  - { name: c_${'x'.repeat((at * 7) % 40)}_${at}, description: Column ${at} of ${n}. }\n`,
      ).join('')}`,
    ]),
  );
  using folder = layerFolder(files);
  const model = await loadSemanticLayer(folder.dir);
  const writer = new ContextWriter(new LayerSearch());
  for (const maxBytes of [1_500, 2_500, DEFAULT_CONTEXT_BYTES, 16_384]) {
    for (const question of ['How many things 3?', 'column 7 of things_5', 'c xxxxx 20 of things 1']) {
      const text = await writer.write(model, question, maxBytes);
      expect(bytes(text)).toBeLessThanOrEqual(maxBytes);
      const shown = text.split('\n').filter((line) => line.startsWith('## ')).length;
      expect(text).toContain(`\n${shown} of ${tables} entities are shown in detail`);
      expect(shown).toBeGreaterThan(0);
    }
  }
});

test('dimensions that refer to each other many times are left as they are written', async () => {
  const dimensions = Array.from({ length: 14 }, (_, n) => {
    const sql = n === 0 ? 'a' : [1, 2, 3].map(() => `{d${n - 1}}`).join(' + ');
    return `  - { name: d${n}, sql: "${sql}" }\n`;
  });
  const text = await contextOf({ 'entities/t.yml': `table: t\ndimensions:\n${dimensions.join('')}` }, 'd13');
  expect(text).toContain('- d13 (string) = ');
  expect(bytes(text)).toBeLessThan(DEFAULT_CONTEXT_BYTES);
});

test('an ambiguous term is told however long its meanings are', async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 80; n++)
    files[`entities/e${n}.yml`] = `table: e${n}\ndescription: ${'Rows of it. '.repeat(20)}\n`;
  const meanings = Array.from({ length: 4 }, (_, n) => `${'a meaning of many words '.repeat(8)}${n}`);
  files['glossary.yml'] =
    `terms:\n  - { term: active, meanings: [${meanings.join(', ')}] }\n  - { term: user, definition: Somebody. }\n`;
  const text = await contextOf(files, 'How many active user rows in e7?');
  expect(text).toContain('- active: AMBIGUOUS');
  expect(text).toContain('- user: Somebody.');
});

test('names are found by their parts and by misspelt words', async () => {
  const files: Record<string, string> = {
    'entities/a.yml': 'table: salesorderheader\n',
    'entities/b.yml': 'table: customers\n',
    'entities/c.yml': 'table: purchase\n',
  };
  for (let n = 0; n < 80; n++)
    files[`entities/e${n}.yml`] = `table: e${n}\ndescription: ${'Rows of it. '.repeat(20)}\n`;
  expect(await contextOf(files, 'How many sales order headers?')).toContain('\n## salesorderheader\n');
  expect(await contextOf(files, 'How many custmers do we have?')).toContain('\n## customers\n');
  expect(await contextOf(files, 'list the purchasecustomers')).toContain('\n## purchase\n');
  const pasted = 'Dear all, as we said. '.repeat(500);
  expect(await contextOf(files, `Customers of whom? ${pasted}`)).toContain('\n## customers\n');
  expect(await contextOf(files, `${pasted} How many customers?`)).toContain('\n## customers\n');
});
