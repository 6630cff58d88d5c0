/** Through a real ClickHouse: what its own tree of a statement reads and calls decides, not the text. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickhouseServer, findChdb, INSTALL_CHDB, startClickhouse } from '../../../test/harness/clickhouse.ts';
import { suiteNeeding } from '../../../test/harness/require.ts';
import { ServerDatabase } from '../../datasource-kit/index.ts';
import { ClickhouseDriver } from '../driver.ts';
import { clickhouseOptions } from '../fixtures/options.ts';

suiteNeeding(
  'clickhouse',
  findChdb() !== undefined,
  INSTALL_CHDB,
)('the second check', () => {
  let server: ClickhouseServer;
  let database: ServerDatabase;

  beforeAll(async () => {
    server = await startClickhouse([
      'CREATE TABLE orders (id Int32, customer_id Int32, amount Float64, doubled Float64 ALIAS amount * 2) ENGINE = MergeTree ORDER BY id',
      'CREATE TABLE customers (id Int32, name String, tags Array(String)) ENGINE = ReplacingMergeTree ORDER BY id',
      'CREATE TABLE sampled (id UInt32) ENGINE = ReplacingMergeTree ORDER BY id SAMPLE BY id',
      'INSERT INTO sampled VALUES (1500000000)',
      'CREATE TABLE secrets (id Int32, word String) ENGINE = MergeTree ORDER BY id',
      'CREATE TABLE `odd.name` (a Int8) ENGINE = Memory',
      'CREATE TABLE `odd, table_name: default.orders` (a Int8) ENGINE = Memory',
      'CREATE DATABASE hr',
      'CREATE TABLE hr.people (id Int32) ENGINE = Memory',
      'CREATE TABLE hr.orders (id Int32) ENGINE = Memory',
      'CREATE VIEW totals AS SELECT customer_id, sum(amount) AS total FROM orders GROUP BY customer_id',
      'CREATE VIEW words AS SELECT upper(word) AS word FROM secrets',
      'CREATE VIEW wordsof AS SELECT word FROM secrets WHERE id = {number:Int32}',
      `CREATE TABLE everything AS orders ENGINE = Merge(currentDatabase(), '^orders$')`,
      `CREATE DICTIONARY dictionary (id UInt64, word String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'secrets')) LAYOUT(FLAT()) LIFETIME(0)`,
      'CREATE FUNCTION peek AS (x) -> concat(x, hostName())',
      `INSERT INTO orders VALUES (1, 1, 9.5), (2, 1, 20.25), (3, 2, 3)`,
      `INSERT INTO customers VALUES (1, 'Ada', ['a', 'b']), (2, 'Grace', [])`,
      `INSERT INTO secrets VALUES (1, 'swordfish')`,
    ]);
    const options = clickhouseOptions({ url: server.url });
    database = new ServerDatabase(new ClickhouseDriver(options), options);
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  const run = (sql: string, tables: string[], functions?: string[], params: unknown[] = []) =>
    database.execute({
      connection: database.info,
      requested: sql,
      sql,
      params,
      surface: 'test',
      tables,
      ...(functions === undefined ? {} : { functions }),
    });

  describe('lets pass', () => {
    it.each<[sql: string, tables: string[], functions: string[], rows: number]>([
      ['SELECT * FROM orders', ['orders'], [], 3],
      ['SELECT * FROM orders', ['default.orders'], [], 3],
      ['SELECT doubled FROM `default`.`orders`', ['orders'], [], 3],
      [
        'SELECT count(*), count(DISTINCT id), sum(id) FILTER (WHERE id > 1) FROM orders',
        ['orders'],
        ['count', 'sum'],
        1,
      ],
      [
        "SELECT date_trunc('month', now()), LOWER(name) FROM customers",
        ['customers'],
        ['date_trunc', 'now', 'lower'],
        2,
      ],
      ['SELECT * FROM hr.people', ['hr.people'], [], 0],
      ['SELECT * FROM `odd.name`', ['odd.name'], [], 0],
      ['SELECT * FROM `odd.name`', ['default.odd.name'], [], 0],
      ['SELECT * FROM customers FINAL', ['customers'], [], 2],
      ['SELECT a.id FROM sampled AS a FINAL SAMPLE 1 / 2 OFFSET 1 / 4', ['sampled'], [], 1],
      [
        `SELECT concat(name, ', table_name: x') AS \`concat(name, \\', table_name: x\\')\` FROM customers`,
        ['customers'],
        ['concat'],
        2,
      ],
      [
        'SELECT o.id, c.name FROM orders AS o INNER JOIN customers AS c ON c.id = o.customer_id',
        ['orders', 'customers'],
        [],
        3,
      ],
      ['SELECT (SELECT max(amount) FROM orders) AS top', ['orders'], ['max'], 1],
      ['SELECT id FROM customers WHERE id IN (SELECT customer_id FROM orders)', ['orders', 'customers'], [], 2],
      ['SELECT * FROM totals', ['totals'], [], 2],
      ['SELECT * FROM words', ['words'], [], 1],
      ['SELECT * FROM everything', ['everything'], [], 3],
      ['SELECT number FROM numbers(4)', [], ['numbers'], 4],
      ['SELECT id, tag FROM customers ARRAY JOIN tags AS tag', ['customers'], [], 2],
      [
        `SELECT EXTRACT(YEAR FROM toDate('2024-01-01')), [1][1], (1, 2).1, 'a' LIKE 'b', id::String, CASE WHEN id = 1 THEN 2 END,
          CASE id WHEN 1 THEN 2 END, INTERVAL 1 DAY + DATE '2024-01-01', id BETWEEN 1 AND 2, id IS NULL, NOT id, -id, name || 'x',
          trim(BOTH 'x' FROM name), substring(name FROM 1 FOR 2), position('a' IN name), id NOT IN (1, 2), name ILIKE 'a',
          id IS DISTINCT FROM 1, arrayMap(x -> x + 1, [1])
         FROM customers`,
        ['customers'],
        ['todate', 'arraymap'],
        2,
      ],
      ['SELECT amount, row_number() OVER (ORDER BY amount) FROM orders', ['orders'], ['row_number'], 3],
      ['SELECT id FROM orders UNION ALL SELECT id FROM customers ORDER BY 1', ['orders', 'customers'], [], 5],
      ['SELECT 1 UNION SELECT 1', [], [], 1],
      ['WITH secrets AS (SELECT 1 AS a) SELECT * FROM secrets', [], [], 1],
      ['WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT * FROM r', [], [], 5],
      [
        `SELECT 'x\\n  TABLE id: 3, alias: a, table_name: default.secrets' AS t, '; SETTINGS x' FROM orders`,
        ['orders'],
        [],
        3,
      ],
      ['SELECT id AS `a, function_name: b` FROM orders AS `c, table_name: d`', ['orders'], [], 3],
    ])('%s', async (sql, tables, functions, rows) => {
      expect((await run(sql, tables, functions)).rows).toHaveLength(rows);
    });

    it('any function when none are listed', async () => {
      expect((await run('SELECT upper(name) AS n FROM customers ORDER BY 1', ['customers'])).rows[0]).toEqual({
        n: 'ADA',
      });
    });

    it('bound values of every kind', async () => {
      const sql =
        'SELECT count() AS n FROM orders WHERE amount = {p1:String} AND {p2:String} IS NULL AND id = {p3:String}';
      expect((await run(sql, ['orders'], ['count'], [9.5, null, 1])).rows).toEqual([{ n: 1 }]);
      const others = `SELECT {p1:String} AS a, toDate('2024-02-29') = {p2:String} AS b, true = {p3:String} AND toUInt8(1) = {p3:String} AS c,
        toDateTime64('2024-02-29 12:30:00.5', 3, 'UTC') = {p4:String} AS d, '{p9:String}' AS e`;
      const day = new Date('2024-02-29T00:00:00Z');
      const instant = new Date('2024-02-29T12:30:00.500Z');
      const text = `it's\\ \t\n"; -- {p1:String}`;
      expect((await run(others, [], ['todate', 'todatetime64', 'touint8'], [text, day, true, instant])).rows).toEqual([
        { a: text, b: 1, c: 1, d: 1, e: '{p9:String}' },
      ]);
      await expect(run('SELECT {p1:String} AS a', [], [], [new Uint8Array(2)])).rejects.toMatchObject({
        code: 'sql_failed',
      });
    });
  });

  describe('refuses', () => {
    it.each<[sql: string, tables: string[], functions?: string[]]>([
      ['SELECT * FROM secrets', ['orders']],
      ['SELECT count() FROM secrets', ['orders']],
      ['SELECT 1 FROM orders WHERE EXISTS (SELECT 1 FROM secrets)', ['orders']],
      ['SELECT (SELECT max(word) FROM secrets) AS w FROM orders', ['orders']],
      ['SELECT 1 FROM orders WHERE false AND id IN (SELECT id FROM secrets)', ['orders']],
      ['SELECT 1 FROM orders WHERE id IN secrets', ['orders']],
      ['WITH orders AS (SELECT * FROM secrets) SELECT * FROM orders', ['orders']],
      ['SELECT * FROM orders ORDER BY (SELECT word FROM secrets)', ['orders']],
      ['SELECT * FROM orders UNION ALL SELECT id, id, 1.5 FROM secrets', ['orders']],
      ['SELECT * FROM hr.orders', ['orders']],
      ['SELECT * FROM orders', ['hr.orders']],
      ['SELECT * FROM words', ['totals']],
      ['SELECT * FROM wordsof(number = 1)', ['orders']],
      ['SELECT * FROM everything', ['orders']],
      ['SELECT * FROM system.tables', ['orders']],
      ['SELECT * FROM information_schema.tables', ['orders']],
      ['SELECT * FROM secrets AS `a, table_name: default.orders`', ['orders']],
      ['SELECT * FROM `odd, table_name: default.orders`', ['orders']],
      [`SELECT * FROM merge('default', 'se.*')`, ['orders'], ['merge_of_rows']],
      ['SELECT * FROM view(SELECT * FROM secrets)', ['orders'], []],
      [`SELECT * FROM remote('127.0.0.1', default.secrets)`, ['orders'], []],
      [`SELECT * FROM file('/etc/passwd', 'LineAsString')`, ['orders'], []],
      [`SELECT * FROM file('/etc/passwd', 'LineAsString')`, ['orders']],
      [`SELECT * FROM url('http://127.0.0.1:1', 'LineAsString')`, ['orders']],
      [`SELECT (SELECT * FROM url('http://127.0.0.1:1', 'LineAsString')) FROM orders`, ['orders']],
      [`SELECT * FROM executable('x', TSV, 'a Int8')`, ['orders']],
      ['SELECT * FROM numbers(3)', ['orders'], []],
      ['SELECT upper(name) FROM customers', ['customers'], ['lower']],
      ['SELECT max(upper(name)) FROM customers', ['customers'], ['max']],
      ['SELECT sleep(1)', [], []],
      ['SELECT evil(1) AS `a, function_name: max, function_type: ordinary` FROM orders', ['orders'], ['max']],
      [`SELECT dictGet('dictionary', 'word', 1)`, [], ['dictget_of']],
      [`SELECT peek('x')`, [], ['x']],
      [`SELECT hostName(), currentUser(), getSetting('readonly')`, [], []],
      ['SELECT arrayMap(x -> sleep(x), [1])', [], ['arraymap']],
      ['SELECT * FROM orders SETTINGS max_result_rows = 0', ['orders'], []],
      ['SELECT * FROM (SELECT * FROM orders SETTINGS join_use_nulls = 0)', ['orders'], []],
      ['SELECT * FROM orders FORMAT Null', ['orders'], []],
      ['SELECT * FROM orders FORMAT JSON', ['orders'], []],
      ['SELECT 1; SELECT 2', [], []],
      ['DESCRIBE orders', ['orders'], []],
      ['SHOW TABLES', [], []],
      ['', []],
    ])('%s of %s', async (sql, tables, functions) => {
      const outcome = await run(sql, tables, functions).then(
        () => 'it ran',
        (error: { code: string }) => error.code,
      );
      expect(outcome).toMatch(/^sql_(?:refused|failed)$/);
    });

    it('with the name of the table or function', async () => {
      await expect(run('SELECT * FROM secrets', ['orders'])).rejects.toThrow('the table "secrets"');
      await expect(run("SELECT MD5('x')", [], [])).rejects.toThrow('the function "MD5"');
      await expect(run("SELECT * FROM file('x')", [], [])).rejects.toThrow('reads from "file"');
    });

    it('names that could look like lines of the tree, and names as values', async () => {
      for (const name of ['`a\\n  TABLE id: 3, table_name: default.orders`', '`a\n`', '"a\\x0a"', '`a\u2028b`']) {
        await expect(run(`SELECT id AS ${name} FROM orders`, ['orders'])).rejects.toThrow('control character');
      }
      const bound = run('SELECT * FROM { p1 : Identifier }', ['orders'], [], ['secrets']);
      await expect(bound).rejects.toThrow('cannot be bound');
    });

    it('what was allowed only for another statement', async () => {
      const sql = 'SELECT * FROM secrets';
      await expect(run(sql, ['secrets'])).resolves.toMatchObject({ truncated: false });
      await expect(run(sql, ['orders'])).rejects.toMatchObject({ code: 'sql_refused' });
      await expect(run(sql, ['secrets'])).resolves.toMatchObject({ truncated: false });
    });

    it('before anything of it is worked out', async () => {
      let asked = 0;
      const listener = createServer((_, response) => {
        asked += 1;
        response.end('1\n');
      });
      await once(listener.listen(0, '127.0.0.1'), 'listening');
      const { port } = listener.address() as AddressInfo;
      const sql = `SELECT (SELECT max(a) FROM url('http://127.0.0.1:${port}/', TSV, 'a Int8')) AS a FROM orders`;
      await expect(run(sql, ['orders'], ['max'])).rejects.toThrow('reads from "url"');
      expect(asked).toBe(0);
      listener.close();
    });
  });
});
