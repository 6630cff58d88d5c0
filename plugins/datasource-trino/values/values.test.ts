import { describe, expect, it } from 'vitest';
import { parseJson, RowCollector } from '../../datasource-kit/index.ts';
import { Decoders } from './values.ts';

const LIMITS = { maxRows: 10, maxBytes: 1_000_000, maxCellBytes: 120 };

/** The cell that a value of JSON becomes, and what is noted of it. */
function decoded(type: string, value: string) {
  const collector = new RowCollector(['x'], LIMITS);
  collector.add([new Decoders().of(type)(parseJson(value), LIMITS.maxCellBytes)]);
  return { cell: collector.rows[0]?.[0], notes: collector.notes };
}

describe('values', () => {
  it.each<[type: string, value: string, cell: unknown]>([
    ['boolean', 'true', true],
    ['tinyint', '-128', -128],
    ['bigint', '9007199254740991', 9007199254740991],
    ['bigint', '9007199254740992', '9007199254740992'],
    ['bigint', 'null', null],
    ['real', '1.5', 1.5],
    ['double', '0.30000000000000004', 0.30000000000000004],
    ['double', '1.0E-7', 1e-7],
    ['decimal(10,2)', '"19.90"', 19.9],
    ['decimal(38,20)', '"3.33333333333333333333"', '3.33333333333333333333'],
    ['varchar(10)', '"grün"', 'grün'],
    ['char(5)', '"ab   "', 'ab   '],
    ['varbinary', '"YXRsYXM="', 'YXRsYXM='],
    ['json', '"{\\"a\\": [1, 9007199254740993]}"', { a: [1, '9007199254740993'] }],
    ['date', '"2024-02-29"', '2024-02-29'],
    ['time(3)', '"12:30:00.500"', '12:30:00.5'],
    ['time(6) with time zone', '"12:30:00.000000+01:00"', '12:30:00+01:00'],
    ['timestamp(3)', '"2024-02-29 12:30:00.000"', '2024-02-29T12:30:00'],
    ['timestamp(12)', '"2024-02-29 12:30:00.123456789012"', '2024-02-29T12:30:00.123456789012'],
    ['timestamp(3) with time zone', '"2024-02-29 12:30:00.500 UTC"', '2024-02-29T12:30:00.5Z'],
    ['timestamp(3) with time zone', '"2024-02-29 12:30:00.000 +05:30"', '2024-02-29T07:00:00Z'],
    ['timestamp(3) with time zone', '"2024-02-29 12:30:00.000 -08:00"', '2024-02-29T20:30:00Z'],
    ['timestamp(6) with time zone', '"2024-07-01 12:30:00.000001 Europe/Vienna"', '2024-07-01T10:30:00.000001Z'],
    ['timestamp(0) with time zone', '"2024-01-01 00:30:00 Europe/Vienna"', '2023-12-31T23:30:00Z'],
    ['timestamp(0) with time zone', '"2024-03-31 03:30:00 Europe/Vienna"', '2024-03-31T01:30:00Z'],
    ['timestamp(0) with time zone', '"2024-10-27 02:30:00 Europe/Vienna"', '2024-10-27T00:30:00Z'],
    ['timestamp(0) with time zone', '"2024-10-27 03:30:00 Europe/Vienna"', '2024-10-27T02:30:00Z'],
    ['interval day to second', '"3 04:05:06.789"', 'P3DT4H5M6.789S'],
    ['interval day to second', '"-0 00:00:01.500"', 'PT-1.5S'],
    ['interval day to second', '"0 00:00:00.000"', 'PT0S'],
    ['interval day to second', '"2 00:00:00.000"', 'P2D'],
    ['interval year to month', '"2-3"', 'P2Y3M'],
    ['interval year to month', '"-2-3"', 'P-2Y-3M'],
    ['interval year to month', '"0-0"', 'P0M'],
    ['array(bigint)', '[1, null, 9007199254740993]', [1, null, '9007199254740993']],
    ['array(array(varchar))', '[["a"], []]', [['a'], []]],
    ['map(varchar,decimal(4,1))', '{"a": "1.5", "b": null}', { a: 1.5, b: null }],
    ['map(varchar,bigint)', '{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
    [
      'row(a bigint,"b c" timestamp(3) with time zone)',
      '[1, "2024-02-29 12:30:00.000 UTC"]',
      { a: 1, 'b c': '2024-02-29T12:30:00Z' },
    ],
    ['row(bigint,interval day to second)', '[1, "1 00:00:00.000"]', [1, 'P1D']],
    ['row(a bigint,a bigint)', '[1, 2]', [1, 2]],
    ['row("x,(""y" array(map(varchar,row(z double))))', '[[{"k": ["NaN"]}]]', { 'x,("y': [{ k: { z: 'NaN' } }] }],
    ['uuid', '"12151fd2-7586-11e9-8f9e-2a86e4085a59"', '12151fd2-7586-11e9-8f9e-2a86e4085a59'],
    ['ipaddress', '"10.0.0.1"', '10.0.0.1'],
    ['Geometry', '"POINT (1 2)"', 'POINT (1 2)'],
    ['unknown', 'null', null],
  ])('%s %s', (type, value, cell) => {
    expect(decoded(type, value).cell).toEqual(cell);
  });

  it('that JSON has no number for are texts, noted', () => {
    for (const text of ['NaN', 'Infinity', '-Infinity']) {
      const { cell, notes } = decoded('double', JSON.stringify(text));
      expect(cell).toBe(text);
      expect(notes.join()).toMatch(/given as text/);
    }
    expect(decoded('HyperLogLog', '"AgwBAA=="')).toEqual({
      cell: 'AgwBAA==',
      notes: ['Column "x" holds states of aggregate functions, given as base64 text.'],
    });
  });

  it('that are too long or too deep are texts, cut', () => {
    const long = decoded('array(varchar)', JSON.stringify(Array(100).fill('abc')));
    expect(String(long.cell)).toHaveLength(120);
    expect(long.notes.join()).toContain('cut');
    let [type, value] = ['bigint', '1'];
    for (let depth = 0; depth < 55; depth += 1) [type, value] = [`array(row(${type}))`, `[[${value}]]`];
    expect(typeof decoded(type, value).cell).toBe('string');
  });

  it('of types without end are given as JSON has them', () => {
    const deep = `${'array('.repeat(3_000)}bigint${')'.repeat(3_000)}`;
    expect(decoded(deep, '[[1]]').cell).toEqual([[1]]);
    expect(decoded(`row(${'a bigint,'.repeat(5_000)}b bigint)`, '[1]').cell).toEqual([1]);
  });

  it('of another shape than their type says do no harm', () => {
    for (const [type, value] of [
      ['array(bigint)', '"x"'],
      ['map(varchar,bigint)', '[1]'],
      ['row(a bigint)', '{}'],
    ] as const) {
      expect(() => decoded(type, value)).not.toThrow();
    }
    expect(decoded('timestamp(3) with time zone', '"now"').cell).toBe('now');
    expect(decoded('interval day to second', '"x"').cell).toBe('x');
  });
});
