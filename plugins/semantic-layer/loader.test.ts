import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { loadSemanticLayer } from './loader.ts';

const customers = 'table: customers\ndimensions:\n  - name: id\n';

/** Loads one file beside a valid entity and returns its problems as `line:column message`. */
async function problemsOf(path: string, text: string | Uint8Array) {
  using folder = layerFolder({ 'entities/customers.yml': customers, [path]: text });
  const model = await loadSemanticLayer(folder.dir);
  expect(model.entity('customers'), 'the other files still load').toBeDefined();
  return model.problems.map((problem) => {
    expect(problem.file).toBe(path);
    return `${problem.line}:${problem.column} ${problem.message}`;
  });
}

const orders = (rest: string) => problemsOf('entities/orders.yml', `table: orders\n${rest}`);

test.each([
  [
    'a file that is not used',
    { 'entities/customers.yml': customers, 'entities/orders.yml': 'table: [orders' },
    /^A file of the semantic layer is not used: entities\/orders\.yml, line 1, column \d+ is invalid; the log says why, as does "npx atlas-query validate"\.$/,
  ],
  [
    'a layer without an entity',
    { 'entities/orders.yml': 'table: [orders' },
    /^The semantic layer has no entity that can be used: entities\/orders\.yml, line 1/,
  ],
  [
    'a part that is not used',
    {
      'entities/customers.yml': `${customers}joins:\n  - {target: nowhere, relationship: many_to_one, on: {from: id, to: id}}\n`,
    },
    undefined,
  ],
])('users are told of %s', async (_, files, notice) => {
  using folder = layerFolder(files);
  const model = await loadSemanticLayer(folder.dir);
  expect(model.problems).not.toEqual([]);
  if (notice === undefined) expect(model.notice).toBeUndefined();
  else expect(model.notice).toMatch(notice);
});

describe('a valid layer', () => {
  test('fills in every default', async () => {
    using folder = layerFolder({
      'entities/orders.yml': `
table: sales.orders
grain: one row per order
dimensions:
  - { name: id, primary_key: true }
  - { name: amount, type: number, sql: cents / 100.0 }
  - { name: customer_id, nullable: false, references: customers.id }
  - { name: line, nullable: true, references: [lines.id, sales.lines.nr] }
joins:
  - { target: customers, relationship: many_to_one, on: { from: customer_id, to: id } }
`,
      'entities/customers.yml': customers,
      'metrics/one.yml': 'id: revenue\nentity: orders\nsql: sum({amount})\n',
      'metrics/many.yml': 'metrics:\n  - { id: orders, entity: orders, measure: count }\n',
      'glossary.yml': `
terms:
  - term: active
    meanings: [paid, { name: open, entity: Orders }]
  - { term: no-show, definition: A visit that did not happen. }
`,
      'catalog.yml': 'name: Shop\nentities:\n  - { name: customers, description: Who buys. }\n',
    });
    const model = await loadSemanticLayer(folder.dir);
    expect(model.problems).toEqual([]);
    expect(model.entity('ORDERS')).toEqual({
      name: 'orders',
      table: 'orders',
      schema: 'sales',
      type: 'table',
      grain: 'one row per order',
      description: '',
      synonyms: [],
      dimensions: [
        { name: 'id', sql: 'id', type: 'string', primary_key: true },
        { name: 'amount', sql: 'cents / 100.0', type: 'number' },
        { name: 'customer_id', sql: 'customer_id', type: 'string', nullable: false, references: 'customers.id' },
        { name: 'line', sql: 'line', type: 'string', nullable: true, references: ['lines.id', 'sales.lines.nr'] },
      ],
      measures: [],
      joins: [
        {
          target: 'customers',
          name: 'customers',
          relationship: 'many_to_one',
          on: [{ from: 'customer_id', to: 'id' }],
        },
      ],
      segments: [],
      queryPatterns: [],
      file: 'entities/orders.yml',
      source: 'default',
    });
    expect(model.entity('customers')?.description).toBe('Who buys.');
    expect(model.metrics.map(({ id, file }) => [id, file])).toEqual([
      ['orders', 'metrics/many.yml'],
      ['revenue', 'metrics/one.yml'],
    ]);
    expect(model.metric('Revenue')?.sql).toBe('sum({amount})');
    expect(model.glossary.map(({ term, status }) => [term, status])).toEqual([
      ['active', 'ambiguous'],
      ['no-show', 'defined'],
    ]);
    expect(model.catalog?.name).toBe('Shop');
    expect(Object.isFrozen(model) && Object.isFrozen(model.entities[0]?.dimensions[0])).toBe(true);
  });

  test.each([
    ['a byte order mark', '\uFEFFtable: orders\n'],
    ['CRLF', 'table: orders\r\ndimensions:\r\n  - name: id\r\n'],
    ['a leading document mark and comments', '# orders\n---\ntable: orders # the table\n'],
    ['keys with nothing after the colon', 'table: orders\ndescription:\ndimensions:\njoins:\n'],
    [
      'anchors and merge keys',
      'table: orders\ndimensions:\n  - &id { name: id, type: number }\n  - { <<: *id, name: no }\n',
    ],
    ['`on` and dates as plain words', 'table: orders\ndescription: 2024-01-01\ndimensions:\n  - { name: on }\n'],
  ])('reads %s', async (_, text) => {
    expect(await problemsOf('entities/orders.yml', text)).toEqual([]);
  });

  test('reads sources and distinguishes equal names', async () => {
    using folder = layerFolder({
      'entities/orders.yml': 'table: orders\n',
      'crm/entities/orders.yaml':
        'table: orders\njoins:\n  - { target: leads, relationship: many_to_one, on: { from: a, to: b } }\n',
      'crm/entities/leads.yml': 'table: leads\n',
      'crm/glossary.yml': 'terms: [{ term: lead, entity: leads }]\n',
      'crm/metrics/m.yml': 'id: n\nentity: orders\nmeasure: count\n',
      '.hidden/entities/secret.yml': 'table: secret\n',
      'notes/readme.md': 'not a source',
    });
    const model = await loadSemanticLayer(folder.dir);
    expect(model.problems).toEqual([]);
    expect(model.entities.map(({ name, source, connection }) => [name, source, connection])).toEqual([
      ['orders', 'default', undefined],
      ['leads', 'crm', 'crm'],
      ['crm.orders', 'crm', 'crm'],
    ]);
    expect(model.entity('crm.leads')).toBe(model.entity('leads'));
    expect(model.metric('n')?.entity).toBe('crm.orders');
  });
});

