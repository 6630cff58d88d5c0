/** Row security in the built-in composition, as the environment configures it. */
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readEnv, selfHosted } from '../../config/presets/self-hosted.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { DuckdbFolder } from '../harness/duckdb.ts';
import { layerFolder } from '../harness/layer-folder.ts';
import { SqliteFolder } from '../harness/sqlite.ts';

const TABLES = `CREATE TABLE orders (id INTEGER, tenant INTEGER, amount INTEGER);
  INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 999);
  CREATE TABLE regions (name TEXT);
  INSERT INTO regions VALUES ('north'), ('south');`;

const sqlite = new SqliteFolder();
const duckdb = new DuckdbFolder();
const layer = layerFolder({ 'entities/orders.yml': 'table: orders\n', 'entities/regions.yml': 'table: regions\n' });
afterAll(() => {
  for (const folder of [sqlite, duckdb, layer]) folder[Symbol.dispose]();
});

const urls = {
  sqlite: `sqlite:${sqlite.create('shop.db', TABLES)}`,
  duckdb: `duckdb:${await duckdb.create(join('shop.duckdb'), TABLES)}`,
};

function start(url: string, column: string) {
  const { env } = readEnv({
    PORT: '0',
    SVC_DATASOURCE_URL: url,
    SVC_SEMANTIC_DIR: layer.dir,
    SVC_API_KEY: 'a-key-that-nobody-guesses',
    SVC_RLS_ENABLED: 'true',
    SVC_RLS_COLUMN: column,
    SVC_RLS_CLAIM: 'tenant',
    SVC_RLS_EXEMPT: 'regions',
  });
  return createTestApp({ plugins: selfHosted(env), openGates: false });
}

describe.each(Object.entries(urls))('on %s', (_, url) => {
  it('every form of a join is filtered', async () => {
    await using app = await start(url, 'tenant');
    const actor = { id: 'ann', label: null, role: 'analyst', mode: 'test', claims: { tenant: 1 } } as const;
    for (const from of [
      'orders CROSS JOIN regions',
      'regions CROSS JOIN orders',
      'regions, orders',
      'regions JOIN orders ON 1 = 1',
      'regions LEFT JOIN orders ON 1 = 1',
      'orders a CROSS JOIN regions CROSS JOIN (SELECT 1 AS one) b',
    ]) {
      const sql = `SELECT sum(amount) AS total, max(tenant) AS tenant FROM ${from}`;
      const { result } = await app.runSql({ sql, surface: 'test' }, app.scope({ actor }));
      expect([from, result.rows]).toEqual([from, [{ total: 60, tenant: 1 }]]);
    }
  });

  it('a column that no table has stops the start', async () => {
    await expect(start(url, 'tenantt')).rejects.toThrow(/no table .* has the column "tenantt".*did you mean `tenant`/s);
  });
});
