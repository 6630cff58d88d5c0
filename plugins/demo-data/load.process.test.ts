/** A demo gets into every engine with the same rows, keys and indexes, or not at all. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { DEMOS, loadDemo } from './index.ts';
import { loadInto } from './load.ts';
import type { Demo, Table } from './table.ts';

const cwd = mkdtempSync(join(tmpdir(), 'atlas-load-'));
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
  rmSync(cwd, { recursive: true, force: true });
});

type Rows = Record<string, unknown>[];
interface Reader {
  rows(sql: string): Promise<Rows>;
  close(): Promise<void>;
}

const ENGINES: Record<
  string,
  {
    url(database: string): Promise<string>;
    open(database: string): Promise<Reader>;
  }
> = {
  SQLite: {
    url: async (database) => `sqlite:${database}.db`,
    open: async (database) => {
      const file = new Database(join(cwd, `${database}.db`), { readonly: true });
      return { rows: async (sql) => file.prepare(sql).all() as Rows, close: async () => void file.close() };
    },
  },
  DuckDB: {
    url: async (database) => `duckdb:${database}.duckdb`,
    open: async (database) => {
      const instance = await DuckDBInstance.create(join(cwd, `${database}.duckdb`));
      const connection = await instance.connect();
      return {
        rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as Rows,
        close: async () => {
          connection.closeSync();
          instance.closeSync();
        },
      };
    },
  },
  PostgreSQL: {
    url: async (database) => {
      const { rows } = await query(server.url, `SELECT 1 FROM pg_database WHERE datname = '${database}'`);
      if (rows.length === 0) await query(server.url, `CREATE DATABASE "${database}"`);
      return server.url.replace(/postgres$/, database);
    },
    open: async (database) => {
      const url = server.url.replace(/postgres$/, database);
      return { rows: async (sql) => (await query(url, sql)).rows, close: async () => {} };
    },
  },
};

async function query(url: string, sql: string) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(sql);
  } finally {
    await client.end();
  }
}

/** As text that is the same for every engine: "1", "2.5", "true", "2026-01-01 00:00:00". */
function plain(value: unknown, { columns }: Table, column: string): string | null {
  if (value === null || value === undefined) return null;
  const type = columns[column]?.type;
  if (type === 'boolean') return String(value === 1 || value === true);
  if (type === 'date' || type === 'timestamp') {
    const written = value instanceof Date ? localTime(value) : String(value);
    return written.slice(0, type === 'date' ? 10 : 19);
  }
  if (type === 'json') return JSON.stringify(typeof value === 'string' ? JSON.parse(value) : value);
  return type === 'text' ? String(value) : String(Number(value));
}

/** The driver reads a timestamp without a zone as local time. */
const localTime = (time: Date) =>
  new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().replace('T', ' ');

const plainRows = (rows: Iterable<object>, table: Table) =>
  [...rows].map((row) =>
    Object.keys(table.columns).map((name) => plain((row as Record<string, unknown>)[name], table, name)),
  );

const at = (index: number) => ({
  code: `c${index}`,
  parent: index === 1 ? null : `c${index >> 1}`,
  note: index % 3 === 0 ? null : `"quoted", 'so'\\\n\t${index} äß€ \u{1f600}`,
  amount: index / 100,
  serial: index,
  ratio: 1 / index,
  is_open: index % 2 === 0,
  at: `2026-01-0${(index % 9) + 1} 23:59:5${index % 10}`,
  document: index % 2 === 0 ? null : JSON.stringify({ a: index, list: [1, 'x'] }),
});
const EVERYTHING: Demo = {
  name: 'everything',
  layer: '',
  tables: [
    {
      name: 'order',
      comment: 'What\'s "in" it.',
      columns: {
        code: { type: 'text', key: true },
        parent: { type: 'text', nullable: true, references: 'order.code' },
        note: { type: 'text', nullable: true, comment: "It's a comment." },
        amount: { type: 'decimal' },
        serial: { type: 'integer', unique: true },
        ratio: { type: 'real' },
        is_open: { type: 'boolean' },
        at: { type: 'timestamp' },
        document: { type: 'json', nullable: true },
      },
    },
    {
      name: 'pairs',
      comment: 'A key of two columns.',
      columns: {
        left: { type: 'text', key: true, references: 'order.code' },
        right: { type: 'text', key: true, references: 'order.code' },
      },
    },
  ],
  rows: () => ({
    order: Array.from({ length: 3_000 }, (_, index) => at(index + 1)),
    pairs: [{ left: 'c1', right: 'c2' }],
  }),
};