describe('YAML that does not parse', () => {
  test.each([
    [
      'a tab as indentation',
      'dimensions:\n\t- name: id\n',
      '3:1 YAML does not allow tabs for indentation; use spaces.',
    ],
    [
      'a key twice',
      'type: fact\ntype: view\n',
      '3:1 The key `type` appears twice in the same place; keep one of the two.',
    ],
    ['an open quote', 'description: "never closed\n', /^\d:\d+ This is not valid YAML: Missing closing "quote/],
    ['an open bracket', 'synonyms: [a, b\n', /^\d:\d+ This is not valid YAML: /],
    ['a colon in a text', 'description: Note: this breaks\n', /^2:\d+ A text with a colon in it/],
    ['several documents', '---\ntable: b\n', /^2:1 The file contains several YAML documents/],
    [
      'an unknown alias',
      'description: *nowhere\n',
      '2:14 `*nowhere` is an alias without an anchor; put a text that begins with `*` in quotes.',
    ],
    ['a tag', 'description: !secret x\n', '2:14 YAML tags (`!…`) are not supported here; remove the tag.'],
  ])('names line and column of %s', async (_, text, expected) => {
    const [first] = await orders(text);
    expect(first).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  test('an empty file, and one of comments only', async () => {
    expect(await problemsOf('entities/orders.yml', '')).toEqual([
      '1:1 The file is empty; an entity needs at least `table`.',
    ]);
    expect(await problemsOf('entities/orders.yml', '# later\n')).toHaveLength(1);
    expect(await problemsOf('glossary.yml', '')).toEqual([
      '1:1 The file is empty; a glossary has a list under `terms`.',
    ]);
  });

  test('multiplying aliases and deep nesting are refused quickly and in little memory', async () => {
    const levels = Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    const bomb = `a0: &a0 [x]\n${levels.join('\n')}\n`;
    expect((await problemsOf('entities/bomb.yml', bomb))[0]).toMatch(/^2:\d+ The aliases of this file multiply/);
    const nested = `table: x\ndescription: ${'['.repeat(100_000)}\n`;
    expect(await problemsOf('entities/nested.yml', nested)).toEqual([
      expect.stringMatching(/^2:\d+ The YAML is nested too deeply to be read; flatten it\.$/),
    ]);
    const wide = `table: x\n${Array.from({ length: 30_000 }, (_, n) => `k${n}: 1\n`).join('')}`;
    expect(await problemsOf('entities/wide.yml', wide)).toHaveLength(50);
    const circular = 'table: x\nsynonyms: &s [a, *s]\n';
    expect(await problemsOf('entities/circular.yml', circular)).not.toEqual([]);
  });

  test('reports files that are not text, too large or not regular files', async () => {
    expect(await problemsOf('entities/a.yml', Uint8Array.from([0x74, 0xff, 0xfe]))).toEqual([
      '1:1 The file is not UTF-8 text; save it as UTF-8.',
    ]);
    const large = `table: a\ndescription: ${'x'.repeat(512 * 1024)}\n`;
    expect(await problemsOf('entities/a.yml', large)).toEqual(['1:1 The file is larger than 512 KiB; split it.']);
    using folder = layerFolder({ 'entities/customers.yml': customers });
    mkdirSync(join(folder.dir, 'entities/folder.yml'));
    const server = createServer().listen(join(folder.dir, 'entities/socket.yml'));
    await once(server, 'listening');
    const { problems } = await loadSemanticLayer(folder.dir);
    server.close();
    expect(problems.map(({ file, message }) => `${file} ${message}`)).toEqual([
      'entities/folder.yml This is not a regular file; put a YAML file in its place.',
      'entities/socket.yml This is not a regular file; put a YAML file in its place.',
    ]);
  });
});

describe('YAML that does not match', () => {
  test.each([
    [
      'dimensions:\n  - name: id\n    descripton: x\n',
      '4:5 Unknown key `descripton` in `dimensions[0]`; did you mean `description`?',
    ],
    ['owner: me\n', /^2:1 Unknown key `owner`; known here: `table`, `name`/],
    ['dimensions:\n  - name: 2024\n', '3:11 `dimensions[0].name` must be text, not the number 2024; put it in quotes.'],
    [
      'dimensions:\n  - name: id\n    hidden: yes\n',
      '4:13 `dimensions[0].hidden` must be `true` or `false`, not `yes`.',
    ],
    [
      'dimensions:\n  - name: id\n    hidden:\n',
      /^4:\d+ `dimensions\[0\].hidden` must be `true` or `false`, not nothing\.$/,
    ],
    ['dimensions:\n  - type: number\n', '3:5 The required key `name` is missing in `dimensions[0]`.'],
    ['dimensions: id\n', '2:13 `dimensions` must be a list (each item on a line that begins with `-`), not `id`.'],
    [
      'measures:\n  - { name: a, type: summ, sql: b }\n',
      /^3:22 `measures\[0\].type` must be one of count, .*, not `summ`; did you mean `sum`\?$/,
    ],
    [
      'measures:\n  - { name: a, type: sum, sql: id, additive: over time }\n',
      /^3:46 `measures\[0\].additive` must be not over time, not `over time`/,
    ],
    [
      'freshness: { column: at, within: 1 day }\n',
      '2:34 `freshness.within` must be a time such as 30m, 24h or 7d, not `1 day`.',
    ],
    [
      'freshness: { column: placed, within: 24h }\ndimensions: [{ name: placed_at, type: timestamp }]\n',
      '2:22 There is no dimension `placed` to tell how new the rows are; did you mean `placed_at`?',
    ],
    [
      'freshness: { column: id, within: 24h }\ndimensions: [{ name: id }]\n',
      '2:22 The dimension `id` is no date or timestamp, so it cannot tell how new the rows are.',
    ],
    [
      'freshness: { column: at, within: 24h }\ndimensions: [{ name: at, type: date, hidden: true }]\n',
      '2:22 The dimension `at` is hidden or masked; name one that everybody may see.',
    ],
    ['synonyms: [a, {b: c}]\n', '2:15 `synonyms[1]` must be text, not a map.'],
    [
      'dimensions:\n  - { name: a, sample_values: [[1]] }\n',
      /^3:32 `dimensions\[0\].sample_values\[0\]` must be text, a number, true\/false or null, not a list\.$/,
    ],
    [
      'joins:\n  - { target: customers, relationship: many_to_one, on: customer_id }\n',
      /^3:57 `joins\[0\].on` must be a map or a list, not `customer_id`\.$/,
    ],
    [
      'joins:\n  - { target: customers, relationship: many_to_one, on: [] }\n',
      '3:57 `joins[0].on` must not be an empty list.',
    ],
    [
      'dimensions:\n  - { name: a, range: [2024-11-01, soon] }\n',
      '3:36 `dimensions[0].range[1]` must be a date or timestamp such as 2024-11-01, not `soon`.',
    ],
    [
      'dimensions:\n  - { name: a, range: [2024-11-01] }\n',
      /^3:23 `dimensions\[0\].range` must be a list of 2 values, not of 1\.$/,
    ],
    ['row_count: many\n', '2:12 `row_count` must be a number, not `many`.'],
    ['description: " "\nname: ""\n', '3:7 `name` must not be empty.'],
  ])('%j', async (text, expected) => {
    const problems = await orders(text);
    expect(problems).toEqual([typeof expected === 'string' ? expected : expect.stringMatching(expected)]);
  });

  test('an entity without a table, and a file that is no map', async () => {
    expect(await problemsOf('entities/a.yml', 'name: a\n')).toEqual(['1:1 The required key `table` is missing.']);
    expect(await problemsOf('entities/a.yml', 'table:\n')).toEqual(['1:7 `table` must be text, not nothing.']);
    expect(await problemsOf('entities/a.yml', '- table: a\n')).toEqual([
      '1:1 The file must be a map of keys and values, not a list.',
    ]);
  });

  test('an entity that does not match is left out whole, so that a misspelt `hidden` shows nothing', async () => {
    using folder = layerFolder({ 'entities/a.yml': 'table: a\ndimensions:\n  - { name: ssn, hiden: true }\n' });
    const model = await loadSemanticLayer(folder.dir);
    expect(model.entities).toEqual([]);
    expect(model.problems).toHaveLength(1);
  });

  test('valid items of a list are kept', async () => {
    using folder = layerFolder({
      'entities/customers.yml': customers,
      'glossary.yml': 'terms:\n  - { term: good }\n  - { trem: bad }\n',
      'metrics/m.yml':
        'metrics:\n  - { id: good, entity: customers, measure: count }\n  - { id: bad, unit: 5, entity: customers, measure: count }\n',
    });
    const model = await loadSemanticLayer(folder.dir);
    expect(model.glossary.map(({ term }) => term)).toEqual(['good']);
    expect(model.metrics.map(({ id }) => id)).toEqual(['good']);
    expect(model.problems.map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual([
      'glossary.yml:3:5',
      'glossary.yml:3:7',
      'metrics/m.yml:3:22',
    ]);
  });

  test.each([
    ['glossary.yml', '- term: a\n', '1:1 The file needs a list under `terms`.'],
    ['glossary.yml', 'terms: { a: b }\n', '1:8 `terms` must be a list (each item on a line that begins with `-`).'],
    ['metrics/m.yml', 'metrics: []\nowner: x\n', '2:1 Unknown key `owner`; this file holds one list, under `metrics`.'],
    ['catalog.yml', 'title: x\n', /^1:1 Unknown key `title`/],
    [
      'orders.yml',
      'table: orders\n',
      '1:1 This file is not read here: move it to `entities/`, `metrics/` or `verified/`.',
    ],
  ])('%s: %j', async (path, text, expected) => {
    expect(await problemsOf(path, text)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });
});

describe('references', () => {
  test('to unknown dimensions or in a circle remove what depends on them', async () => {
    using folder = layerFolder({
      'entities/orders.yml': `table: orders
dimensions:
  - { name: good, sql: "{id} || '{not_a_reference}'" }
  - { name: id }
  - { name: a, sql: "{B} + 1" }
  - { name: b, sql: "{a}" }
  - { name: c, sql: "{nowhere}" }
  - { name: d, sql: "{c}" }
  - { name: e, sql: "{f}", hidden: true }
measures:
  - { name: m, type: sum, sql: "{d}" }
  - { name: n, type: sum }
  - { name: ok, type: sum, sql: "{good}" }
segments:
  - { name: s, sql: "{goood} = 1" }
`,
    });
    const model = await loadSemanticLayer(folder.dir);
    const entity = model.entity('orders');
    expect(entity?.dimensions.map(({ name }) => name)).toEqual(['good', 'id', 'e']);
    expect(entity?.dimensions.at(-1)?.hidden).toBe(true);
    expect(entity?.measures.map(({ name }) => name)).toEqual(['ok']);
    expect(entity?.segments).toEqual([]);
    expect(model.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
      '5:21 The `sql` of `a` refers to itself.',
      '6:21 The `sql` of `b` refers to itself.',
      '7:21 `{nowhere}` names no dimension of this entity.',
      '9:21 `{f}` names no dimension of this entity; did you mean `a`?',
      '11:32 `{d}` names no dimension of this entity; did you mean `id`?',
      '12:5 The measure `n` needs `sql`: the expression of its `sum`.',
      '15:21 `{goood}` names no dimension of this entity; did you mean `good`?',
    ]);
  });

  test('a dimension that is declared twice and hidden once is hidden', async () => {
    using folder = layerFolder({
      'entities/a.yml': 'table: a\ndimensions:\n  - { name: ssn }\n  - { name: SSN, hidden: true }\n',
    });
    const model = await loadSemanticLayer(folder.dir);
    expect(model.entity('a')?.dimensions).toEqual([{ name: 'ssn', sql: 'ssn', type: 'string', hidden: true }]);
    expect(model.problems).toMatchObject([{ line: 4, column: 13 }]);
  });

  test('joins with an unknown target, without distinct names or to another connection are reported', async () => {
    using folder = layerFolder({
      'entities/customers.yml': customers,
      'crm/entities/leads.yml': 'table: leads\n',
      'entities/orders.yml': `table: orders
joins:
  - { target: custmers, relationship: many_to_one, on: { from: a, to: id } }
  - { target: customers, relationship: many_to_one, on: { from: buyer_id, to: id } }
  - { target: customers, relationship: many_to_one, on: { from: payer_id, to: id } }
  - { target: customers, name: shipped_to, relationship: many_to_one, on: [{ from: x, to: id }, { from: y, to: k }] }
  - { target: leads, relationship: many_to_one, on: { from: lead_id, to: id } }
`,
    });
    const model = await loadSemanticLayer(folder.dir);
    expect(model.entity('orders')?.joins.map(({ name }) => name)).toEqual([
      'customers',
      'customers_payer_id',
      'shipped_to',
    ]);
    expect(model.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
      '3:15 There is no entity `custmers`; did you mean `customers`?',
      '5:5 3 joins lead to `customers`; give each of them a `name`.',
      '7:15 `leads` is on another connection and cannot be joined; query the two separately.',
    ]);
  });

  test('metrics, glossary and catalog name only what exists', async () => {
    using folder = layerFolder({
      'entities/customers.yml': `${customers}measures:\n  - { name: people, type: count }\n`,
      'metrics/m.yml': `metrics:
  - { id: a, entity: custmers, measure: people }
  - { id: b, entity: customers, measure: peple }
  - { id: c, entity: customers }
  - { id: d, measure: people }
  - { id: e, entity: customers, measure: people, dimensions: [id, nowhere] }
  - { id: E, entity: customers, measure: people }
`,
      'glossary.yml': `terms:
  - { term: a, entity: nobody, sql: x = 1 }
  - { term: b, meanings: [{ name: x, entity: customers, measure: nope }, { name: y, metric: nope }] }
  - { term: A }
`,
      'catalog.yml': 'entities:\n  - { name: nobody }\n',
    });
    const model = await loadSemanticLayer(folder.dir);
    expect(model.metrics.map(({ id, dimensions }) => [id, dimensions])).toEqual([['e', ['id']]]);
    expect(model.glossary.map(({ term, sql }) => [term, sql])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
    expect(model.problems.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)).toEqual([
      'catalog.yml:2:13 There is no entity `nobody`.',
      'glossary.yml:2:24 There is no entity `nobody`.',
      'glossary.yml:3:66 The entity `customers` has no measure `nope`.',
      'glossary.yml:3:93 There is no metric `nope`.',
      'glossary.yml:4:13 The term `A` is declared twice; merge the two.',
      'metrics/m.yml:2:22 There is no entity `custmers`; did you mean `customers`?',
      'metrics/m.yml:3:42 The entity `customers` has no measure `peple`; did you mean `people`?',
      'metrics/m.yml:4:5 The metric `c` needs a `measure` of its entity, or `sql`.',
      'metrics/m.yml:5:23 The metric `d` needs `entity`: whose measure it is.',
      'metrics/m.yml:6:67 There is no dimension `nowhere` on `customers`.',
      'metrics/m.yml:7:11 The metric `E` is declared twice; rename or remove one.',
    ]);
  });

  test('an entity that is declared twice is used once', async () => {
    using folder = layerFolder({ 'entities/a.yml': 'table: x\n', 'entities/b.yml': 'table: t\nname: X\n' });
    const model = await loadSemanticLayer(folder.dir);
    expect(model.entities.map(({ file }) => file)).toEqual(['entities/a.yml']);
    expect(model.problems).toMatchObject([{ file: 'entities/b.yml', line: 2, column: 7 }]);
    expect(model.problems[0]?.message).toBe(
      'The entity `X` is already declared in `entities/a.yml`; rename or remove one.',
    );
  });

  test('a broken file is reported once, not for each reference to it', async () => {
    using folder = layerFolder({
      'entities/orders.yml':
        'table: orders\njoins:\n  - { target: customers, relationship: many_to_one, on: { from: a, to: id } }\n',
      'entities/customers.yml': 'table: [\n',
    });
    const model = await loadSemanticLayer(folder.dir);
    expect(new Set(model.problems.map(({ file }) => file))).toEqual(new Set(['entities/customers.yml']));
    expect(model.entity('orders')?.joins).toEqual([]);
  });
});

describe('the folder', () => {
  test('missing or empty is an empty model that says what to do', async () => {
    const missing = await loadSemanticLayer('/nowhere/semantic');
    expect(missing.entities).toEqual([]);
    expect(missing.problems).toMatchObject([{ file: '.', line: 1, column: 1 }]);
    expect(missing.problems[0]?.message).toMatch(
      /^There is no semantic layer in `.*`; write one as docs\/semantic-layer.md shows/,
    );
    using folder = layerFolder();
    expect((await loadSemanticLayer(folder.dir)).problems).toMatchObject([
      { message: expect.stringContaining('no entities yet') },
    ]);
  });

  test('links are followed inside the layer and refused out of it', async () => {
    using outside = layerFolder({ 'entities/secret.yml': 'table: secret\n', 'plain.yml': 'table: plain\n' });
    using folder = layerFolder({ 'entities/customers.yml': customers, '..data/orders.yml': 'table: orders\n' });
    symlinkSync('../..data/orders.yml', join(folder.dir, 'entities/orders.yml'));
    symlinkSync(join(outside.dir, 'plain.yml'), join(folder.dir, 'entities/plain.yml'));
    symlinkSync(outside.dir, join(folder.dir, 'elsewhere'));
    symlinkSync('/nowhere', join(folder.dir, 'entities/gone.yml'));
    const model = await loadSemanticLayer(folder.dir);
    expect(model.entities.map(({ name }) => name)).toEqual(['customers', 'orders']);
    expect(model.problems.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      'elsewhere: This link leads out of the semantic layer and is not followed.',
      'entities/gone.yml: This link is broken; remove or repair it.',
      'entities/plain.yml: This link leads out of the semantic layer and is not followed.',
    ]);
  });

  test('the root itself may be a link', async () => {
    using folder = layerFolder({ 'real/entities/customers.yml': customers });
    symlinkSync(join(folder.dir, 'real'), join(folder.dir, 'link'));
    expect((await loadSemanticLayer(join(folder.dir, 'link'))).entities).toHaveLength(1);
  });

  test('the order of loading does not change the model', async () => {
    using folder = layerFolder();
    for (const name of ['b', 'a', 'c']) writeFileSync(join(folder.dir, `${name}.txt`), '');
    folder.write('entities/b.yml', 'table: b\n');
    folder.write('entities/a.yml', 'table: a\n');
    expect((await loadSemanticLayer(folder.dir)).entities.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});
