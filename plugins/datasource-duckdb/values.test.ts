/** Through the real database process: every type of DuckDB as the plain value that it is given as. */
import { afterAll, describe, expect, it } from 'vitest';
import { DuckdbFolder } from '../../test/harness/duckdb.ts';
import { encodeParam, ProcessWatcher } from '../datasource-kit/index.ts';
import { duckdbConnection } from './connection.ts';
import { maskDuckdbUrl, parseDuckdbUrl } from './url.ts';

const folder = new DuckdbFolder();
const path = await folder.create('shop.duckdb', `CREATE TYPE mood AS ENUM ('glad', 'sad'); CREATE TABLE t (a mood)`);
const watcher = new ProcessWatcher();
const limits = { maxProcesses: 1, threads: 1, memoryLimitMb: 128, tempLimitMb: 64, queueLimit: 10 };
const connection = duckdbConnection(
  { id: 'shop', url: `duckdb:${path}`, acquireTimeoutMs: 10_000, idleTimeoutMs: 1_000, ...limits },
  '/',
  watcher,
);
afterAll(async () => {
  await connection.close();
  watcher.close();
  folder[Symbol.dispose]();
});

const run = (sql: string, maxCellBytes = 1_000, params: unknown[] = []) =>
  connection.execute({
    connection: connection.info,
    requested: sql,
    sql,
    params,
    surface: 'test',
    tables: [],
    limits: { maxRows: 10, maxBytes: 100_000, maxCellBytes, timeoutMs: 10_000 },
  });

