/** What values of PostgreSQL and MySQL are in a Parquet file, read back from it and compared with what the server says. */
import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePlugin, type PluginEntry, sqlBefore } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../test/harness/mariadb.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { rowSinks } from '../datasource-kit/index.ts';
import { datasourceMysql } from '../datasource-mysql/index.ts';
import { datasourcePostgres } from '../datasource-postgres/index.ts';
import { LIMITS, type ReadBack, readBack, sinkInto } from './fixtures/parquet-of.ts';
import { parquetFile } from './parquet-file.ts';

type Value = readonly [expression: string, type: string, value: unknown];

const folder = emptyFolder();
afterAll(() => folder[Symbol.dispose]());

/** Reading any table is allowed, without a guard. */
const allowing = definePlugin({
  name: 'test-allowing',
  version: '1.0.0',
  type: 'policy',
  description: 'Lets every table be read.',
  setup: (ctx) => ctx.tap(sqlBefore, (statement) => ({ ...statement, tables: [], limits: LIMITS })),
});
const start = (datasource: PluginEntry) => createTestApp({ plugins: [allowing(), datasource] });

let files = 0;
async function exported(app: TestApp, sql: string, from?: string): Promise<ReadBack> {
  files += 1;
  const path = `${folder.path}/${files}.parquet`;
  const file = parquetFile(path, LIMITS);
  const scope = app.scope();
  rowSinks.set(scope, sinkInto(file));
  try {
    await app.runSql({ sql, surface: 'test' }, scope);
    await file.end();
  } finally {
    await file.abort();
  }
  return readBack(path, from);
}
const columnsOf = (values: readonly Value[]) => values.map(([expression], at) => `${expression} AS c${at}`).join(', ');
const foundIn = ({ types, rows }: ReadBack, values: readonly Value[]) =>
  values.map(([expression], at) => [expression, types[`c${at}`], rows[0]?.[`c${at}`]]);

