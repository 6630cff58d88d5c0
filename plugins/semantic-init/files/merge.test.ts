/** Tests how generated content is merged into files that people changed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Content, mergeFile } from './merge.ts';
import { splitRecord } from './written-record.ts';

const ORDERS: Content = {
  table: 'orders',
  description: 'Orders of the shop.',
  dimensions: [
    { name: 'id', type: 'number', primary_key: true },
    { name: 'total', type: 'number' },
    { name: 'status', type: 'string', sample_values: ['new', 'sent'] },
  ],
  measures: [{ name: 'order_count', type: 'count' }],
  joins: [{ target: 'customers', relationship: 'many_to_one', on: [{ from: 'customer_id', to: 'id' }] }],
};
const dimensions = ORDERS.dimensions as Record<string, unknown>[];
const WITH_NEW: Content = { ...ORDERS, dimensions: [...dimensions, { name: 'paid_on', type: 'date' }] };

const fresh = mergeFile(undefined, ORDERS).text;
const merged = (text: string, content: Content) => {
  const result = mergeFile(text, content);
  expect(result.refusal).toBeUndefined();
  expect(mergeFile(result.text, content)).toEqual({ text: result.text, added: [] });
  return { ...result, value: parse(result.text) };
};

describe('a file that nobody changed', () => {
  it('has the content, and is the same after another run', () => {
    expect(parse(fresh)).toEqual(ORDERS);
    expect(mergeFile(fresh, ORDERS)).toEqual({ text: fresh, added: [] });
  });

  it('follows the database', () => {
    const content = {
      ...ORDERS,
      description: 'All orders.',
      dimensions: [dimensions[0], { name: 'total', type: 'string' }, dimensions[2]],
    };
    expect(merged(fresh, content).value).toEqual(content);
  });

  it('keeps what is gone from the database', () => {
    expect(merged(fresh, { ...ORDERS, dimensions: dimensions.slice(0, 2) }).value).toEqual(ORDERS);
  });
});

describe('a file that a person changed', () => {
  const edited = fresh
    .replace('description: Orders of the shop.', 'description: "Ours"   # do not touch')
    .replace('  - name: total\n', '  # in cents!\n  - name: total # gross\n')
    .replace(/ {2}- name: id\n.*\n.*\n/, '')
    .replace('joins:', '\n# how tables belong together\njoins:');

  it('keeps every line and its place, and gets what is new', () => {
    const { text, value, added } = merged(edited, WITH_NEW);
    const lines = splitRecord(edited).body.split('\n');
    expect(
      splitRecord(text)
        .body.split('\n')
        .filter((line) => lines.includes(line)),
    ).toEqual(lines);
    expect(added).toEqual(['dimensions/paid_on']);
    expect(value.dimensions.map(({ name }: { name: string }) => name)).toEqual(['total', 'status', 'paid_on']);
    expect(value.description).toBe('Ours');
    expect(text).toContain('  - name: paid_on\n    type: date\nmeasures:');
  });

  it('does not get back what was deleted: an item, a list, a key', () => {
    const without = fresh.replace(/joins:\n(?: .*\n)*/, '').replace(/description: .*\n/, '');
    expect(merged(without, WITH_NEW).value).toEqual({ ...WITH_NEW, joins: undefined, description: undefined });
    const comeBack = without.replace(/customers=\w+/, 'customer=1');
    expect(merged(comeBack, ORDERS).value.joins).toEqual(ORDERS.joins);
  });

  it('leaves a renamed part alone, and does not add it under its old name', () => {
    const renamed = fresh
      .replace('name: total', 'name: amount\n    sql: total')
      .replace('name: order_count', 'name: orders');
    const { value } = merged(renamed, WITH_NEW);
    expect(value.dimensions.map(({ name }: { name: string }) => name)).toEqual(['id', 'amount', 'status', 'paid_on']);
    expect(value.measures).toEqual([{ name: 'orders', type: 'count' }]);
  });
});

