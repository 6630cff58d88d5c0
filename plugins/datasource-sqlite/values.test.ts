import { describe, expect, it } from 'vitest';
import { encodeParam, RowCollector, uniqueNames, type Value } from '../datasource-kit/index.ts';
import { bind } from './bind.ts';
import { maskSqliteUrl, parseSqliteUrl } from './url.ts';

const limits = { maxRows: 10, maxBytes: 10_000, maxCellBytes: 10 };
const one = (value: unknown) => {
  const collector = new RowCollector(['c'], limits);
  collector.add([value as Value]);
  return { cell: collector.rows[0]?.[0], truncated: collector.truncated, notes: collector.notes.length };
};

describe('a value', () => {
  it.each<[unknown, unknown, truncated: boolean, notes: number]>([
    [9007199254740991n, 9007199254740991, false, 0],
    [9007199254740992n, '9007199254740992', false, 0],
    [-9223372036854775808n, '-9223372036854775808', false, 0],
    [0.1, 0.1, false, 0],
    [Number.POSITIVE_INFINITY, 'Infinity', false, 1],
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
  ])('%s is given as %s', (value, cell, truncated, notes) => {
    expect(one(value)).toEqual({ cell, truncated, notes });
  });
});

describe('column names', () => {
  it.each([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['a', 'a', 'a'],
      ['a', 'a_2', 'a_3'],
    ],
    [
      ['a', 'a', 'a_2'],
      ['a', 'a_3', 'a_2'],
    ],
    [
      ['', ''],
      ['', '_2'],
    ],
  ])('%j become %j', (names, unique) => {
    expect(uniqueNames(names)).toEqual(unique);
  });
});

describe('a bound value', () => {
  it.each<[unknown, unknown]>([
    [undefined, null],
    [true, 1n],
    [false, 0n],
    [1.5, 1.5],
    [5, 5n],
    [2n ** 60n, 2n ** 60n],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [Buffer.from('a'), Buffer.from('a')],
  ])('%s arrives as %s', (value, bound) => {
    expect(bind(encodeParam(value))).toEqual(bound);
  });
  it.each([[{}], [[1]], [Number.NaN], [Symbol('x')]])('%s is refused', (value) => {
    expect(() => encodeParam(value)).toThrow('cannot be bound');
  });
});

describe('a URL', () => {
  it.each([
    ['sqlite:shop.db', '/work/shop.db'],
    ['sqlite:./data/shop.db', '/work/data/shop.db'],
    ['sqlite:../shop.db', '/shop.db'],
    ['sqlite:/data/shop.db', '/data/shop.db'],
    ['sqlite:///data/shop.db', '/data/shop.db'],
    ['sqlite://data/shop.db', '/work/data/shop.db'],
    ['sqlite:///data/my%20shop.db', '/data/my shop.db'],
    ['sqlite:my%20shop.db', '/work/my%20shop.db'],
    ['SQLite:shop.db', '/work/shop.db'],
    ['file:shop.db?mode=ro', '/work/shop.db'],
    ['file:///data/shop.db', '/data/shop.db'],
    [' sqlite:shop.db ', '/work/shop.db'],
  ])('%s names %s', (url, path) => {
    expect(parseSqliteUrl(url, '/work')).toBe(path);
  });
  it.each([
    'shop.db',
    'postgres://user:hunter2@host/db',
    'sqlite:',
    'sqlite://',
    'sqlite::memory:',
    'sqlite://:memory:',
    'file::memory:',
    'sqlite:folder/',
    'sqlite:shop.db?mode=rwc',
    'sqlite:///%zz.db',
    'sqlite:a\0.db',
  ])('%j is refused without being repeated', (url) => {
    expect(() => parseSqliteUrl(url, '/work')).toThrow(/^The SQLite URL cannot be used: /);
    expect(() => parseSqliteUrl(url, '/work')).not.toThrow(/hunter2/);
  });
  it('is shown without its folder', () => {
    expect(maskSqliteUrl('/home/ada/private/shop.db')).toBe('sqlite:shop.db');
  });
});
