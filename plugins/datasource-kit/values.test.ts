import { describe, expect, it } from 'vitest';
import { bindable } from './params.ts';
import {
  type Cell,
  Converted,
  decimal,
  json,
  parseJson,
  RowCollector,
  real,
  shortFraction,
  uniqueNames,
  type Value,
  withObjects,
} from './values.ts';

const limits = { maxRows: 10, maxBytes: 10_000, maxCellBytes: 10 };
const one = (value: Value) => {
  const collector = new RowCollector(['c'], limits);
  collector.add([value]);
  return { cell: collector.rows[0]?.[0], truncated: collector.truncated, notes: collector.notes.length };
};

describe('a value', () => {
  it.each<[Value, unknown, truncated: boolean, notes: number]>([
    [9007199254740991n, 9007199254740991, false, 0],
    [9007199254740992n, '9007199254740992', false, 0],
    [-9223372036854775808n, '-9223372036854775808', false, 0],
    [0.1, 0.1, false, 0],
    [true, true, false, 0],
    [Number.POSITIVE_INFINITY, 'Infinity', false, 1],
    [Number.NEGATIVE_INFINITY, '-Infinity', false, 1],
    [Number.NaN, 'NaN', false, 1],
    [null, null, false, 0],
    ['0123456789', '0123456789', false, 0],
    ['0123456789a', '0123456789', true, 1],
    // Cut between characters, never inside one.
    ['äöüäöü', 'äöüäö', true, 1],
    ['123456789😀', '123456789', true, 1],
    [Buffer.from('atlas!'), Buffer.from('atlas!').toString('base64'), false, 1],
    [Buffer.from('atlas, at last'), Buffer.from('atlas,').toString('base64'), true, 2],
    [Buffer.alloc(0), '', false, 1],
    [new Converted([1, 'a'], 7), [1, 'a'], false, 0],
  ])('%s is given as %s', (value, cell, truncated, notes) => {
    expect(one(value)).toEqual({ cell, truncated, notes });
  });
});

describe('a decimal', () => {
  it.each([
    ['0', 0],
    ['19.90', 19.9],
    ['-0.50', -0.5],
    ['0.1', 0.1],
    ['100000.00', 100_000],
    ['2.0000000000000000', 2],
    ['0.00000000000000000000', 0],
    ['1234567890.12345', 1234567890.12345],
    ['0.0000001', 1e-7],
    ['0.000000000000000000001', 1e-21],
    ['9007199254740991', 9007199254740991],
    ['9007199254740991.000', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['10000000000000000000', '10000000000000000000'],
    ['3.3333333333333333', '3.3333333333333333'],
    ['0.10000000000000000001', '0.10000000000000000001'],
    ['123456789012345678.9', '123456789012345678.9'],
  ])('%s is given as %j', (text, value) => {
    expect(decimal(text)).toBe(value);
  });
  it('never rounds', () => {
    for (let round = 0; round < 2_000; round += 1) {
      const text = `${Math.floor(Math.random() * 10 ** (round % 15)) + 1}.${Math.floor(Math.random() * 1e9)}1`;
      const value = decimal(text);
      expect(String(value)).toBe(text);
    }
  });
});

describe('a real number', () => {
  it.each([
    ['1e-300', 1e-300],
    ['1.5', 1.5],
    ['-0', -0],
  ])('%s', (text, value) => expect(real(text)).toBe(value));
  it.each([
    ['Infinity', 'Infinity'],
    ['+inf', 'Infinity'],
    ['-inf', '-Infinity'],
    ['nan', 'NaN'],
  ])('%s is the text %s', (text, value) => {
    expect(real(text)).toMatchObject({ value, note: expect.stringContaining('given as text') });
  });
});

describe('JSON', () => {
  it.each<[string, unknown]>([
    ['{"a":[1,null,"x"]}', { a: [1, null, 'x'] }],
    ['{"a":9007199254740993,"b":1.10}', { a: '9007199254740993', b: 1.1 }],
    ['[1e400,0.30000000000000004,"12345678901234567890"]', ['1e400', 0.30000000000000004, '12345678901234567890']],
    ['"text"', 'text'],
    ['null', null],
  ])('%s', (text, value) => {
    const given = json(text, 1_000);
    expect(given instanceof Converted ? given.value : given).toEqual(value);
  });
  it('that is too long or none stays text', () => {
    expect(json('[1,2,3]', 6)).toBe('[1,2,3]');
    expect(json('{"a":', 100)).toBe('{"a":');
  });
  it('that is nested deeper than an answer can be written stays text', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(json(nested(100), 65_536)).toBeInstanceOf(Converted);
    for (const depth of [101, 6_000, 30_000]) expect(json(nested(depth), 65_536)).toBe(nested(depth));
    const exact = `${'{"a":'.repeat(3_000)}12345678901234567890${'}'.repeat(3_000)}`;
    expect(json(exact, 65_536)).toBe(exact);
    expect(json(`["${'['.repeat(500)}"]`, 65_536)).toBeInstanceOf(Converted);
  });
  it('does not touch prototypes', () => {
    const given = json('{"__proto__":{"polluted":true},"n":12345678901234567890}', 1_000) as Converted;
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.stringify(given.value)).toContain('__proto__');
  });
});