describe('a file that a person wrote', () => {
  it.each([
    ['without an end of line', 'table: orders\ndimensions:\n- name: id\n- name: gross\n  sql: "total"'],
    [
      'with lists on one line',
      'table: orders\ndimensions: [{name: id}, {name: gross, sql: total}]\nmeasures: []\njoins:\n',
    ],
    ['with Windows line ends', 'table: orders\r\ndimensions:\r\n  - name: id\r\n  - {name: gross, sql: total}\r\n'],
    [
      'with dashes on their own lines',
      'dimensions:\n  -\n    name: id\n  -\n    name: gross\n    sql: total\n# the end\ntable: orders\n',
    ],
    [
      'with long texts',
      'table: orders\ndescription: |+\n  Some text\n\n\ndimensions:\n    - name: id\n    - name: gross\n      sql: total\n      description: >\n        more\n        text\n',
    ],
  ])('%s keeps it and gets the rest', (_, text) => {
    const { value, added, text: after } = merged(text, ORDERS);
    expect(value.dimensions.map(({ name }: { name: string }) => name)).toEqual(['id', 'gross', 'status']);
    expect(value.joins).toEqual(ORDERS.joins);
    expect(added).toContain('measures/order_count');
    for (const line of text.split(/\r?\n/).filter((line) => !/\[/.test(line))) expect(after).toContain(line);
    if (text.includes('\r')) expect(splitRecord(after).body).not.toMatch(/[^\r]\n/);
  });

  it('that has everything already is not touched', () => {
    const text =
      'table: orders\ndescription: x\ndimensions: [{name: id}, {name: total}, {name: status}]\nmeasures: [{name: n, type: count}]\njoins: [{name: buyer, target: customers, relationship: many_to_one, on: [{from: customer_id, to: id}]}]\n';
    expect(mergeFile(text, ORDERS)).toEqual({ text, added: [] });
  });

  it.each([
    ['table: [orders', 'it is not valid YAML'],
    ['- table: orders', 'it is not a map of keys and values'],
    ['{table: orders}', 'it is not a map of keys and values'],
    ['# only this', 'it holds comments only'],
  ])('%j is left as it is', (text, refusal) => {
    expect(mergeFile(text, ORDERS)).toEqual({ text, added: [], refusal });
  });
});

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const text = fc.oneof(
  word,
  fc.string({ maxLength: 130 }),
  fc.constantFrom('a: b', '- x', '# no', 'line\nline', ' ', 'ä%=:', '|'),
);
const items = (extra: fc.Arbitrary<object>) =>
  fc.uniqueArray(
    fc.tuple(fc.oneof(word, text), extra).map(([name, more]) => ({ name, ...more })),
    { selector: ({ name }) => name.toLowerCase(), maxLength: 6 },
  );
const content = fc.record({
  table: word,
  description: text,
  dimensions: items(
    fc.record({ type: fc.constantFrom('string', 'number'), description: text }, { requiredKeys: ['type'] }),
  ),
  measures: items(fc.record({ type: fc.constant('sum'), sql: text })),
});
const isAlike = (one: unknown, other: unknown) => String(one).toLowerCase() === String(other).toLowerCase();
const same = (list: string, one: Record<string, unknown>, other: Record<string, unknown>) =>
  isAlike(one.name, other.name) || (list === 'measures' && isAlike(one.sql, other.sql));

describe('for any content', () => {
  it('a second run changes no byte, and a first run has it all', () => {
    fc.assert(
      fc.property(content, (any) => {
        const first = mergeFile(undefined, any);
        const lists = Object.entries(any).filter(([, value]) => value.length > 0 || typeof value === 'string');
        expect(parse(first.text)).toEqual(Object.fromEntries(lists));
        expect(mergeFile(first.text, any).text).toBe(first.text);
      }),
    );
  });

  it('lines that a person added or changed stay, in order, and nothing deleted comes back', () => {
    fc.assert(
      fc.property(
        content,
        content,
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.context(),
        (before, after, edits, context) => {
          const written = mergeFile(undefined, before).text;
          const { body, record } = splitRecord(written);
          const lines = body.split('\n');
          // A person comments, changes values and deletes items.
          for (const edit of edits) {
            const index = edit % lines.length;
            const line = lines[index] ?? '';
            if (/^ {2}- name: [a-z]+$/.test(line) && edit % 3 === 0) lines[index] = `${line} # ours`;
            else if (/^ {4}type: string$/.test(line)) lines[index] = '    type: number';
            else if (/^(?: {2}-|[a-z])/.test(line)) lines.splice(index, 0, '  # a comment');
          }
          const edited = lines.join('\n') + record;
          context.log(edited);
          const result = mergeFile(edited, after);
          if (result.refusal !== undefined) {
            expect(result.text).toBe(edited);
            return;
          }
          expect(mergeFile(result.text, after).text).toBe(result.text);
          const value = parse(result.text);
          const old = parse(edited);
          for (const list of ['dimensions', 'measures'] as const) {
            for (const item of after[list]) {
              const isThere = (value[list] ?? []).some((other: Record<string, unknown>) => same(list, item, other));
              const wasKnown = before[list].some(({ name }) => name === item.name);
              if (!wasKnown) expect(isThere, `${list} ${item.name}`).toBe(true);
            }
            const names = (of: Record<string, { name: string }[]>) => (of[list] ?? []).map(({ name }) => name);
            expect(names(value).slice(0, names(old).length)).toEqual(names(old));
          }
          const comments = (text: string) => splitRecord(text).body.match(/# (?:ours|a comment)$/gm)?.length ?? 0;
          expect(comments(result.text)).toBe(comments(edited));
        },
      ),
      { numRuns: 300 },
    );
  });
});