describe('PostgreSQL', () => {
  let server: PostgresServer;
  let client: pg.Client;
  let app: TestApp;
  beforeAll(async () => {
    server = await startPostgres();
    client = new pg.Client(server.url);
    await client.connect();
    await client.query(`CREATE TYPE mood AS ENUM ('glad', 'sad');
      CREATE TABLE many AS SELECT n::bigint AS id, ((n * 7919::bigint) % 1000003 / 1000.0)::numeric(14, 3) AS amount,
        timestamptz '2024-01-01' + n * interval '1.000001 second' AS at, CASE WHEN n % 7 > 0 THEN 'row "' || n || '"' END AS name
        FROM generate_series(1, 100000) AS n`);
    app = await start(datasourcePostgres({ connections: [{ id: 'default', url: server.url }] }));
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await client?.end();
    await server?.stop();
  });

  const VALUES: readonly Value[] = [
    ['true', 'BOOLEAN', true],
    ['(-32768)::smallint', 'BIGINT', '-32768'],
    ['9223372036854775807', 'BIGINT', '9223372036854775807'],
    ['12.50::numeric(10, 2)', 'DECIMAL(10,2)', '12.50'],
    ['12345678901234567890.123::numeric(30, 3)', 'DECIMAL(30,3)', '12345678901234567890.123'],
    ['sum(0.10)', 'DECIMAL(2,1)', '0.1'],
    ['0.00000001::numeric', 'DECIMAL(9,8)', '0.00000001'],
    ['1e40::numeric', 'VARCHAR', `1${'0'.repeat(40)}`],
    ["'NaN'::numeric", 'VARCHAR', 'NaN'],
    ['0.1::float8', 'DOUBLE', 0.1],
    ['1.5::real', 'DOUBLE', 1.5],
    ["'-Infinity'::float8", 'DOUBLE', '-Infinity'],
    [`'grün, "x"'::text`, 'VARCHAR', 'grün, "x"'],
    ["''::text", 'VARCHAR', ''],
    ['NULL::int', 'BIGINT', null],
    ["date '2024-02-29'", 'DATE', '2024-02-29'],
    ["timestamp '2024-02-29 12:30:00.123456'", 'TIMESTAMP', '2024-02-29 12:30:00.123456'],
    ["timestamptz '2024-02-29 12:30:00+02'", 'TIMESTAMP WITH TIME ZONE', '2024-02-29 10:30:00+00'],
    ["time '12:30:00.5'", 'VARCHAR', '12:30:00.5'],
    ["'\\x00ff'::bytea", 'BLOB', '\\x00\\xFF'],
    [`'{"b": 1, "a": [1, null]}'::json`, 'VARCHAR', '{"b":1,"a":[1,null]}'],
    ["'glad'::mood", 'VARCHAR', 'glad'],
    ['ARRAY[1, NULL, 3]', 'VARCHAR', '[1,null,3]'],
    ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", 'VARCHAR', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ];

  it('keeps every value, and the type where Parquet has it', async () => {
    // Twice: the second time, the types of the database's own are known.
    for (let time = 0; time < 2; time += 1)
      expect(foundIn(await exported(app, `SELECT ${columnsOf(VALUES)}`), VALUES)).toEqual(VALUES);
  });

  it('writes more than the memory of the writing process', async () => {
    const sql = 'SELECT n, repeat(chr(97 + n % 26), 700) AS t FROM generate_series(1, 1000000) AS n';
    const isNext = 'count(*) FILTER (n <> before + 1 OR t <> repeat(chr((97 + n % 26)::INTEGER), 700)) AS wrong';
    const from = `SELECT count(*) AS count, ${isNext} FROM (SELECT *, lag(n) OVER () AS before FROM file)`;
    expect((await exported(app, sql, from)).rows).toEqual([{ count: '1000000', wrong: '0' }]);
  }, 120_000);

  it('keeps many rows as the server has them, in their order', async () => {
    const { rows } = await exported(app, 'SELECT id, amount, at, name FROM many ORDER BY id');
    const { rows: source } = await client.query<string[]>({
      text: `SELECT id::text, amount::text, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), name FROM many ORDER BY many.id`,
      rowMode: 'array',
    });
    expect(rows).toHaveLength(source.length);
    const time = (text: unknown) =>
      String(text)
        .replace('+00', '')
        .replace(/\.?0*$/, (end) => (String(text).includes('.') ? '' : end));
    const differing = source.filter(([id, amount, at, name], index) => {
      const row = rows[index];
      return row?.id !== id || row?.amount !== amount || time(row?.at) !== time(at) || row?.name !== name;
    });
    expect(differing.slice(0, 3)).toEqual([]);
  });
});

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('MySQL', () => {
  let server: MariaDbServer;
  let client: mysql.Connection;
  let app: TestApp;
  beforeAll(async () => {
    server = await startMariaDb();
    client = await mysql.createConnection(server.url);
    await client.query(
      `CREATE TABLE one (c0 bigint unsigned, c1 bigint, c2 decimal(30, 3), c3 double, c4 float, c5 date, c6 datetime(6), c7 timestamp NULL,
        c8 varchar(20), c9 varbinary(4), c10 json, c11 bit(3), c12 tinyint(1), c13 decimal(5, 2) unsigned, c14 time, c15 enum('a', 'b'), c16 int, c17 blob)`,
    );
    await client.query("SET time_zone = '+00:00'");
    await client.query(
      `INSERT INTO one VALUES (18446744073709551615, -9223372036854775808, 12345678901234567890.123, 0.1, 1.5, '2024-02-29', '2024-02-29 12:30:00.123456',
        '2024-02-29 12:30:00', 'grün, "x"', x'00ff', '{"a": [1]}', b'101', 1, 999.99, '-12:30:00', 'b', NULL, '')`,
    );
    app = await start(datasourceMysql({ connections: [{ id: 'default', url: server.url }] }));
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await client?.end();
    await server?.stop();
  });

  const VALUES: readonly Value[] = [
    ['c0', 'DECIMAL(20,0)', '18446744073709551615'],
    ['c1', 'BIGINT', '-9223372036854775808'],
    ['c2', 'DECIMAL(30,3)', '12345678901234567890.123'],
    ['c3', 'DOUBLE', 0.1],
    ['c4', 'DOUBLE', 1.5],
    ['c5', 'DATE', '2024-02-29'],
    ['c6', 'TIMESTAMP', '2024-02-29 12:30:00.123456'],
    ['c7', 'TIMESTAMP WITH TIME ZONE', '2024-02-29 12:30:00+00'],
    ['c8', 'VARCHAR', 'grün, "x"'],
    ['c9', 'BLOB', '\\x00\\xFF'],
    ['c10', 'VARCHAR', '{"a":[1]}'],
    ['c11', 'DECIMAL(20,0)', '5'],
    ['c12', 'BIGINT', '1'],
    ['c13', 'DECIMAL(5,2)', '999.99'],
    ['c14', 'VARCHAR', '-12:30:00'],
    ['c15', 'VARCHAR', 'b'],
    ['c16', 'BIGINT', null],
    ['c17', 'BLOB', ''],
  ];

  it('keeps every value, and the type where Parquet has it', async () => {
    expect(foundIn(await exported(app, `SELECT ${columnsOf(VALUES)} FROM one`), VALUES)).toEqual(VALUES);
  });

  it('keeps many rows as the server has them, in their order', async () => {
    const sql =
      "SELECT seq AS id, CAST(seq * 7919 % 1000003 / 1000 AS decimal(14, 3)) AS amount, concat('row \"', seq, '\"') AS name";
    const { rows } = await exported(app, `${sql} FROM seq_1_to_100000 ORDER BY seq`);
    const [source] = await client.query<mysql.RowDataPacket[]>({
      sql: `${sql} FROM seq_1_to_100000 ORDER BY seq`,
      supportBigNumbers: true,
    });
    const same = rows.filter(({ id, amount, name }, at) => {
      const row = source[at];
      return id === String(row?.id) && amount === row?.amount && name === row?.name;
    });
    expect([source.length, same.length]).toEqual([100_000, 100_000]);
  });
});
