import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { datasourceExecute, datasourceList, definePlugin } from '../../../kernel/index.ts';
import { createShop, shopRules } from '../../../test/fixtures/sql/postgres-shop.ts';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { startPostgres } from '../../../test/harness/postgres.ts';
import { createTestApp, type TestApp } from '../../../test/testing.ts';
import { semanticLayer } from '../../semantic-layer/index.ts';
import { postgres } from '../../sql-kit/index.ts';
import { checkSql } from '../check.ts';
import { sqlGuard } from '../index.ts';
import { allowedTables } from '../layer-tables.ts';

let client: Client;
let stop: () => Promise<void>;
let app: TestApp;

/** The shop as a connection. */
const database = definePlugin({
  name: 'test-database',
  version: '1.0.0',
  type: 'datasource',
  description: 'The shop.',
  setup(ctx) {
    ctx.tap(datasourceList, () => [{ id: 'shop', dbType: 'postgres' as const, maskedUrl: 'postgres://…' }]);
    ctx.tapKey(datasourceExecute, 'shop', async ({ sql, params }) => {
      const { fields, rows } = await client.query(sql, [...params]);
      return { columns: fields.map(({ name }) => name), rows, truncated: false, notes: [] };
    });
  },
});

beforeAll(async () => {
  const server = await startPostgres();
  stop = server.stop;
  client = new Client(server.url);
  await client.connect();
  await createShop(client);
  const dir = mkdtempSync(join(tmpdir(), 'sql-guard-'));
  mkdirSync(join(dir, 'entities'));
  writeFileSync(join(dir, 'entities', 'orders.yml'), 'table: orders\ndimensions:\n  - name: id\n');
  app = await createTestApp({ plugins: [semanticLayer({ dir }), sqlGuard({ functions: ['reveal'] }), database()] });
}, 60_000);
afterAll(async () => {
  await app.close();
  await client.end();
  await stop();
});

const run = (sql: string) => app.runSql({ sql, surface: 'api' }, app.scope());

describe('the plugin on Postgres', () => {
  test('runs what it checked, its parser loaded when the first statement comes', async () => {
    const { statement, result } = await run('select count(*)/*x*/ as n from ORDERS o where o.id::int > 38');
    expect(result.rows).toEqual([{ n: '2' }]);
    expect(statement).toMatchObject({
      sql: 'SELECT pg_catalog.count(*) AS n FROM orders AS o WHERE o.id::pg_catalog.int4 > 38',
      tables: ['orders'],
      columns: ['orders.id'],
      functions: ['count'],
    });
  });

  test('refuses with what to do', async () => {
    await expect(run('SELECT * FROM secrets')).rejects.toMatchObject({ code: 'sql_refused' });
    await expect(run('SELECT pg_sleep(1)')).rejects.toThrow('Function "pg_sleep" is not allowed');
  });

  test('calls functions of the database that the options name, and no other', async () => {
    await expect(run("SELECT reveal('x')")).resolves.toMatchObject({ result: { rows: [{ reveal: 's3cr3t-value' }] } });
    await expect(run("SELECT joined('x', 'y')")).rejects.toThrow('"joined" is not allowed');
  });
});

describe('the print', () => {
  const print = (sql: string) => checkSql(sql, shopRules()).sql;

  test.each([
    ['select \'a\\b\', "id" from Orders -- x', "SELECT E'a\\\\b', id FROM orders"],
    ['SELECT lower(name) FROM customers', 'SELECT pg_catalog.lower(name) FROM customers'],
    ['SELECT o.id FROM public.orders o', 'SELECT o.id FROM orders AS o'],
    ['SELECT r.name FROM sales.regions r', 'SELECT r.name FROM sales.regions AS r'],
    ['SELECT id::date FROM orders', 'SELECT id::pg_catalog.date FROM orders'],
    [
      "SELECT EXTRACT(YEAR FROM now() AT TIME ZONE 'UTC')",
      "SELECT EXTRACT(year FROM pg_catalog.now() AT TIME ZONE 'UTC')",
    ],
    ['SELECT "select" AS "User" FROM "group"', 'SELECT "select" AS "User" FROM "group"'],
    [
      'SELECT (a = b) = c FROM (SELECT 1 a, 2 b, true c) t',
      'SELECT (a = b) = c FROM (SELECT 1 AS a, 2 AS b, TRUE AS c) AS t',
    ],
  ])('of %s', (sql, printed) => {
    expect(print(sql)).toBe(printed);
  });

  test('shows of a table what may be seen', () => {
    expect(print('SELECT p.name FROM salaries p')).toBe(
      "SELECT p.name FROM (SELECT salaries.name, pg_catalog.left(salaries.email, 1) || '***' AS email FROM salaries) AS p",
    );
  });

  test('makes the engine prove what only it can know for a column', () => {
    expect(print('SELECT o."ship to", o.id FROM orders o')).toBe(
      'WITH "?1" AS (SELECT "ship to" FROM orders AS "?") SELECT o."ship to", o.id FROM orders AS o',
    );
    expect(print('SELECT (c).city FROM customers c')).toBe(
      'SELECT (SELECT city FROM (SELECT (c).*) AS "?") FROM customers AS c',
    );
  });
});

describe('names', () => {
  test('are those of the catalog, to the letter', () => {
    const { tables } = allowedTables([entity('Orders', [])], postgres);
    const read = (sql: string) => checkSql(sql, { tables }).tables;
    expect(read('SELECT * FROM "Orders"')).toEqual(['Orders']);
    expect(() => read('SELECT * FROM Orders')).toThrow('Table "orders" is not in the semantic layer');
  });

  test('of tables are hidden by common tables only where SQL says so', () => {
    const read = (sql: string) => checkSql(sql, shopRules()).tables;
    expect(read('WITH orders AS (SELECT 1 AS id) SELECT id FROM orders')).toEqual([]);
    expect(read('WITH orders AS (SELECT id FROM orders) SELECT id FROM orders')).toEqual(['orders']);
    expect(read('WITH RECURSIVE orders AS (SELECT 1 AS id UNION SELECT id FROM orders) SELECT id FROM orders')).toEqual(
      [],
    );
    expect(read('WITH orders AS (SELECT 1 AS id) SELECT id FROM public.orders')).toEqual(['orders']);
  });
});
