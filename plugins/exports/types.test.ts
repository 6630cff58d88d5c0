/** What values of SQLite and DuckDB are in a Parquet file, read back from it. */
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { databaseProcesses } from '../../test/harness/database-processes.ts';
import { DuckdbFolder } from '../../test/harness/duckdb.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { duckdbConnection } from '../datasource-duckdb/index.ts';
import { ProcessWatcher } from '../datasource-kit/index.ts';
import { sqliteConnection } from '../datasource-sqlite/index.ts';
import type { RowFile } from './file.ts';
import { LIMITS, parquetOf } from './fixtures/parquet-of.ts';
import { parquetFile } from './parquet-file.ts';

const folder = new DuckdbFolder();
const databases = new SqliteFolder();
const watcher = new ProcessWatcher();
const pool = { maxProcesses: 1, queueLimit: 10, acquireTimeoutMs: 10_000, idleTimeoutMs: 1_000 };
const duck = duckdbConnection(
  {
    id: 'duck',
    url: `duckdb:${await folder.create('shop.duckdb', 'CREATE TABLE things (id INTEGER)')}`,
    ...pool,
    threads: 1,
    memoryLimitMb: 256,
    tempLimitMb: 64,
  },
  '/',
  watcher,
);
const lite = sqliteConnection(
  {
    id: 'lite',
    url: `sqlite:${databases.create(
      'shop.db',
      `CREATE TABLE things (id INTEGER, price REAL, name TEXT, big INTEGER, mixed, data BLOB, code TEXT, few NUMERIC);
       INSERT INTO things VALUES (1, 1.5, 'a "quoted", name', 9007199254740993, 'text', x'0102', '007', 1),
         (2, 2, '', 1, 5, NULL, '008', 2.5), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (3, 3, char(10) || 'x' || char(13), -5, 1.5, x'', '\\N', 3);`,
    )}`,
    ...pool,
    memoryLimitMb: 256,
  },
  '/',
  watcher,
);
afterAll(async () => {
  await Promise.all([duck.close(), lite.close()]);
  watcher.close();
  folder[Symbol.dispose]();
  databases[Symbol.dispose]();
});

describe('DuckDB', () => {
  const VALUES: readonly (readonly [expression: string, type: string, value: unknown])[] = [
    ['true', 'BOOLEAN', true],
    ['255::UTINYINT', 'BIGINT', '255'],
    ['(-9223372036854775808)::BIGINT', 'BIGINT', '-9223372036854775808'],
    ['18446744073709551615::UBIGINT', 'DECIMAL(20,0)', '18446744073709551615'],
    ['sum(42::BIGINT)', 'DECIMAL(18,0)', '42'],
    ['12345678901234567890123456789::HUGEINT', 'DECIMAL(29,0)', '12345678901234567890123456789'],
    ['170141183460469231731687303715884105727::HUGEINT', 'VARCHAR', '170141183460469231731687303715884105727'],
    ['12.50::DECIMAL(10, 2)', 'DECIMAL(10,2)', '12.50'],
    ['12345678901234567890.12::DECIMAL(38, 2)', 'DECIMAL(38,2)', '12345678901234567890.12'],
    ['0.0000001::DECIMAL(18, 7)', 'DECIMAL(18,7)', '0.0000001'],
    ['0.1::DOUBLE', 'DOUBLE', 0.1],
    ["'-inf'::DOUBLE", 'DOUBLE', '-Infinity'],
    ['\'grün "x", \\N\' || chr(10)', 'VARCHAR', 'grün "x", \\N\n'],
    ["DATE '2024-02-29'", 'DATE', '2024-02-29'],
    ["TIMESTAMP '2024-02-29 12:30:00.123456'", 'TIMESTAMP', '2024-02-29 12:30:00.123456'],
    ["TIMESTAMPTZ '2024-02-29 12:30:00+02'", 'TIMESTAMP WITH TIME ZONE', '2024-02-29 10:30:00+00'],
    ["TIMESTAMP_NS '2024-02-29 12:30:00.123456789'", 'VARCHAR', '2024-02-29T12:30:00.123456789'],
    ["'\\x00\\xFF'::BLOB", 'BLOB', '\\x00\\xFF'],
    [`'{"a": [1, "x"]}'::JSON`, 'VARCHAR', '{"a":[1,"x"]}'],
    [`'"text"'::JSON`, 'VARCHAR', '"text"'],
    ['[1, NULL]', 'VARCHAR', '[1,null]'],
    ["{'a': 1}", 'VARCHAR', '{"a":1}'],
    ['NULL::BIGINT', 'BIGINT', null],
    ["''", 'VARCHAR', ''],
  ];

  it('keeps every value, and the type where Parquet has it', async () => {
    const columns = VALUES.map(([expression], at) => `${expression} AS c${at}`);
    const { types, rows } = await parquetOf(duck, `SELECT ${columns.join(', ')}`, folder.path);
    const found = VALUES.map(([expression], at) => [expression, types[`c${at}`], rows[0]?.[`c${at}`]]);
    expect(found).toEqual(VALUES);
  });

  it('keeps the order of many rows, and their number', async () => {
    const sql =
      "SELECT range AS n, CASE WHEN range % 2 = 0 THEN 'even' END AS t, (range / 8)::DECIMAL(10, 3) AS d FROM range(300000) ORDER BY 1";
    const { rows } = await parquetOf(duck, sql, folder.path);
    expect(rows).toHaveLength(300_000);
    expect(rows.findIndex(({ n }, at) => n !== String(at))).toBe(-1);
    expect(rows[299_999]).toEqual({ n: '299999', t: null, d: '37499.875' });
  });

  it('makes a file of no rows', async () => {
    const { types, rows } = await parquetOf(duck, "SELECT 1 AS a, 'x' AS b WHERE false", folder.path);
    expect([types, rows]).toEqual([{ a: 'BIGINT', b: 'VARCHAR' }, []]);
  });

  it.each([
    ['SELECT range AS n FROM range(1001)', { maxRows: 1_000 }, 'more than 1000 rows'],
    ["SELECT repeat('x', 2000) AS long", { maxCellBytes: 1_000 }, 'Column "long" has a value of more than 1000 bytes'],
    ["SELECT repeat('x', 500) AS t FROM range(100000)", { maxBytes: 100_000 }, 'more than 100000 bytes'],
    ["SELECT DATE '12024-01-01' AS d", {}, 'A value has no place in a Parquet file'],
  ])('%s is not exported with less than it is', async (sql, limits, message) => {
    const exported = parquetOf(duck, sql, folder.path, {
      ...{ maxRows: 1_000_000, maxBytes: 2 ** 30, maxCellBytes: 2 ** 20, timeoutMs: 60_000 },
      ...limits,
    });
    await expect(exported).rejects.toMatchObject({ code: 'sql_failed', message: expect.stringContaining(message) });
  });
});

