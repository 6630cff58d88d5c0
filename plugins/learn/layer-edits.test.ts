import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { editedText } from './layer-edits.ts';
import type { Proposal } from './proposal.ts';

const owner = { name: 'orders', source: 'default', file: 'entities/orders.yml' };
const common = { owner, seen: 3, support: { statements: 3, people: 1, days: 3 }, summary: '' };
const measure: Proposal = { ...common, kind: 'measure', value: { name: 'revenue', type: 'sum', sql: 'total' } };
const join: Proposal = {
  ...common,
  kind: 'join',
  value: { target: 'customers', relationship: 'many_to_one', on: [{ from: 'customer_id', to: 'id' }] },
};
const synonym = (name: string | null, value: string): Proposal => ({
  ...common,
  kind: 'synonym',
  member: name === null ? null : { list: 'dimensions', name },
  value,
});

/** Every line of the text, in its order. */
function keepsLines(before: string, after: string): void {
  const lines = after.split('\n');
  let at = 0;
  for (const line of before.split('\n')) {
    at = lines.indexOf(line, at);
    expect(at, line).toBeGreaterThanOrEqual(0);
    at += 1;
  }
}

describe('what is added to a file', () => {
  it.each([
    [
      'indented lists',
      'table: a # first\ndimensions:\n  - name: x   # why\n\n  # note\n  - name: y\n    description: >\n      long\n      text\nmeasures:\n  - name: n\n    type: count\n\n# end\n',
    ],
    ['lists at the margin', 'table: a\ndimensions:\n- name: x\n  type: number # n\n- name: y\n# end\n'],
    [
      'wide indents',
      'table: a\ndimensions:\n    -   name: x\n        type: number\n    -   name: y\nmeasures:\n    -   name: n\n        type: count\n',
    ],
    ['lists on one line', 'table: a\ndimensions: [{name: x}, { name: y }] # both\nmeasures: []\njoins: [ ]\n'],
    [
      'synonyms',
      'table: a\nsynonyms: [b]\ndimensions:\n  - name: x\n    synonyms:\n      - one # 1\n    type: number\n  - { name: y, synonyms: [ two ] }\n',
    ],
    ['a block at the end', 'table: a\ndimensions:\n  - name: x\n  - name: y\n    description: |\n      text\n'],
    ['quotes and no line break at the end', '"table": "a"\ndimensions:\n  - "name": x\n  - name: \'y\''],
  ])('stands between the lines of one with %s', (_, text) => {
    const proposals = [measure, join, synonym('x', 'ex'), synonym('y', 'why not'), synonym(null, 'a: b')];
    const after = editedText(text, proposals);
    if (!text.includes('[')) keepsLines(text, after);
    for (const comment of text.match(/#.*/g) ?? []) expect(after).toContain(comment);
    const [before, value] = [parse(text), parse(after)];
    const [x, y] = before.dimensions;
    expect(value).toEqual({
      ...before,
      synonyms: [...(before.synonyms ?? []), 'a: b'],
      dimensions: [
        { ...x, synonyms: [...(x.synonyms ?? []), 'ex'] },
        { ...y, synonyms: [...(y.synonyms ?? []), 'why not'] },
      ],
      measures: [...(before.measures ?? []), measure.value],
      joins: [{ target: 'customers', relationship: 'many_to_one', on: { from: 'customer_id', to: 'id' } }],
    });
  });

  it('has the line breaks of the file', () => {
    const after = editedText('table: a\r\ndimensions:\r\n  - name: x\r\n', [measure]);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(parse(after).measures).toEqual([measure.value]);
  });

  it('leaves a file alone that is none of an entity', () => {
    for (const text of ['table: [', '- a\n', '', 'text']) expect(editedText(text, [measure])).toBe(text);
  });
});
