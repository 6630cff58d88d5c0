import { describe, expect, it } from 'vitest';
import { RowCollector } from '../../datasource-kit/index.ts';
import { type Field, typeOf } from './fields.ts';
import { sinkType } from './sink-types.ts';
import { decoderOf } from './values.ts';

const LIMITS = { maxRows: 10, maxBytes: 1_000_000, maxCellBytes: 120 };

const field = (type: string, more: Partial<Field> = {}): Field => ({ name: 'x', type, ...more });
const array = (type: string, more: Partial<Field> = {}): Field => field(type, { ...more, mode: 'REPEATED' });
const struct = (...fields: Field[]): Field => field('RECORD', { fields });

/** The cell that a value of the API becomes, and what is noted of it. */
function decoded(of: Field, value: unknown) {
  const collector = new RowCollector(['x'], LIMITS);
  collector.add([decoderOf(of)(value, LIMITS.maxCellBytes)]);
  return { cell: collector.rows[0]?.[0], notes: collector.notes };
}

const v = (value: unknown) => ({ v: value });

describe('values', () => {
  it.each<[what: string, of: Field, value: unknown, cell: unknown]>([
    ['a boolean', field('BOOLEAN'), 'true', true],
    ['a boolean', field('BOOL'), 'false', false],
    ['an integer', field('INTEGER'), '-128', -128],
    ['an integer', field('INT64'), '9007199254740991', 9007199254740991],
    ['a long integer', field('INTEGER'), '9007199254740992', '9007199254740992'],
    ['null', field('INTEGER'), null, null],
    ['a real', field('FLOAT'), '0.30000000000000004', 0.30000000000000004],
    ['a real', field('FLOAT64'), '1e-07', 1e-7],
    ['a decimal', field('NUMERIC'), '19.90', 19.9],
    ['a long decimal', field('BIGNUMERIC'), '3.33333333333333333333', '3.33333333333333333333'],
    ['a text', field('STRING'), 'grün', 'grün'],
    ['a text that looks like a number', field('STRING'), '007', '007'],
    ['bytes', field('BYTES'), 'YXRsYXM=', 'YXRsYXM='],
    ['JSON', field('JSON'), '{"a": [1, 9007199254740993]}', { a: [1, '9007199254740993'] }],
    ['a date', field('DATE'), '2024-02-29', '2024-02-29'],
    ['a time', field('TIME'), '12:30:00.500000', '12:30:00.5'],
    ['a datetime', field('DATETIME'), '2024-02-29T12:30:00', '2024-02-29T12:30:00'],
    ['a datetime', field('DATETIME'), '2024-02-29T12:30:00.123400', '2024-02-29T12:30:00.1234'],
    ['a timestamp', field('TIMESTAMP'), '1709209800500000', '2024-02-29T12:30:00.5Z'],
    ['a timestamp before 1970', field('TIMESTAMP'), '-1', '1969-12-31T23:59:59.999999Z'],
    ['the first timestamp', field('TIMESTAMP'), '-62135596800000000', '0001-01-01T00:00:00Z'],
    ['the last timestamp', field('TIMESTAMP'), '253402300799999999', '9999-12-31T23:59:59.999999Z'],
    ['an interval', field('INTERVAL'), '1-2 3 4:5:6.789', 'P1Y2M3DT4H5M6.789S'],
    ['an interval', field('INTERVAL'), '-1-2 -3 -4:5:6', 'P-1Y-2M-3DT-4H-5M-6S'],
    ['no interval', field('INTERVAL'), '0-0 0 0:0:0', 'PT0S'],
    ['a geography', field('GEOGRAPHY'), 'POINT(1 2)', 'POINT(1 2)'],
    [
      'a range',
      field('RANGE', { rangeElementType: { type: 'DATE' } }),
      '[2024-01-01, UNBOUNDED)',
      '[2024-01-01, UNBOUNDED)',
    ],
    ['an array', array('INTEGER'), [v('1'), v(null), v('9007199254740993')], [1, null, '9007199254740993']],
    ['an empty array', array('STRING'), [], []],
    [
      'a struct',
      struct({ name: 'a', type: 'INTEGER' }, { name: 'b c', type: 'TIMESTAMP' }),
      { f: [v('1'), v('0')] },
      { a: 1, 'b c': '1970-01-01T00:00:00Z' },
    ],
    [
      'an array of structs with arrays',
      array('RECORD', {
        fields: [
          { name: 'a', type: 'STRING', mode: 'REPEATED' },
          { name: 'b', type: 'NUMERIC' },
        ],
      }),
      [v({ f: [v([v('x'), v('y')]), v('1.5')] }), v({ f: [v([]), v(null)] })],
      [
        { a: ['x', 'y'], b: 1.5 },
        { a: [], b: null },
      ],
    ],
    [
      'a struct with one name twice',
      struct({ name: 'a', type: 'INTEGER' }, { name: 'a', type: 'INTEGER' }),
      { f: [v('1'), v('2')] },
      [1, 2],
    ],
    [
      'a struct that could set a prototype',
      struct({ name: '__proto__', type: 'INTEGER' }),
      { f: [v('1')] },
      JSON.parse('{"__proto__": 1}'),
    ],
    ['a type that is not known', field('FUTURE'), 'x', 'x'],
  ])('%s', (_, of, value, cell) => {
    expect(decoded(of, value).cell).toEqual(cell);
  });

  it('that JSON has no number for are texts, noted', () => {
    for (const [text, cell] of [
      ['NaN', 'NaN'],
      ['Infinity', 'Infinity'],
      ['-Infinity', '-Infinity'],
      ['-inf', '-Infinity'],
    ]) {
      const read = decoded(field('FLOAT'), text);
      expect([read.cell, read.notes.join()]).toEqual([cell, expect.stringContaining('given as text')]);
    }
  });

  it('that are too long are texts, cut', () => {
    const long = decoded(array('STRING'), Array(100).fill(v('abc')));
    expect(String(long.cell)).toHaveLength(120);
    expect(long.notes.join()).toContain('cut');
  });

  it('of another shape than their type says do no harm', () => {
    for (const [of, value] of [
      [array('INTEGER'), 'x'],
      [array('INTEGER'), { f: [] }],
      [struct({ name: 'a', type: 'INTEGER' }), []],
      [struct({ name: 'a', type: 'INTEGER' }), 'x'],
      [field('INTEGER'), { a: 1 }],
      [array('RECORD', { fields: [{ name: 'a', type: 'STRING' }] }), [null, 1, {}]],
    ] as const) {
      expect(() => decoded(of, value)).not.toThrow();
    }
    expect(decoded(field('TIMESTAMP'), 'now').cell).toBe('now');
    expect(decoded(field('INTERVAL'), 'x').cell).toBe('x');
    expect(decoded(field('INTEGER'), '1234567890123456x').cell).toBe('1234567890123456x');
  });
});

it.each<[of: Field, type: string, sink: unknown]>([
  [field('INTEGER'), 'INT64', 'integer'],
  [field('NUMERIC', { precision: '10', scale: '2' }), 'NUMERIC(10, 2)', { precision: 38, scale: 9 }],
  [field('STRING', { maxLength: '10' }), 'STRING(10)', 'text'],
  [array('FLOAT'), 'ARRAY<FLOAT64>', 'json'],
  [field('RANGE', { rangeElementType: { type: 'DATE' } }), 'RANGE<DATE>', 'text'],
  [
    array('RECORD', {
      fields: [
        { name: 'a', type: 'BOOLEAN' },
        { name: 'b', type: 'TIMESTAMP', mode: 'REPEATED' },
      ],
    }),
    'ARRAY<STRUCT<a BOOL, b ARRAY<TIMESTAMP>>>',
    'json',
  ],
])('a type is described and handed on: %j', (of, type, sink) => {
  expect([typeOf(of), sinkType(of)]).toEqual([type, sink]);
});