describe('a value', () => {
  it.each<[string, unknown, notes?: number]>([
    ['true', true],
    ['255::UTINYINT', 255],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['(-9223372036854775808)::BIGINT', '-9223372036854775808'],
    ['18446744073709551615::UBIGINT', '18446744073709551615'],
    ['170141183460469231731687303715884105727::HUGEINT', '170141183460469231731687303715884105727'],
    ['42::HUGEINT', 42],
    ['sum(42)', 42],
    ['12.50::DECIMAL(10, 2)', 12.5],
    ['0.1::DECIMAL(38, 20)', 0.1],
    ['12345678901234567890.12::DECIMAL(38, 2)', '12345678901234567890.12'],
    ['0.1::DOUBLE', 0.1],
    ['1.5::FLOAT', 1.5],
    ["'nan'::DOUBLE", 'NaN', 1],
    ["'-inf'::DOUBLE", '-Infinity', 1],
    ["'grün'", 'grün'],
    ['NULL', null],
    ["DATE '2024-02-29'", '2024-02-29'],
    ["DATE 'infinity'", 'infinity', 1],
    ["DATE '0044-03-15 (BC)'", '-000043-03-15'],
    ["DATE '12024-01-01'", '+012024-01-01'],
    ["TIME '12:30:00.5'", '12:30:00.5'],
    ["TIMETZ '12:30:00+02'", '12:30:00+02:00'],
    ["TIMESTAMP '2024-02-29 12:30:00.123456'", '2024-02-29T12:30:00.123456'],
    ["TIMESTAMP '2024-02-29'", '2024-02-29T00:00:00'],
    ["TIMESTAMP_S '2024-02-29 12:30:00'", '2024-02-29T12:30:00'],
    ["TIMESTAMP_MS '2024-02-29 12:30:00.25'", '2024-02-29T12:30:00.25'],
    ["TIMESTAMP_NS '2024-02-29 12:30:00.123456789'", '2024-02-29T12:30:00.123456789'],
    ["TIMESTAMPTZ '2024-02-29 12:30:00+02'", '2024-02-29T10:30:00Z'],
    ["TIMESTAMPTZ '-infinity'", '-infinity', 1],
    ["INTERVAL '1 year 2 months 3 days 04:05:06.5'", 'P1Y2M3DT4H5M6.5S'],
    ["INTERVAL '-1 day'", 'P-1D'],
    ["INTERVAL '-90 minutes'", 'PT-1H-30M'],
    ['INTERVAL 0 DAYS', 'PT0S'],
    ['[1, NULL, 3]', [1, null, 3]],
    ['[1, 2]::INTEGER[2]', [1, 2]],
    ["{'a': 1, 'b': {'c': [DATE '2024-01-01']}}", { a: 1, b: { c: ['2024-01-01'] } }],
    ["MAP {'x': 1, 'y': 2}", { x: 1, y: 2 }],
    ['MAP {1: true}', { 1: true }],
    ['[9007199254740993, 1]', ['9007199254740993', 1]],
    ["'atlas'::BLOB", 'YXRsYXM=', 1],
    ["'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID", '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
    ["'sad'::mood", 'sad'],
    ["'0101'::BIT", '0101'],
    ['union_value(n := 7)', 7],
    [`'{"a": [1, 12345678901234567890], "b": null}'::JSON`, { a: [1, '12345678901234567890'], b: null }],
    ["'__proto__'", '__proto__'],
    ["[{'j': '{\"a\": 1}'::JSON}]", [{ j: { a: 1 } }]],
    ["['nan'::DOUBLE, 1]", ['NaN', 1], 1],
    ["{'a': 'inf'::FLOAT}", { a: 'Infinity' }, 1],
    ["row(1, 'x')", [1, 'x']],
    ["{'__proto__': 1, 'b': 2}", JSON.parse('{"__proto__": 1, "b": 2}')],
    ["[union_value(n := 'x')]", ['x']],
    ["{'a': 1}::VARIANT", { a: 1 }],
    ["TIMESTAMP_NS 'infinity'", 'infinity', 1],
    ["TIMETZ '12:30:00-15:59:59'", '12:30:00-15:59:59'],
    ['INTERVAL (-14) MONTHS', 'P-1Y-2M'],
    ['340282366920938463463374607431768211455::UHUGEINT', '340282366920938463463374607431768211455'],
  ])('%s is given as %j', async (sql, value, notes = 0) => {
    const result = await run(`SELECT ${sql} AS v`);
    expect(result.rows).toEqual([{ v: value }]);
    expect(result.notes).toHaveLength(notes);
  });

  it('that is long is cut and noted, whatever its type', async () => {
    for (const sql of ["repeat('x', 50)", 'range(50)', "repeat('x', 50)::BLOB", "{'a': repeat('x', 50)}"]) {
      const result = await run(`SELECT ${sql} AS v`, 20);
      expect(String(result.rows[0]?.v).length).toBeLessThanOrEqual(20);
      expect(result).toMatchObject({
        truncated: true,
        notes: expect.arrayContaining([expect.stringContaining('cut to 20 bytes')]),
      });
    }
  });

  it.each<[unknown, unknown]>([
    [7, 7],
    [1.5, 1.5],
    [12345678901234567890n, '12345678901234567890'],
    [true, true],
    ["it's", "it's"],
    [null, null],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
  ])('%s that is bound comes back', async (value, given) => {
    expect((await run('SELECT ? AS v', 1_000, [value])).rows).toEqual([{ v: given }]);
  });

  it.each([[{}], [Number.NaN], [Symbol('x')]])('%s is not bound', (value) => {
    expect(() => encodeParam(value)).toThrow('cannot be bound');
  });
});

describe('a URL', () => {
  it.each([
    ['duckdb:shop.duckdb', '/work/shop.duckdb'],
    ['duckdb:../shop.db', '/shop.db'],
    ['duckdb:/data/shop.db', '/data/shop.db'],
    ['duckdb:///data/my%20shop.db', '/data/my shop.db'],
    ['DuckDB:shop.db?access_mode=READ_ONLY', '/work/shop.db'],
  ])('%s names %s', (url, expected) => {
    expect(parseDuckdbUrl(url, '/work')).toBe(expected);
  });

  it.each([
    'shop.duckdb',
    'postgres://user:hunter2@host/db',
    'duckdb:',
    'duckdb::memory:',
    'duckdb:///:memory:',
    'duckdb:folder/',
    'duckdb:shop.db?access_mode=READ_WRITE',
    'duckdb:md:my_db?motherduck_token=hunter2',
    'duckdb:https://example.com/x.duckdb',
    'duckdb:s3://bucket/x.duckdb',
    'duckdb:a\0.db',
  ])('%j is refused without being repeated', (url) => {
    expect(() => parseDuckdbUrl(url, '/work')).toThrow(/^The DuckDB URL cannot be used: /);
    expect(() => parseDuckdbUrl(url, '/work')).not.toThrow(/hunter2/);
  });

  it('is shown without its folder', () => {
    expect(maskDuckdbUrl('/home/ada/private/shop.duckdb')).toBe('duckdb:shop.duckdb');
  });
});