const demos: readonly Demo[] = [EVERYTHING, DEMOS.simple];

describe.each(Object.keys(ENGINES))('into %s', (engine) => {
  const { url, open } = ENGINES[engine]!;

  it.each(demos.map((demo) => [demo.name, demo] as const))(
    '%s',
    async (name, demo) => {
      const progress: number[] = [];
      const database = `demo_${name}`;
      const target = await url(database);
      const loaded = await loadInto(demo, {
        url: target,
        cwd,
        onProgress: ({ rows }) => progress.push(rows),
      });
      const byTable = demo.rows();
      const reader = await open(database);
      let rows = 0;
      for (const table of demo.tables) {
        const expected = plainRows(byTable[table.name]!, table);
        const written = plainRows(await reader.rows(`SELECT * FROM "${table.name}"`), table);
        expect(written.sort(), table.name).toEqual(expected.sort());
        rows += expected.length;
      }
      await reader.close();
      expect(loaded).toMatchObject({ tables: demo.tables.length, rows });
      expect(progress.at(-1)).toBe(rows);
      await expect(loadInto(demo, { url: target, cwd })).rejects.toMatchObject({
        code: 'configuration_error',
        message: expect.stringMatching(/^The database has tables of the demo ".+" already: ".+ Nothing was changed\.$/),
      });
    },
    120_000,
  );

  it('keeps keys, and refuses rows that break them, leaving nothing', async () => {
    const orphan: Demo = {
      ...EVERYTHING,
      rows: () => ({ ...EVERYTHING.rows(), pairs: [{ left: 'c1', right: 'no' }] }),
    };
    await expect(loadInto(orphan, { url: await url('demo_orphan'), cwd })).rejects.toMatchObject({
      code: 'configuration_error',
      message: expect.stringMatching(/^The demo data could not be written, and nothing was changed: .*foreign key/i),
    });
    await nothingIn('demo_orphan');
  });

  it('stops when told to, leaving nothing', async () => {
    const stop = new AbortController();
    const options = { url: await url('demo_stopped'), cwd, signal: stop.signal, onProgress: () => stop.abort() };
    await expect(loadInto(EVERYTHING, options)).rejects.toThrow(/abort/i);
    await nothingIn('demo_stopped');
  });

  async function nothingIn(database: string): Promise<void> {
    if (engine !== 'PostgreSQL') return expect(readdirSync(cwd).filter((name) => name.includes(database))).toEqual([]);
    const { rows } = await query(await url(database), "SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
    expect(rows).toEqual([]);
  }
});

it('adds to a file that has other tables, and keeps them', async () => {
  const path = join(cwd, 'mine.db');
  const own = new Database(path);
  own.exec('CREATE TABLE mine (id INTEGER PRIMARY KEY); INSERT INTO mine VALUES (1)');
  own.close();
  const failing = { ...EVERYTHING, rows: () => ({ order: [{ code: null }] }) };
  await expect(loadInto(failing, { url: 'sqlite:mine.db', cwd })).rejects.toThrow(/nothing was changed/);
  expect(existsSync(path)).toBe(true);
  await loadDemo('simple', { url: 'sqlite:mine.db', cwd });
  const file = new Database(path, { readonly: true });
  const count = (table: string) => file.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get();
  expect([count('mine'), count('orders')]).toEqual([1, 5_000]);
  file.close();
});

it('goes into the schema that the URL names', async () => {
  await query(server.url, 'CREATE SCHEMA shop');
  await loadDemo('simple', { url: `${server.url}?schema=shop` });
  const { rows } = await query(server.url, 'SELECT COUNT(*)::int AS n FROM shop.customers');
  expect(rows).toEqual([{ n: 1_000 }]);
});

it.each([
  [{ url: 'mysql://u:secret@h/d' }, /cannot be loaded into this database: expected SQLite, DuckDB or PostgreSQL/],
  [{ url: 'sqlite:/dev/null/x.db' }, /could not be written/],
  [{ url: 'postgres://u:secret@127.0.0.1:1/d' }, /Connection failed/],
])('refuses %j', async (options, message) => {
  const failure = await loadDemo('simple', { cwd, ...options }).catch((error: Error) => error);
  expect(String((failure as Error).message)).toMatch(message);
  expect(JSON.stringify(failure) + String((failure as Error).message)).not.toMatch(/secret/);
});
