import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdbShopScript } from '../../../test/fixtures/sql/duckdb-shop.ts';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { kitDialect, SqlRefusal } from '../../sql-kit/index.ts';
import { AllowedTables } from '../allowed-tables.ts';
import { checkSql } from '../check.ts';
import { allowedTables } from '../layer-tables.ts';

const duckdb = await kitDialect('duckdb');

const folder = mkdtempSync(join(tmpdir(), 'atlas-catalog-'));
const files = ['shop.duckdb', 'orders.v2.duckdb', 'main.db', 'My Shop.db', '.hidden.db', 'events.duckdb'];
const open = new Map<string, { instance: DuckDBInstance; db: DuckDBConnection }>();
beforeAll(async () => {
  for (const file of files) {
    const instance = await DuckDBInstance.create(join(folder, file));
    const db = await instance.connect();
    await db.run(duckdbShopScript);
    open.set(file, { instance, db });
  }
});
afterAll(() => {
  for (const { instance } of open.values()) instance.closeSync();
  rmSync(folder, { recursive: true });
});

const run = async (file: string, sql: string) => {
  const reader = await open.get(file)!.db.runAndReadAll(sql);
  return { columns: reader.columnNames(), rows: reader.getRowsJson() };
};

const dialectOf = (file: string) => duckdb.forConnection!({ maskedUrl: `duckdb:${file}` });
const catalogOf = (file: string) => dialectOf(file).catalog;

function checker(file: string) {
  const dialect = dialectOf(file);
  const entities = [entity('orders', []), entity('events', []), entity('people', [], { schema: 'hr' })];
  const whole = allowedTables(entities, dialect).tables;
  const rows = [{ condition: 'id > 1', values: [] }];
  const narrowed = new AllowedTables(
    whole.tables.map((table) => ({ ...table, rows })),
    dialect,
  );
  const check = (sql: string, tables = whole) => checkSql(sql, { tables }).sql;
  return { check, narrow: (sql: string) => check(sql, narrowed) };
}

test.each(files)('%s is called as the engine calls it', async (file) => {
  const { rows } = await run(file, 'SELECT lower(current_catalog())');
  expect(rows).toEqual([[catalogOf(file)]]);
});

const names = [
  'SELECT * FROM ¤.main.orders ORDER BY id',
  'SELECT * FROM ¤.orders ORDER BY id',
  'SELECT ¤.main.orders.id FROM ¤.main.orders ORDER BY ALL',
  'SELECT ¤.main.orders.id, orders.total FROM orders ORDER BY ALL',
  'SELECT ¤.orders.id FROM orders ORDER BY ALL',
  'SELECT main.orders.id FROM ¤.main.orders ORDER BY ALL',
  'SELECT o.id FROM ¤.main.orders AS o WHERE o.id < 5 ORDER BY ALL',
  'WITH orders AS (SELECT 1 AS id) SELECT orders.id FROM ¤.main.orders JOIN orders o ON true ORDER BY ALL',
  'SELECT ¤.main.events.place.geo.lat FROM events ORDER BY ALL',
  'SELECT p.name FROM ¤.hr.people p ORDER BY ALL',
  'SELECT * FROM ¤.main.orders JOIN ¤.main.events USING (id) ORDER BY id',
  'SELECT count(*) FROM orders WHERE id IN (SELECT id FROM ¤.main.events)',
];

test.each(files.flatMap((file) => names.map((sql) => [file, sql.replaceAll('¤', `"${catalogOf(file)}"`)] as const)))(
  'in %s: %s',
  async (file, sql) => {
    const { check, narrow } = checker(file);
    let expected: Awaited<ReturnType<typeof run>>;
    try {
      expected = await run(file, sql);
    } catch {
      // What the engine cannot tell apart may be refused, or mean the table that may be read.
      return;
    }
    expect(await run(file, check(sql))).toEqual(expected);
    await expect(run(file, narrow(sql))).resolves.toBeDefined();
    expect(narrow(sql)).toContain('id > 1');
  },
);

test('a table of the same name comes first', async () => {
  const { check } = checker('orders.v2.duckdb');
  const sql = 'SELECT orders.place.geo.lat FROM events AS orders ORDER BY ALL';
  expect(await run('orders.v2.duckdb', check(sql))).toEqual(await run('orders.v2.duckdb', sql));
});

test.each([
  'SELECT * FROM other.main.orders',
  'SELECT * FROM other.orders',
  'SELECT * FROM system.main.orders',
  'SELECT * FROM temp.main.orders',
  'SELECT * FROM shop.main.secrets',
  'SELECT * FROM shop.secrets',
  'SELECT * FROM shop.hr.secrets',
  'SELECT * FROM shop.information_schema.tables',
  'SELECT * FROM shop.pg_catalog.pg_class',
  'SELECT * FROM shop.main.duckdb_tables',
  'SELECT * FROM shop.main.duckdb_tables()',
  'SELECT shop.hr.people.name FROM orders',
  'SELECT 1 IN (FROM shop.main.secrets)',
  'SELECT * FROM orders AS shop, shop.main.secrets',
])('refuses %s', (sql) => {
  const { check, narrow } = checker('shop.duckdb');
  expect(() => check(sql)).toThrow(SqlRefusal);
  expect(() => narrow(sql)).toThrow(SqlRefusal);
});

test.each(['SELECT shop.main.secrets.v FROM orders', 'SELECT shop.secrets.v FROM orders'])(
  'leaves %s, which reads no other table, to the engine',
  async (sql) => {
    await expect(run('shop.duckdb', checker('shop.duckdb').check(sql))).rejects.toThrow('Binder Error');
  },
);
