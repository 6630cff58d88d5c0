/** Files that are missing, appear, change, are replaced or are no database at all. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { type FileDatabase, ProcessWatcher } from '../datasource-kit/index.ts';
import { sqliteConnection } from './connection.ts';

let folder: SqliteFolder;
let connection: FileDatabase;
const watcher = new ProcessWatcher();

beforeEach(() => {
  folder = new SqliteFolder();
  connection = sqliteConnection(
    {
      id: 'shop',
      url: 'sqlite:shop.db',
      maxProcesses: 2,
      memoryLimitMb: 128,
      queueLimit: 10,
      acquireTimeoutMs: 10_000,
      idleTimeoutMs: 1_000,
    },
    folder.path,
    watcher,
  );
});
afterEach(async () => {
  await connection.close();
  watcher.close();
  folder[Symbol.dispose]();
});

const ONE_ROW = 'CREATE TABLE t (a); INSERT INTO t VALUES (1)';
const rows = async (sql = 'SELECT * FROM t', tables = ['t']) =>
  (
    await connection.execute({
      connection: connection.info,
      requested: sql,
      sql,
      params: [],
      surface: 'test',
      tables,
    })
  ).rows;

describe('a database file', () => {
  it('may be missing at first', async () => {
    await expect(rows()).rejects.toThrow('the database file "shop.db" does not exist');
    expect(await connection.health()).toMatchObject({ status: 'error' });
    folder.create('shop.db', ONE_ROW);
    expect(await rows()).toEqual([{ a: 1 }]);
    expect(await connection.health()).toMatchObject({ status: 'ok' });
  });

  it('gives a large result whole and in order, message by message', async () => {
    folder.create('shop.db', 'CREATE TABLE t (a)');
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT';
    const large = await rows(`${numbers} i, printf('%.*c', 8000, 'x') AS filler FROM n ORDER BY i`, []);
    expect(large.map(({ i }) => i)).toEqual(Array.from({ length: 900 }, (_, at) => at + 1));
    expect(await rows(`${numbers} count(*) AS c FROM n`, [])).toEqual([{ c: 900 }]);
  });

  it('may be removed and come back', async () => {
    const path = folder.create('shop.db', ONE_ROW);
    await rows();
    rmSync(path);
    await expect(rows()).rejects.toMatchObject({ code: 'datasource_unavailable' });
    expect(await connection.health()).toMatchObject({ status: 'error' });
    folder.create('shop.db', 'CREATE TABLE t (a); INSERT INTO t VALUES (2)');
    expect(await rows()).toEqual([{ a: 2 }]);
  });

  it('may be replaced by another', async () => {
    const path = folder.create('shop.db', ONE_ROW);
    await rows();
    renameSync(folder.create('next.db', 'CREATE TABLE t (b, c); INSERT INTO t VALUES (3, 4)'), path);
    expect(await rows()).toEqual([{ b: 3, c: 4 }]);
  });

  it.each(['DELETE', 'WAL'])('may be written by others meanwhile, journal mode %s', async (mode) => {
    const path = folder.create('shop.db', `PRAGMA journal_mode = ${mode}; ${ONE_ROW}`);
    const writer = new Sqlite(path);
    expect(await rows()).toEqual([{ a: 1 }]);
    writer.exec('INSERT INTO t VALUES (2)');
    expect(await rows()).toHaveLength(2);
    writer.exec('ALTER TABLE t ADD COLUMN b DEFAULT 7');
    expect(await rows()).toContainEqual({ a: 2, b: 7 });
    writer.close();
  });

  it('is checked again when a view comes to read another table', async () => {
    const path = folder.create('shop.db', `${ONE_ROW}; CREATE TABLE secrets (a); CREATE VIEW v AS SELECT a FROM t`);
    const read = () => rows('SELECT * FROM v', ['t']);
    expect(await read()).toEqual([{ a: 1 }]);
    const writer = new Sqlite(path);
    writer.exec('DROP VIEW v; CREATE VIEW v AS SELECT a FROM secrets');
    writer.close();
    await expect(read()).rejects.toMatchObject({ code: 'sql_refused' });
  });

  it('that a writer holds is reported as locked', async () => {
    const path = folder.create('shop.db', ONE_ROW);
    await rows();
    const writer = new Sqlite(path);
    writer.exec('BEGIN EXCLUSIVE');
    expect(await connection.health()).toMatchObject({ status: 'degraded' });
    setTimeout(() => writer.exec('ROLLBACK'), 300);
    expect(await rows()).toEqual([{ a: 1 }]);
    writer.close();
  });

  it('may be empty', async () => {
    writeFileSync(join(folder.path, 'shop.db'), '');
    expect(await rows('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
    expect(await connection.describe()).toEqual([]);
    expect(await connection.health()).toMatchObject({ status: 'ok' });
  });

  it('that is not a database is refused with a sentence', async () => {
    writeFileSync(join(folder.path, 'shop.db'), 'id,name\n1,Ada\n'.repeat(100));
    expect(await connection.health()).toMatchObject({ status: 'error' });
    await expect(rows()).rejects.toThrow('is not a SQLite database');
  });

  it('that is a folder is refused with a sentence', async () => {
    folder.create('shop.db', ONE_ROW);
    const other = sqliteConnection(
      {
        id: 'dir',
        url: `sqlite:${folder.path}`,
        maxProcesses: 1,
        memoryLimitMb: 128,
        queueLimit: 1,
        acquireTimeoutMs: 30_000,
        idleTimeoutMs: 1_000,
      },
      '/',
      watcher,
    );
    expect(await other.health()).toMatchObject({ status: 'error' });
    const name = basename(folder.path);
    await expect(other.describe()).rejects.toMatchObject({
      code: 'datasource_unavailable',
      message: `Connection failed: "${name}" is a folder.`,
    });
    await other.close();
  });
});

describe('describe', () => {
  it('reports keys, nullability, views and estimates, and leaves out what cannot be read', async () => {
    folder.create(
      'shop.db',
      `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email);
       CREATE TABLE items (order_id INT, line INT, PRIMARY KEY (line, order_id)) WITHOUT ROWID;
       CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INT REFERENCES customers, a INT, b INT,
         FOREIGN KEY (a, b) REFERENCES items (order_id, line));
       CREATE VIEW names AS SELECT name FROM customers;
       CREATE TABLE gone (a); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone;
       CREATE VIRTUAL TABLE notes USING fts5(body);
       INSERT INTO customers (name) VALUES ('Ada'), ('Grace'); ANALYZE;`,
    );
    const tables = await connection.describe();
    expect(tables.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'table customers',
      'table items',
      'view names',
      'table notes',
      'table orders',
    ]);
    const [customers, items, , , orders] = tables;
    expect(customers).toMatchObject({
      primaryKey: ['id'],
      estimatedRows: 2,
      columns: [
        { name: 'id', type: 'INTEGER', nullable: false },
        { name: 'name', type: 'TEXT', nullable: false },
        { name: 'email', type: '', nullable: true },
      ],
    });
    expect(items?.primaryKey).toEqual(['line', 'order_id']);
    expect(orders?.foreignKeys).toEqual(
      expect.arrayContaining([
        { columns: ['customer'], table: 'customers', references: ['id'] },
        { columns: ['a', 'b'], table: 'items', references: ['order_id', 'line'] },
      ]),
    );
  });
});
