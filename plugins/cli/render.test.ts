import { describe, expect, it } from 'vitest';
import { originText, renderAnswer, renderCsv, renderTable } from './render.ts';

const row = (columns: readonly string[], value: string) => Object.fromEntries(columns.map((name) => [name, value]));
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

describe('a table', () => {
  it.each([40, 60, 100])('keeps to a width of %i', (width) => {
    const columns = ['id', 'description', 'customer_name', 'amount'];
    const drawn = renderTable(
      { columns, rows: [row(columns, 'a rather long text '.repeat(4))] },
      { color: false, width },
    );
    expect(widest(drawn)).toBeLessThanOrEqual(width);
    expect(drawn).toContain('…');
  });

  it('leaves out columns for which there is no room, and names them', () => {
    const columns = Array.from({ length: 20 }, (_, index) => `column_${index}`);
    const drawn = renderTable({ columns, rows: [row(columns, 'a value of some length')] }, { color: false, width: 80 });
    expect(widest(drawn.split('\n').slice(0, -1).join('\n'))).toBeLessThanOrEqual(80);
    expect(drawn).toMatch(/… 13 more columns: column_7, .*column_19$/);
  });

  it('is as wide as its values where nothing says how wide it may be', () => {
    const drawn = renderTable(
      { columns: ['a'], rows: [{ a: 'x'.repeat(60) }, { a: '東京'.repeat(10) }] },
      { color: false },
    );
    expect(drawn).toContain('x'.repeat(60));
    expect(drawn).toContain('東京'.repeat(10));
  });
});

it('an answer says why there are no rows, once', () => {
  const data = [{ columns: ['n'], rows: [], explanation: { text: 'No town has any.' } }];
  const drawn = (answer: string) => renderAnswer({ answer, sql: ['SELECT 1'], data }, { color: false });
  expect(drawn('None.')).toBe('None.\n\nSQL\n  SELECT 1\n\nNo rows.\n\nNo town has any.\n');
  expect(drawn('None. No town has any.').match(/No town/g)).toHaveLength(1);
});

it('an answer says what else the question may mean, once', () => {
  const data = [{ columns: ['n'], rows: [{ n: 1 }], readings: { text: 'By sent on 1, by paid on 2.' } }];
  const drawn = (answer: string) => renderAnswer({ answer, sql: ['SELECT 1'], data }, { color: false });
  expect(drawn('One.')).toMatch(/\n\nBy sent on 1, by paid on 2\.\n$/);
  expect(drawn('By sent on 1, by paid on 2.').match(/By sent/g)).toHaveLength(1);
});

it('a table has the formats of the layer, CSV the values as they are', () => {
  const table = {
    columns: ['n'],
    rows: [{ n: 1234.567 }],
    formats: { n: { style: 'currency', unit: 'USD' } },
  } as const;
  expect(renderTable(table, { color: false })).toContain(' 1,234.57 USD ');
  expect(renderCsv(table)).toContain('1234.567');
});

it('says where rows come from, without signs that steer a terminal', () => {
  const provenance = {
    tables: [{ name: 'orders\u001b[2J', freshness: null }],
    measures: [],
    filters: [],
    periods: [],
    joins: [],
    policies: ['rows'],
    limit: { rows: null, truncated: false, sampled: false },
    assumptions: [],
  } as const;
  expect(originText({ provenance })).toEqual(['From: orders\\u001b[2J', '      row security limits the rows']);
  expect(originText({})).toEqual([]);
});

it('CSV has a header, quotes and no formulas', () => {
  const rows = [
    { 'a,b': 'x,"y"', total: -1 },
    { 'a,b': '=1+1', total: '-3.3333333333333333' },
    { 'a,b': null, total: { n: 1 } },
  ];
  expect(renderCsv({ columns: ['a,b', 'total'], rows })).toBe(
    '"a,b",total\r\n"x,""y""",-1\r\n\'=1+1,-3.3333333333333333\r\n,"{""n"":1}"\r\n',
  );
});
