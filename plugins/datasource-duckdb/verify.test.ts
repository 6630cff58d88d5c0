/** Through the real database process: what the engine's own plan and tree read and call decides, not the text. */
import { afterAll, describe, expect, it } from 'vitest';
import { DuckdbFolder } from '../../test/harness/duckdb.ts';
import { ProcessWatcher } from '../datasource-kit/index.ts';
import { duckdbConnection } from './connection.ts';

const folder = new DuckdbFolder();
await folder.create(
  'my-shop.v2.duckdb',
  `CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, amount DOUBLE);
   CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, tags TEXT[], j JSON);
   CREATE TABLE secrets (id INTEGER, word TEXT);
   CREATE TABLE "odd.name" (a INTEGER);
   CREATE SCHEMA hr; CREATE TABLE hr.people (id INTEGER); CREATE TABLE hr.orders (id INTEGER);
   CREATE VIEW totals AS SELECT customer_id, sum(amount) AS total FROM orders GROUP BY ALL;
   CREATE VIEW words AS SELECT upper(word) AS word FROM secrets;
   CREATE VIEW nested AS SELECT * FROM words CROSS JOIN totals;
   CREATE VIEW numbers AS SELECT * FROM range(3) r(n);
   CREATE MACRO peek() AS TABLE SELECT * FROM secrets;
   CREATE MACRO word() AS (SELECT max(word) FROM secrets);
   INSERT INTO orders VALUES (1, 1, 9.5), (2, 1, 20.25), (3, 2, 3);
   INSERT INTO customers VALUES (1, 'Ada', ['a', 'b'], '{"k": 1}'), (2, 'Grace', [], NULL);
   INSERT INTO secrets VALUES (1, 'swordfish');`,
);
const watcher = new ProcessWatcher();
const limits = { maxProcesses: 1, threads: 1, memoryLimitMb: 128, tempLimitMb: 64, queueLimit: 10 };
const connection = duckdbConnection(
  { id: 'shop', url: 'duckdb:my-shop.v2.duckdb', acquireTimeoutMs: 10_000, idleTimeoutMs: 1_000, ...limits },
  folder.path,
  watcher,
);
afterAll(async () => {
  await connection.close();
  watcher.close();
  folder[Symbol.dispose]();
});

const run = (sql: string, tables: string[], functions?: string[]) =>
  connection.execute({
    connection: connection.info,
    requested: sql,
    sql,
    params: [],
    surface: 'test',
    tables,
    ...(functions === undefined ? {} : { functions }),
  });

describe('runs', () => {
  it.each<[sql: string, tables: string[], functions: string[], rows: number]>([
    ['SELECT * FROM orders', ['orders'], [], 3],
    ['SELECT * FROM Main.ORDERS', ['Orders'], [], 3],
    ['FROM orders', ['main.orders'], [], 3],
    ['SELECT count(*) FROM orders', ['orders'], ['count'], 1],
    ['SELECT max(amount) FROM orders', ['orders'], ['max'], 1],
    ['SELECT * FROM hr.people', ['hr.people'], [], 0],
    ['SELECT * FROM "odd.name"', ['main.odd.name'], [], 0],
    ['SELECT * FROM orders o JOIN customers c ON c.id = o.customer_id', ['orders', 'customers'], [], 3],
    ['SELECT (SELECT max(amount) FROM orders) AS top', ['orders'], ['max'], 1],
    ['SELECT * FROM totals', ['totals'], [], 2],
    ['SELECT * FROM words', ['words'], [], 1],
    ['SELECT * FROM nested', ['nested'], [], 2],
    ['SELECT * FROM numbers', ['numbers'], [], 3],
    ['SELECT * FROM range(4)', [], ['range'], 4],
    ['SELECT unnest(tags) FROM customers', ['customers'], ['unnest'], 2],
    [
      "SELECT j ->> 'k', EXTRACT(YEAR FROM DATE '2024-01-01'), [1][1], {'a': 1}.a, 'a' LIKE 'b' FROM customers",
      ['customers'],
      [],
      2,
    ],
    ["SELECT DATE '2024-01-01' + INTERVAL 1 MONTH, trim(BOTH 'x' FROM 'xax'), 5 // 2, 'a' SIMILAR TO 'b'", [], [], 1],
    ['SELECT amount, row_number() OVER (ORDER BY amount) FROM orders', ['orders'], ['row_number'], 3],
    ['SELECT id FROM orders UNION ALL SELECT id FROM customers ORDER BY 1', ['orders', 'customers'], [], 5],
    ['WITH secrets AS (SELECT 1 AS a) SELECT * FROM secrets', [], [], 1],
    ['WITH o AS MATERIALIZED (SELECT * FROM orders) SELECT * FROM o a, o b', ['orders'], [], 9],
    ['WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT * FROM r', [], [], 5],
    [
      'SELECT id FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id)',
      ['customers', 'orders'],
      [],
      2,
    ],
    [
      'SELECT c.id, l.n FROM customers c, LATERAL (SELECT count(*) AS n FROM orders WHERE customer_id = c.id) l',
      ['customers', 'orders'],
      ['count'],
      2,
    ],
    ['VALUES (1), (2)', [], [], 2],
    ['-- first\n/* second */ SELECT 1;', [], [], 1],
  ])('%s', async (sql, tables, functions, rows) => {
    expect((await run(sql, tables, functions)).rows).toHaveLength(rows);
  });

  it('any function when none are listed', async () => {
    expect((await run('SELECT upper(name) AS n FROM customers ORDER BY 1', ['customers'])).rows[0]).toEqual({
      n: 'ADA',
    });
  });
});

