import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, test } from 'vitest';
import { duckdbShop } from '../../../test/fixtures/sql/duckdb-shop.ts';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { DEFAULT_LIMITS, duckdb, type ReadValues } from '../../sql-kit/index.ts';
import { AllowedTables } from '../allowed-tables.ts';
import { checkSql } from '../check.ts';
import { allowedTables } from '../layer-tables.ts';

let db: DuckDBConnection;
/** The same shop with only the rows that the condition lets be seen. */
let seen: DuckDBConnection;
beforeAll(async () => {
  db = await duckdbShop();
  seen = await duckdbShop();
  await seen.run('DELETE FROM orders WHERE NOT id > 20; ALTER TABLE salaries DROP COLUMN amount');
  await seen.run("UPDATE salaries SET email = '***'");
});

const { tables } = allowedTables(
  [
    entity('orders', []),
    entity('events', []),
    entity('salaries', [{ name: 'name' }, { name: 'email', mask: "'***'" }, { name: 'amount', hidden: true }]),
  ],
  duckdb,
);
const rows = [{ condition: 'id > 20', values: [] }];
const narrowed = new AllowedTables(
  tables.tables.map((table) => (table.name === 'orders' ? { ...table, rows } : table)),
  duckdb,
);

async function run(connection: DuckDBConnection, sql: string) {
  const reader = await connection.runAndReadAll(sql);
  return { columns: reader.columnNames(), rows: reader.getRowsJson() };
}

const complete = (sql: string, read: ReadValues) => duckdb.complete!(sql, duckdb, DEFAULT_LIMITS, read);

async function asked(sql: string, of: AllowedTables) {
  const check = (text: string) => checkSql(text, { tables: of }).sql;
  const named = await complete(sql, async (text) => {
    const values = (await run(db, check(text))).rows.map(([value]) => value);
    return { values, isAll: true };
  });
  return run(db, check(named));
}

const statements = [
  'PIVOT orders ON status USING sum(total) GROUP BY customer_id ORDER BY ALL',
  'PIVOT orders ON status GROUP BY customer_id ORDER BY ALL',
  'PIVOT orders ON "order", status USING sum(total) AS s, count(*) AS n GROUP BY customer_id ORDER BY ALL',
  'PIVOT orders ON status IN (\'paid\'), "order" USING sum(total) GROUP BY customer_id ORDER BY ALL',
  'PIVOT orders AS o ON month(ordered_at) USING count(*) GROUP BY customer_id ORDER BY ALL',
  'PIVOT (SELECT customer_id, status, total FROM orders WHERE total > 10) ON status USING max(total) ORDER BY ALL',
  'WITH o AS (SELECT * FROM orders WHERE id < 30) PIVOT o ON status USING sum(total) GROUP BY customer_id ORDER BY ALL',
  "WITH orders AS (SELECT * FROM orders WHERE status = 'paid') PIVOT orders ON status USING count(*) GROUP BY customer_id ORDER BY ALL",
  'SELECT * FROM (PIVOT orders ON status USING count(*) GROUP BY customer_id) WHERE paid > 0 ORDER BY ALL',
  'FROM (PIVOT orders ON status USING count(*) GROUP BY customer_id) a JOIN (PIVOT orders ON "order" USING count(*) GROUP BY customer_id) b USING (customer_id) ORDER BY ALL',
  'PIVOT orders ON total USING count(*) GROUP BY customer_id ORDER BY ALL',
  'PIVOT orders ON ordered_at::DATE USING count(*) GROUP BY customer_id ORDER BY ALL',
  "PIVOT orders ON status || '''' || \"order\" USING count(*) GROUP BY customer_id ORDER BY ALL",
  'PIVOT orders -- a comment\n ON /* another */ status -- and one more\n USING count(*) GROUP BY customer_id ORDER BY ALL;',
];

describe('a PIVOT without values', () => {
  test.each(statements)('is what the engine makes of it: %s', async (sql) => {
    expect(await asked(sql, tables)).toEqual(await run(db, sql));
  });

  test.each(statements)('has values only of rows that may be seen: %s', async (sql) => {
    expect(await asked(sql, narrowed)).toEqual(await run(seen, sql));
  });

  test('has masks for masked values', async () => {
    const sql = 'PIVOT salaries ON email USING count(*) GROUP BY name ORDER BY ALL';
    expect(await asked(sql, tables)).toEqual(await run(seen, sql));
  });

  test.each([
    'PIVOT secrets ON k USING count(*)',
    'PIVOT orders ON (SELECT v FROM secrets) USING count(*)',
    'PIVOT (SELECT * FROM secrets) ON k',
    'WITH s AS (SELECT * FROM secrets) PIVOT s ON k',
    "PIVOT read_csv('/etc/passwd') ON column0",
    "PIVOT '/etc/passwd' ON column0",
    "PIVOT orders ON getenv('HOME')",
    'PIVOT orders ON status) UNION SELECT v FROM secrets --',
    'PIVOT orders ON status FROM secrets',
    'PIVOT orders ON amount USING count(*) FROM salaries',
    'PIVOT orders ON status USING max((SELECT max(v) FROM secrets))',
    'SELECT * FROM (PIVOT secrets ON k)',
    'PIVOT orders ON status; SELECT * FROM secrets',
    'WITH p AS (PIVOT orders ON status USING count(*)) FROM p',
    'FROM (WITH o AS (FROM orders) PIVOT o ON status)',
    'PIVOT orders ON status IN (SELECT v FROM secrets) USING count(*)',
    'PIVOT salaries ON name USING sum(amount)',
    'PIVOT orders ON id USING count(*), sum(total)',
    'PIVOT (FROM orders WHERE false) ON status',
    'PIVOT orders ON status, status, status, status, status',
    Array(5).fill('(PIVOT orders ON status)').join(', ').replace('(', 'FROM ('),
  ])('is refused where it would read hidden data, or its values cannot be determined: %s', async (sql) => {
    await expect(asked(sql, tables)).rejects.toThrow(/\(line \d+, column \d+\)|Binder Error/);
    await expect(asked(sql, narrowed)).rejects.toThrow(/\(line \d+, column \d+\)|Binder Error/);
  });

  test('with more values than allowed columns is refused', async () => {
    const read = async () => ({ values: ['a'], isAll: false });
    await expect(complete('PIVOT orders ON id', read)).rejects.toThrow(
      'PIVOT finds more values than can become columns (line 1, column 17).',
    );
  });

  test('may be a name that is not a PIVOT', async () => {
    const read = () => Promise.reject(new Error('Nothing is to be read.'));
    for (const sql of [`SELECT 'pivot' AS "pivot"`, "PIVOT orders ON status IN ('paid')", 'SELECT 1 -- pivot t on x']) {
      expect(await complete(sql, read)).toBe(sql);
    }
  });
});