it('SQLite: the values tell the types of columns', async () => {
  const { types, rows } = await parquetOf(lite, 'SELECT *, id + 1 AS more FROM things ORDER BY rowid', databases.path);
  expect(types).toEqual({
    id: 'BIGINT',
    price: 'DOUBLE',
    name: 'VARCHAR',
    big: 'BIGINT',
    mixed: 'VARCHAR',
    data: 'VARCHAR',
    code: 'VARCHAR',
    few: 'DOUBLE',
    more: 'BIGINT',
  });
  expect(rows).toEqual([
    {
      id: '1',
      price: 1.5,
      name: 'a "quoted", name',
      big: '9007199254740993',
      mixed: 'text',
      data: 'AQI=',
      code: '007',
      few: 1,
      more: '2',
    },
    { id: '2', price: 2, name: '', big: '1', mixed: '5', data: null, code: '008', few: 2.5, more: '3' },
    { id: null, price: null, name: null, big: null, mixed: null, data: null, code: null, few: null, more: null },
    { id: '3', price: 3, name: '\nx\r', big: '-5', mixed: '1.5', data: '', code: '\\N', few: 3, more: '4' },
  ]);
});

it('SQLite: names that differ in case alone, or are empty, and reals of any size', async () => {
  const sql = `SELECT 1 AS a, 'x' AS "A", 1e18 AS large, 2 AS ""`;
  expect(await parquetOf(lite, sql, databases.path)).toEqual({
    types: { a: 'BIGINT', A_1: 'VARCHAR', large: 'DOUBLE', column4: 'BIGINT' },
    rows: [{ a: '1', A_1: 'x', large: 1e18, column4: '2' }],
  });
});

it('keeps values of the greatest length, whatever they take in the file', async () => {
  const maxCellBytes = 1_200_000;
  const sql = `SELECT repeat('"', ${maxCellBytes}) AS quotes, repeat('統', ${maxCellBytes / 3}) AS wide`;
  const { rows } = await parquetOf(duck, sql, folder.path, { ...LIMITS, maxCellBytes });
  expect(rows).toEqual([{ quotes: '"'.repeat(maxCellBytes), wide: '統'.repeat(maxCellBytes / 3) }]);
});

describe.runIf(process.platform === 'linux')('a file', () => {
  const written = async (write: (file: RowFile, processOf: (title: string) => Promise<number>) => Promise<void>) => {
    const file = parquetFile(join(folder.path, 'ended.parquet'), LIMITS);
    await file.begin(['a'], ['text']);
    try {
      await write(file, (title) =>
        vi.waitFor(() => {
          const [id, ...more] = databaseProcesses(process.pid, 'umask 077').flatMap((sh) =>
            databaseProcesses(sh, title),
          );
          expect([id, more]).toEqual([expect.any(Number), []]);
          return id!;
        }, 10_000),
      );
    } finally {
      await file.abort();
    }
  };
  const row = [['x'.repeat(100_000)]];
  /** Its whole name: any path may have these letters. */
  const COPIES = 'cat\0';

  it.each([
    ['process', 'parquet-child'],
    ['copying program', COPIES],
  ])('is not written on when its %s has ended', async (_, title) => {
    await written(async (file, processOf) => {
      process.kill(await processOf(title), 'SIGKILL');
      const writing = async () => {
        for (;;) await file.write(row);
      };
      await expect(writing()).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/has ended|did not get all of its rows|takes no more rows/),
      });
    });
  });

  it('is not complete without rows that were lost on their way', async () => {
    await written(async (file, processOf) => {
      const copies = await processOf(COPIES);
      process.kill(copies, 'SIGSTOP');
      await file.write(row);
      await file.write(row);
      const ended = file.end();
      process.kill(copies, 'SIGKILL');
      await expect(ended).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('did not get all of its rows'),
      });
    });
  });
});
