/** Files that are missing, appear, change, are locked or are no database, and the processes that read them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DuckdbFolder, duckdbIsWorking, duckdbProcesses } from '../../test/harness/duckdb.ts';
import { type FileDatabase, ProcessWatcher } from '../datasource-kit/index.ts';
import { duckdbConnection } from './connection.ts';

const ONE_ROW = 'CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)';
const SLOW = 'SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3';

let folder: DuckdbFolder;
let watcher: ProcessWatcher;
let connection: FileDatabase;
beforeEach(() => {
  folder = new DuckdbFolder();
  watcher = new ProcessWatcher();
  connection = open(20_000);
});
afterEach(async () => {
  await connection.close();
  watcher.close();
  folder[Symbol.dispose]();
});

function open(idleTimeoutMs: number): FileDatabase {
  const limits = { maxProcesses: 2, threads: 2, memoryLimitMb: 128, tempLimitMb: 256, queueLimit: 10 };
  return duckdbConnection(
    { id: 'shop', url: 'duckdb:shop.duckdb', acquireTimeoutMs: 10_000, idleTimeoutMs, ...limits },
    folder.path,
    watcher,
  );
}

const run = (sql = 'SELECT * FROM t', signal?: AbortSignal) =>
  connection.execute(
    {
      connection: connection.info,
      requested: sql,
      sql,
      params: [],
      surface: 'test',
      tables: sql.includes(' t') ? ['t'] : [],
    },
    signal,
  );
const rows = async (sql?: string) => (await run(sql)).rows;

describe('a database file', () => {
  it('survives a fault of the engine itself and shows none of its internals', async () => {
    await folder.create('shop.duckdb', "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x')");
    const fault = `WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r WHERE n < 3)
      SELECT x.a FROM t x FULL JOIN t y ON 1 = 1 WHERE EXISTS (SELECT 1 FROM r WHERE x.b IN (SELECT max('a') FROM r))`;
    await expect(rows(fault)).rejects.toThrow(/^DuckDB failed with an internal error at this statement\.$/);
    expect(await rows('SELECT a FROM t')).toEqual([{ a: 1 }]);
  });

  it('that is a SQLite database is refused with a sentence', async () => {
    new Sqlite(join(folder.path, 'shop.duckdb')).exec('CREATE TABLE t (a INTEGER)').close();
    await expect(rows()).rejects.toThrow('the file "shop.duckdb" is not a DuckDB database.');
  });

  it('that is a folder is refused with a sentence', async () => {
    mkdirSync(join(folder.path, 'shop.duckdb'));
    await expect(rows()).rejects.toThrow('Connection failed: "shop.duckdb" is a folder.');
  });

  it('may be missing at first', async () => {
    await expect(rows()).rejects.toThrow('the database file "shop.duckdb" does not exist');
    expect(await connection.health()).toMatchObject({ status: 'error' });
    await folder.create('shop.duckdb', ONE_ROW);
    expect(await rows()).toEqual([{ a: 1 }]);
    expect(await connection.health()).toMatchObject({ status: 'ok' });
  });

  it('may be replaced by another', async () => {
    const path = await folder.create('shop.duckdb', ONE_ROW);
    await rows();
    renameSync(await folder.create('next.duckdb', 'CREATE TABLE t (b INTEGER); INSERT INTO t VALUES (3)'), path);
    expect(await rows()).toEqual([{ b: 3 }]);
  });

  it('is closed when it is not used, so that other processes can write it', async () => {
    connection = open(1_000);
    await folder.create('shop.duckdb', ONE_ROW);
    await rows();
    const script = `import { DuckDBInstance } from '@duckdb/node-api';
      const c = await (await DuckDBInstance.create('shop.duckdb')).connect(); await c.run('INSERT INTO t VALUES (2)'); await c.run('CHECKPOINT')`;
    await vi.waitFor(() => inOtherProcess(script, folder.path), { timeout: 15_000, interval: 500 });
    expect(await rows()).toHaveLength(2);
  });

  it('that a writer holds is reported as locked', async () => {
    await folder.create('shop.duckdb', ONE_ROW);
    const script = `import { DuckDBInstance } from '@duckdb/node-api';
      const i = await DuckDBInstance.create('shop.duckdb'); console.log('open'); setTimeout(() => i.closeSync(), 60000)`;
    const writer = spawn(process.execPath, ['--input-type=module', '--eval', withLibrary(script)], {
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(writer.stdout, 'data');
    await expect(rows()).rejects.toMatchObject({ code: 'overloaded', reason: 'E_DUCKDB_LOCKED' });
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    expect(await rows()).toEqual([{ a: 1 }]);
  });

  it.each([
    ['text', 'id,name\n1,Ada\n'.repeat(100)],
    ['nothing', ''],
  ])('that holds %s is refused with a sentence', async (_, content) => {
    writeFileSync(join(folder.path, 'shop.duckdb'), content);
    expect(await connection.health()).toMatchObject({ status: 'error' });
    const error = await rows().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'datasource_unavailable',
      message: expect.stringMatching(/"shop\.duckdb" (?:is not a DuckDB database|cannot be read)/),
    });
    expect((error as Error).message).not.toContain(folder.path);
  });
});

describe.runIf(process.platform === 'linux')('database processes', () => {
  beforeEach(async () => {
    await folder.create('shop.duckdb', ONE_ROW);
  });

  it('stop a cancelled statement by themselves and are used again', async () => {
    await run();
    const [id] = duckdbProcesses();
    const cancel = new AbortController();
    const slow = run(SLOW, cancel.signal).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await duckdbIsWorking()).toBe(true), 15_000);
    cancel.abort();
    expect(await slow).toMatchObject({ code: 'sql_cancelled' });
    await vi.waitFor(async () => expect(await duckdbIsWorking()).toBe(false), 15_000);
    expect(await rows()).toEqual([{ a: 1 }]);
    expect(duckdbProcesses()).toEqual([id]);
  });

  it('leave the server free while a statement runs', async () => {
    const cancel = new AbortController();
    let isOver = false;
    const slow = run(SLOW, cancel.signal)
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    await vi.waitFor(async () => expect(await duckdbIsWorking()).toBe(true), 15_000);
    expect(await connection.health()).toMatchObject({ status: 'ok' });
    expect(isOver).toBe(false);
    cancel.abort();
    await slow;
  });

  it('do not see the environment of the server', async () => {
    vi.stubEnv('SVC_ENCRYPTION_KEY', 'very-secret');
    await run();
    vi.unstubAllEnvs();
    const [id] = duckdbProcesses();
    expect(readFileSync(`/proc/${id}/environ`, 'latin1')).not.toContain('very-secret');
  });

  it('have bounded memory: what needs more is an error, and the next statement runs', async () => {
    await expect(
      rows("SELECT length(string_agg(repeat('x', 1000000), '')) AS n FROM range(1000)"),
    ).rejects.toMatchObject({ reason: 'E_DUCKDB_MEMORY' });
    await expect(rows('SELECT len(range(1000000000)) AS n')).rejects.toMatchObject({ reason: 'E_DUCKDB_MEMORY' });
    expect(await rows()).toEqual([{ a: 1 }]);
  });

  it('sort more than fits into memory in temporary files, which are deleted with them', async () => {
    // Other tests have databases of their own in the system's folder.
    const temporary = join(folder.path, 'temporary');
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary);
    let isUsed = false;
    const looking = setInterval(() => {
      isUsed ||= readdirSync(temporary, { recursive: true }).length > 1;
    }, 10);
    const sorted = await rows(
      "SELECT count(*) AS n FROM (SELECT DISTINCT range, repeat('x', 100) || range AS x FROM range(1500000) ORDER BY x DESC)",
    );
    clearInterval(looking);
    vi.unstubAllEnvs();
    expect([sorted, isUsed]).toEqual([[{ n: 1_500_000 }], true]);
    await connection.close();
    await vi.waitFor(() => expect(readdirSync(temporary)).toEqual([]), 15_000);
  });

  it('give the first rows of a large result at once', async () => {
    // All of it would take hours.
    const result = await run('SELECT range AS n FROM range(100000000000)');
    expect(result.rows).toHaveLength(1_000);
    expect(result.truncated).toBe(true);
  });
});

describe('describe', () => {
  it('reports schemas, keys, comments, views and estimates', async () => {
    await folder.create(
      'shop.duckdb',
      `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
       CREATE TABLE orders (a INTEGER, b INTEGER, customer INTEGER REFERENCES customers (id), tags TEXT[], PRIMARY KEY (b, a));
       CREATE VIEW names AS SELECT name FROM customers;
       CREATE SCHEMA hr; CREATE TABLE hr.people (id INTEGER);
       COMMENT ON TABLE orders IS 'What was bought'; COMMENT ON COLUMN customers.email IS 'Where to write';
       INSERT INTO customers VALUES (1, 'Ada', NULL), (2, 'Grace', NULL);`,
    );
    const tables = await connection.describe();
    expect(tables.map(({ schema, name, kind }) => `${kind} ${schema ?? ''}.${name}`)).toEqual([
      'table hr.people',
      'table .customers',
      'view .names',
      'table .orders',
    ]);
    const [, customers, , orders] = tables;
    expect(customers).toMatchObject({
      primaryKey: ['id'],
      estimatedRows: 2,
      columns: [
        { name: 'id', type: 'INTEGER', nullable: false },
        { name: 'name', type: 'VARCHAR', nullable: false },
        { name: 'email', type: 'VARCHAR', nullable: true, comment: 'Where to write' },
      ],
    });
    expect(orders).toMatchObject({
      comment: 'What was bought',
      primaryKey: ['b', 'a'],
      foreignKeys: [{ columns: ['customer'], table: 'customers', references: ['id'] }],
    });
  });
});

const withLibrary = (script: string) => script.replace('@duckdb/node-api', import.meta.resolve('@duckdb/node-api'));

async function inOtherProcess(script: string, cwd: string): Promise<void> {
  const other = spawn(process.execPath, ['--input-type=module', '--eval', withLibrary(script)], {
    cwd,
    stdio: 'ignore',
  });
  const [code] = await once(other, 'exit');
  expect(code).toBe(0);
}
