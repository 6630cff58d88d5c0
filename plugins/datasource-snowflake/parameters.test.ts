import { describe, expect, it } from 'vitest';
import { withLiterals } from '../datasource-kit/index.ts';
import { snowflake } from './dialect.ts';

describe('bound values', () => {
  it.each<[value: unknown, text: string]>([
    ['x', "'x'"],
    ["it's; --", "'it''s; --'"],
    ["a\\'?", "'a\\\\''?'"],
    ['\\', "'\\\\'"],
    ['$$ // /* ?', "'$$ // /* ?'"],
    [null, 'NULL'],
    [undefined, 'NULL'],
    [7, '7'],
    [-7, '(-7)'],
    [1.5, '1.5'],
    [1e21, '1E+21'],
    [-1e-7, '(-1E-7)'],
    [9007199254740993n, '9007199254740993'],
    [true, 'TRUE'],
    [new Date('2024-02-29T00:00:00Z'), "DATE '2024-02-29'"],
    [new Date('2024-02-29T12:30:00.5Z'), "TIMESTAMP '2024-02-29 12:30:00.500'"],
    [Buffer.from('atlas'), "X'61746c6173'"],
  ])('%s is written as %s', (value, text) => {
    expect(withLiterals('SELECT ? AS x', [value], snowflake)).toBe(`SELECT ${text} AS x`);
  });

  it('stand in their places and nowhere else', () => {
    const sql = `SELECT '?', "a?""?", ?, x:"?" || '\\\\?''' FROM t WHERE a = ? AND b = '?'`;
    expect(withLiterals(sql, [1, '?'], snowflake)).toBe(
      `SELECT '?', "a?""?", 1, x:"?" || '\\\\?''' FROM t WHERE a = '?' AND b = '?'`,
    );
  });

  it.each<[sql: string, params: unknown[]]>([
    ['SELECT ?', [1, 2]],
    ['SELECT ?, ?', [1]],
    ['SELECT ?', [{}]],
    ['SELECT ?', [Number.NaN]],
  ])('%s with %j is refused', (sql, params) => {
    expect(() => withLiterals(sql, params, snowflake)).toThrow(/places|values|bound/);
  });
});
