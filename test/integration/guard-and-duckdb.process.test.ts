/** What the guard lets pass, with all it says of tables and functions, passes the engine's own check too. */
import { afterAll, describe, expect, test } from 'vitest';
import { duckdbConnection } from '../../plugins/datasource-duckdb/index.ts';
import { ProcessWatcher } from '../../plugins/datasource-kit/index.ts';
import { duckdbHonest } from '../fixtures/sql/duckdb-honest.ts';
import { duckdbHarmless } from '../fixtures/sql/duckdb-hostile.ts';
import { checkDuckdb, duckdbShopScript } from '../fixtures/sql/duckdb-shop.ts';
import { DuckdbFolder } from '../harness/duckdb.ts';

const folder = new DuckdbFolder();
await folder.create('shop.duckdb', duckdbShopScript);
const watcher = new ProcessWatcher();
const limits = { maxProcesses: 1, threads: 1, memoryLimitMb: 256, tempLimitMb: 64, queueLimit: 10 };
const connection = duckdbConnection(
  { id: 'shop', url: 'duckdb:shop.duckdb', acquireTimeoutMs: 10_000, idleTimeoutMs: 10_000, ...limits },
  folder.path,
  watcher,
);
afterAll(async () => {
  await connection.close();
  watcher.close();
  folder[Symbol.dispose]();
});

const run = (sql: string) => {
  const { sql: printed, tables, functions } = checkDuckdb(sql);
  return connection.execute({
    connection: connection.info,
    requested: sql,
    sql: printed,
    params: [],
    surface: 'test',
    tables,
    functions,
  });
};

describe('a statement of the guard runs on DuckDB', () => {
  test.each(duckdbHonest)('%s', async (sql) => {
    await expect(run(sql)).resolves.toMatchObject({ truncated: false });
  });

  test.each(duckdbHarmless)('%s', async (sql) => {
    expect(JSON.stringify((await run(sql)).rows)).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
  });
});