describe('column names', () => {
  it.each([
    [
      ['a', 'a', 'a'],
      ['a', 'a_2', 'a_3'],
    ],
    [
      ['a', 'a', 'a_2'],
      ['a', 'a_3', 'a_2'],
    ],
    [
      ['?column?', '?column?'],
      ['?column?', '?column?_2'],
    ],
  ])('%j become %j', (names, unique) => expect(uniqueNames(names)).toEqual(unique));
});

describe('a bound value', () => {
  it.each([undefined, null])('%s is null', (value) => expect(bindable(value)).toBeNull());
  it.each([[{}], [[1]], [Number.NaN], [Symbol('x')], [new Date(Number.NaN)], [() => 1]])('%s is refused', (value) => {
    expect(() => bindable(value)).toThrow('cannot be bound');
  });
});

describe('the bytes of a result', () => {
  it('are those of the answer, which repeats the column names in each row', () => {
    const collector = new RowCollector(['n'.repeat(990)], limits);
    const added = Array.from({ length: 10 }, () => collector.add([1]));
    expect(added.filter(Boolean)).toHaveLength(9);
    const answer = JSON.stringify(collector.rows.map(([value]) => ({ ['n'.repeat(990)]: value })));
    expect(answer.length).toBeLessThanOrEqual(limits.maxBytes);
    expect(collector.notes).toEqual(['Only the first 9 rows are given; the result is larger than 10000 bytes.']);
  });
});

describe('rows as objects', () => {
  const whole = { truncated: false, notes: [] };

  it('have a column named like the prototype as any other', () => {
    const { rows } = withObjects({ ...whole, columns: ['id', '__proto__'], rows: [[1, 'x']] });
    expect(Object.entries(rows[0] ?? {})).toEqual([
      ['id', 1],
      ['__proto__', 'x'],
    ]);
  });

  it.each<[string, Cell[], string, Cell[]]>([
    ['numbers', [1, null, 2.5], 'number', [1, null, 2.5]],
    [
      'decimals of which one needs more digits',
      [3.1078, '3.0833333333333333', null, 0.1],
      'string',
      ['3.1078', '3.0833333333333333', null, '0.1'],
    ],
    ['integers beyond the safe range', [1, '9007199254740993'], 'string', ['1', '9007199254740993']],
    ['values of a column without a type', [1, 'a', true], 'string', ['1', 'a', 'true']],
    ['booleans', [true, false], 'boolean', [true, false]],
    ['texts', ['a', null], 'string', ['a', null]],
    ['nulls', [null, null], 'null', [null, null]],
    ['JSON', [1, { a: 1 }, 'x'], 'json', [1, { a: 1 }, 'x']],
  ])('give %s one JSON type', (_, cells, type, given) => {
    const result = withObjects({ ...whole, columns: ['c'], rows: cells.map((cell) => [cell]) });
    expect(result.columnTypes).toEqual([type]);
    expect(result.rows).toEqual(given.map((c) => ({ c })));
  });
});

it.each([
  ['2024-02-29T12:30:00.500', '2024-02-29T12:30:00.5'],
  ['2024-02-29T12:30:00.000Z', '2024-02-29T12:30:00Z'],
  ['12:30:00.100+01:00', '12:30:00.1+01:00'],
  ['12:30:00', '12:30:00'],
  [`.${'0'.repeat(1_000_000)}x`, `.${'0'.repeat(1_000_000)}x`],
])('gives fractions of times without zeros at their end', (text, short) => {
  expect(shortFraction(text)).toBe(short);
});

it('parses JSON with all digits of numbers, and leaves texts as they are', () => {
  const text =
    '{"n":[12345678901234567890,-0.12345678901234567890,1e400,0.1,1E2,1.2345678901234567],"t":["1234567890123456,\\"9e99\\\\",7]}';
  expect(parseJson(text)).toEqual({
    n: ['12345678901234567890', '-0.12345678901234567890', '1e400', 0.1, 100, 1.2345678901234567],
    t: ['1234567890123456,"9e99\\', 7],
  });
  expect(() => parseJson('{"a": 12345678901234567890')).toThrow(SyntaxError);
});
