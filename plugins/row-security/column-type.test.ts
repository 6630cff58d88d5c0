import { describe, expect, test } from 'vitest';
import { kitDialect } from '../sql-kit/index.ts';
import { bindable, isText } from './column-type.ts';

describe('the type of a column', () => {
  test.each([
    ['sqlite', 'INTEGER', 'integer'],
    ['sqlite', 'bigint', 'integer'],
    ['sqlite', 'VARCHAR(36)', 'text'],
    ['sqlite', 'REAL', 'number'],
    ['sqlite', '', 'any'],
    ['sqlite', 'UUID', 'flexible'],
    ['sqlite', 'BOOLEAN', 'boolean'],
    ['postgres', 'bigint', 'integer'],
    ['postgres', 'int4', 'integer'],
    ['postgres', 'character varying(20)', 'text'],
    ['postgres', 'citext', 'text'],
    ['postgres', 'numeric(10,0)', 'number'],
    ['postgres', 'uuid', 'uuid'],
    ['postgres', 'boolean', 'boolean'],
    ['postgres', 'interval', 'converted'],
    ['postgres', 'date', 'converted'],
    ['mysql', 'int unsigned', 'integer'],
    ['mysql', 'bigint(20)', 'integer'],
    ['mysql', 'tinyint(1)', 'boolean'],
    ['mysql', "enum('a','b')", 'text'],
    ['mysql', "set('a','b')", 'text'],
    ['mysql', 'date', 'text'],
    ['mysql', 'timestamp(6)', 'text'],
    ['mysql', 'bit(8)', 'integer'],
    ['mysql', 'year(4)', 'integer'],
    ['mysql', 'varbinary(20)', 'converted'],
    ['mysql', 'char(36)', 'text'],
    ['duckdb', 'HUGEINT', 'integer'],
    ['duckdb', 'VARCHAR', 'text'],
    ['duckdb', 'DOUBLE', 'number'],
  ] as const)('of %s, %s, is %s', async (dbType, declared, type) => {
    expect((await kitDialect(dbType)).columnType(declared)).toBe(type);
  });
});

test('a column may hold texts that a collation takes for equal', () => {
  const types = ['integer', 'number', 'boolean', 'uuid', 'text', 'any', 'flexible', 'converted'] as const;
  expect(types.filter(isText)).toEqual(['text', 'any', 'flexible']);
});

describe('what is bound', () => {
  test.each([
    ['integer', 1, 1],
    ['integer', '1', 1],
    ['integer', '-7', -7],
    ['integer', '0', 0],
    ['integer', '9007199254740991', 9007199254740991],
    ['integer', '9007199254740993', 9007199254740993n],
    ['integer', '9223372036854775807', 9223372036854775807n],
    ['integer', '-9223372036854775808', -9223372036854775808n],
    ['integer', -0, 0],
    ['text', 'acme', 'acme'],
    ['text', 1, '1'],
    ['text', ' acme', ' acme'],
    ['number', '1.5', 1.5],
    ['number', '-0.25', -0.25],
    ['number', '9007199254740993', 9007199254740993n],
    ['number', 2.5, 2.5],
    ['boolean', true, true],
    ['boolean', false, false],
    ['boolean', 1, true],
    ['boolean', 0, false],
    ['any', true, true],
    ['any', false, false],
    ['any', 1.5, 1.5],
    ['flexible', 1.5, 1.5],
    ['flexible', '1.5', 1.5],
    ['flexible', '-3', -3],
    ['flexible', '12a', '12a'],
    ['flexible', 'a12', 'a12'],
    ['flexible', '1e', '1e'],
    ['flexible', '1.2.3', '1.2.3'],
    ['converted', 1, '1'],
    ['uuid', '0E8400E2-9B3F-41D4-A716-446655440000', '0e8400e2-9b3f-41d4-a716-446655440000'],
    ['any', '1', '1'],
    ['any', 1, 1],
    ['flexible', 'acme', 'acme'],
    ['flexible', '12', 12],
    ['converted', '2024-01-01', '2024-01-01'],
  ] as const)('to %s for %s is %s', (type, claim, value) => {
    expect(bindable(claim, type)).toBe(value);
  });

  test.each([
    [
      'integer',
      [
        '',
        ' ',
        '1.0',
        '01',
        '1e0',
        '0x1',
        ' 1',
        '1 ',
        '1; DROP',
        '-0',
        'acme',
        1.5,
        2 ** 60,
        true,
        '9223372036854775808',
        '-9223372036854775809',
        '1a',
        'a1',
        '12345678901234567890',
      ],
    ],
    ['text', ['', '   ', 'a\0b', 1.5, true, 2 ** 60]],
    ['number', ['1e0', 'Infinity', 'NaN', '1.50', '0.1e1', '9007199254740993.5']],
    ['boolean', ['true', 2, '1', -1, 0.5]],
    [
      'uuid',
      [
        'acme',
        1,
        true,
        '{0e8400e2-9b3f-41d4-a716-446655440000}',
        '0e8400e2-9b3f-41d4-a716-4466554400000',
        '00e8400e2-9b3f-41d4-a716-446655440000',
        '0e8400e29b3f41d4a716446655440000',
      ],
    ],
    ['flexible', ['007', '1e3', '1e+3', '1.5E-12', ' 5', '5 ', '+1', '.5', '5.', true]],
    ['converted', ['', ' ', 1.5, true]],
    ['any', ['', ' ', 'a\0b', 2 ** 60]],
  ] as const)('to %s never', (type, claims) => {
    for (const claim of claims) expect(bindable(claim, type), JSON.stringify(claim)).toBeUndefined();
  });

  test.each([undefined, null, {}, [], [1], NaN, Infinity, () => 1, Symbol('x'), new Date(), 1n])(
    'never is %s',
    (claim) => {
      for (const type of ['integer', 'number', 'boolean', 'uuid', 'text', 'any', 'flexible', 'converted'] as const) {
        expect(bindable(claim, type)).toBeUndefined();
      }
    },
  );
});