describe('refuses', () => {
  it.each<[sql: string, tables: string[], functions?: string[]]>([
    ['SELECT * FROM secrets', ['orders']],
    ['SELECT count(*) FROM secrets', ['orders']],
    ['SELECT 1 WHERE EXISTS (SELECT 1 FROM secrets)', ['orders']],
    ['SELECT 1 FROM orders WHERE false AND id IN (SELECT id FROM secrets)', ['orders']],
    ['WITH orders AS (SELECT * FROM secrets) SELECT * FROM orders', ['orders']],
    ['WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets', ['orders']],
    ['SELECT * FROM orders ORDER BY (SELECT word FROM secrets)', ['orders']],
    ['SELECT * FROM hr.orders', ['orders']],
    ['SELECT * FROM orders', ['hr.orders']],
    ['SELECT * FROM words', ['totals']],
    ['SELECT * FROM nested', ['totals', 'orders']],
    ['SELECT * FROM peek()', ['orders'], ['peek']],
    ['SELECT word()', ['orders'], ['word']],
    ["SELECT * FROM query('SELECT * FROM secrets')", ['orders']],
    ["SELECT * FROM query_table('secrets')", ['orders']],
    ['SELECT * FROM duckdb_tables()', ['orders']],
    ['SELECT * FROM information_schema.tables', ['orders']],
    ['SELECT * FROM sqlite_master', ['orders']],
    ['SELECT * FROM range(3)', ['orders'], []],
    ['SELECT upper(name) FROM customers', ['customers'], ['lower']],
    ["SELECT current_setting('threads')", [], []],
    ['SELECT list_transform([1], x -> sleep_ms(x))', [], ['list_transform']],
    ['SUMMARIZE orders', ['orders'], []],
    ['DESCRIBE orders', ['orders'], []],
    ['SHOW TABLES', [], []],
    ['PIVOT orders ON customer_id USING sum(amount)', ['orders'], ['sum']],
    ['EXPLAIN SELECT 1', []],
    ['', []],
    [';', []],
  ])('%s of %s', async (sql, tables, functions) => {
    await expect(run(sql, tables, functions)).rejects.toMatchObject({ code: 'sql_refused' });
  });

  it('with the name of the table or function', async () => {
    await expect(run('SELECT * FROM secrets', ['orders'])).rejects.toThrow('the table "secrets"');
    await expect(run("SELECT MD5('x')", [], [])).rejects.toThrow('the function "md5"');
  });

  it('what was allowed only for another statement', async () => {
    const sql = 'SELECT * FROM secrets';
    await expect(run(sql, ['secrets'])).resolves.toMatchObject({ truncated: false });
    await expect(run(sql, ['orders'])).rejects.toMatchObject({ code: 'sql_refused' });
    await expect(run(sql, ['secrets'])).resolves.toMatchObject({ truncated: false });
  });
});
