/** Through the real database process: what the compiled program reads and calls decides, not the text. */
import { afterAll, describe, expect, it } from 'vitest';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { ProcessWatcher } from '../datasource-kit/index.ts';
import { sqliteConnection } from './connection.ts';

const folder = new SqliteFolder();
folder.create(
  'shop.db',
  `CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, amount REAL, rounded REAL AS (round(amount)));
   CREATE INDEX orders_customer ON orders (customer_id, amount);
   CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, tags TEXT);
   CREATE TABLE secrets (id INTEGER PRIMARY KEY, word TEXT UNIQUE) WITHOUT ROWID;
   CREATE VIEW totals AS SELECT customer_id, sum(amount) AS total FROM orders GROUP BY customer_id;
   CREATE VIEW words AS SELECT upper(word) AS word FROM secrets;
   CREATE VIEW nested AS SELECT * FROM words JOIN totals;
   CREATE VIRTUAL TABLE notes USING fts5(body);
   INSERT INTO notes VALUES ('a late order'), ('a happy customer');
   INSERT INTO orders (customer_id, amount) VALUES (1, 9.5), (1, 20.25), (2, 3);
   INSERT INTO customers VALUES (1, 'Ada', '["a","b"]'), (2, 'Grace', NULL);
   INSERT INTO secrets VALUES (1, 'swordfish');
   ANALYZE;`,
);
const watcher = new ProcessWatcher();
const connection = sqliteConnection(
  {
    id: 'shop',
    url: 'sqlite:shop.db',
    maxProcesses: 1,
    memoryLimitMb: 128,
    queueLimit: 10,
    acquireTimeoutMs: 10_000,
    idleTimeoutMs: 1_000,
  },
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
    ['SELECT * FROM orders', ['main.orders'], [], 3],
    // Answered from the index alone: the table itself is never opened.
    ['SELECT customer_id, sum(amount) FROM orders GROUP BY 1', ['orders'], ['sum'], 2],
    ['SELECT word FROM secrets', ['secrets'], [], 1],
    ['SELECT * FROM orders o JOIN customers c ON c.id = o.customer_id', ['orders', 'customers'], [], 3],
    ['SELECT (SELECT max(amount) FROM orders) AS top', ['orders'], ['max'], 1],
    ['SELECT * FROM totals', ['totals'], [], 2],
    ['SELECT * FROM totals WHERE customer_id = 1', ['totals'], [], 1],
    ['SELECT * FROM words', ['words'], [], 1],
    ['SELECT * FROM nested', ['nested'], [], 2],
    ['SELECT value FROM customers, json_each(tags)', ['customers'], ['json_each'], 2],
    ['SELECT value FROM json_tree(\'{"a":[1]}\')', [], ['json_tree'], 3],
    ["SELECT * FROM notes WHERE notes MATCH 'late'", ['notes'], [], 1],
    ["SELECT name FROM customers WHERE name LIKE 'a%' AND name GLOB 'A*'", ['customers'], [], 1],
    ['SELECT tags -> 0, tags ->> 1, CURRENT_DATE FROM customers WHERE tags IS NOT NULL', ['customers'], [], 1],
    ['SELECT amount, row_number() OVER (ORDER BY amount) FROM orders', ['orders'], ['row_number'], 3],
    ['SELECT id FROM orders UNION ALL SELECT id FROM customers ORDER BY 1', ['orders', 'customers'], [], 5],
    ['-- first\n/* second */ SELECT 1', [], [], 1],
    ['VALUES (1), (2)', [], [], 2],
    ['WITH o AS MATERIALIZED (SELECT * FROM orders) SELECT * FROM o a, o b', ['orders'], [], 9],
    ["SELECT 'DROP TABLE orders; PRAGMA x' AS text", [], [], 1],
    ['SELECT 1;', [], [], 1],
  ])('%s', async (sql, tables, functions, rows) => {
    expect((await run(sql, tables, functions)).rows).toHaveLength(rows);
  });

  it('any function when none are listed', async () => {
    expect((await run('SELECT upper(name) AS n FROM customers', ['customers'])).rows[0]).toEqual({ n: 'ADA' });
  });
});

describe('refuses', () => {
  it.each<[sql: string, tables: string[], functions?: string[]]>([
    ['SELECT * FROM secrets', ['orders']],
    ['SELECT 1 WHERE EXISTS (SELECT 1 FROM secrets)', ['orders']],
    ["SELECT word FROM secrets WHERE word > 'a'", ['orders']],
    ['WITH orders AS (SELECT * FROM secrets) SELECT * FROM orders', ['orders']],
    ['SELECT * FROM orders ORDER BY (SELECT word FROM secrets)', ['orders']],
    // A view gives its own tables and no others.
    ['SELECT * FROM words', ['totals']],
    ['SELECT * FROM nested', ['totals', 'orders']],
    ['SELECT * FROM sqlite_schema', ['orders']],
    ['SELECT * FROM sqlite_schema', ['sqlite_schema']],
    ['SELECT * FROM sqlite_master', ['sqlite_master']],
    ['SELECT * FROM sqlite_temp_schema', ['sqlite_temp_schema']],
    ['SELECT * FROM sqlite_stat1', ['orders']],
    ['SELECT * FROM notes_content', ['notes']],
    ['SELECT * FROM notes', ['orders']],
    ["SELECT * FROM pragma_table_info('orders')", ['orders']],
    ['SELECT * FROM pragma_database_list', ['orders']],
    ['SELECT * FROM dbstat', ['orders']],
    ["SELECT * FROM json_each('[1]')", ['orders'], []],
    ["SELECT * FROM json_each('[1]'), pragma_database_list", ['orders'], ['json_each']],
    ['SELECT upper(name) FROM customers', ['customers'], ['lower']],
    ['SELECT sum(amount) FROM orders', ['orders'], []],
    ['SELECT sqlite_version()', [], []],
    ['PRAGMA database_list', []],
    ['EXPLAIN SELECT 1', []],
    ['', []],
    ['-- nothing', []],
    [';', []],
  ])('%s of %s', async (sql, tables, functions) => {
    await expect(run(sql, tables, functions)).rejects.toMatchObject({ code: 'sql_refused' });
  });

  it('with the name of the table or function', async () => {
    await expect(run('SELECT * FROM secrets', ['orders'])).rejects.toThrow('the table "secrets"');
    await expect(run('SELECT HEX(1)', [], [])).rejects.toThrow('the function "hex"');
  });

  it('what was allowed only for another statement', async () => {
    const sql = 'SELECT * FROM secrets';
    await expect(run(sql, ['secrets'])).resolves.toMatchObject({ truncated: false });
    await expect(run(sql, ['orders'])).rejects.toMatchObject({ code: 'sql_refused' });
    await expect(run(sql, ['secrets'])).resolves.toMatchObject({ truncated: false });
  });
});
