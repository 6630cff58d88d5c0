/** Tests stored connections to each engine: passwords, statements that run, pools that close. */
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckdbFolder } from '../../test/harness/duckdb.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { databases } from '../../test/harness/managed-server.ts';
import { findMariaDb, INSTALL_MARIADB, startMariaDb } from '../../test/harness/mariadb.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { addingServer } from './fixtures/server.ts';

const db = databases();
const entity = (connection: string, schema = '') =>
  `name: ${connection}\ntable: orders\nconnection: ${connection}\n${schema}dimensions:\n  - { name: id }\n`;
const layer = layerFolder({
  'entities/pg.yml': entity('pg'),
  'entities/duck.yml': entity('duck'),
  'entities/maria.yml': entity('maria'),
});
afterAll(() => layer[Symbol.dispose]());

describe('a stored PostgreSQL connection', () => {
  let url = '';
  let data: ReturnType<typeof db.connect>;
  beforeAll(async () => {
    url = await db.url('postgres');
    data = db.connect(url);
    await data.raw('CREATE TABLE orders AS SELECT generate_series(1, 3) AS id');
    await data.raw("CREATE ROLE reader LOGIN PASSWORD 'it''s %secret@/'");
    await data.raw('GRANT SELECT ON orders TO reader');
  });
  const sessions = async (query = '') => {
    const sql = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND query LIKE ?";
    return Number((await data.raw(sql, [`%${query}%`])).rows[0].count);
  };
  const until = (count: number) => expect.poll(() => sessions()).toBe(count);
  const reader = (parts: Partial<URL> = {}) => {
    const login = { username: 'reader', password: encodeURIComponent("it's %secret@/") };
    return Object.assign(new URL(url), login, parts).href;
  };

  it('keeps its password only as long as it leads to the same place', async () => {
    await using server = await addingServer(layer.dir, await db.url('sqlite'));
    const wrong = await server.send('POST', '', { id: 'pg', url: reader({ password: 'wrong' }) });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'connection_failed']);
    expect(wrong.body.message).toContain('does not accept user and password');
    const created = await server.send('POST', '', { id: 'pg', url: reader() });
    expect([created.status, created.body.schema, created.body.dbType]).toEqual([201, null, 'postgres']);
    const { maskedUrl } = created.body;
    expect(JSON.stringify(created.body)).not.toMatch(/secret|reader/);
    expect(await server.rows('pg', 'SELECT id FROM orders ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);

    const put = (body: object) => server.send('PUT', '/pg', body);
    const bare = (parts: Partial<URL> = {}) => reader({ ...parts, password: '' });
    expect((await put({ url: bare() })).status).toBe(200);
    expect((await put({ url: bare(), schema: 'public' })).body).toMatchObject({ schema: 'public' });
    expect((await put({ url: maskedUrl, description: 'x' })).status).toBe(200);
    for (const url of [
      bare({ hostname: 'localhost' }),
      bare({ port: '1' }),
      bare({ username: 'other' }),
      bare({ pathname: '/postgres' }),
      bare({ search: '?host=example.com' }),
      bare({ search: '?sslmode=disable' }),
    ]) {
      const { status, body } = await put({ url });
      expect([url, status, body.error]).toEqual([url, 422, 'validation_error']);
      expect(body.message).toContain('its password has to be given again');
    }
    expect(await server.rows('pg', 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 3 }]);
    expect((await put({ description: null, schema: null })).body).toMatchObject({ description: null, schema: null });
    await server.send('DELETE', '/pg');
    await until(0);
  });

  it('lets statements end, and closes what is changed, deleted or idle', async () => {
    await using server = await addingServer(layer.dir, await db.url('sqlite'), { idleTimeoutMs: 500 });
    await server.send('POST', '', { id: 'pg', url: reader() });
    await until(0);
    const slow = 'SELECT count(*) AS n FROM orders a, orders b, orders c, orders d WHERE a.id + b.id > 0';
    await data.raw('INSERT INTO orders SELECT generate_series(4, 70)');
    const running = server.rows('pg', slow);
    await expect.poll(() => sessions('orders')).toBe(1);
    const deleted = await server.send('DELETE', '/pg');
    expect(deleted.status).toBe(200);
    await expect(server.rows('pg', 'SELECT id FROM orders')).rejects.toThrow('No datasource is configured');
    expect(await running).toEqual([{ n: 70 ** 4 }]);
    await until(0);

    await server.send('POST', '', { id: 'pg', url: reader() });
    await server.rows('pg', 'SELECT id FROM orders LIMIT 1');
    await until(0);
    await server.rows('pg', 'SELECT id FROM orders LIMIT 1');
  });

  it('is one of a bounded number', async () => {
    await using server = await addingServer(layer.dir, await db.url('postgres'), { perOrganization: 2, maxOpen: 1 });
    const made = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (id) => (await server.send('POST', '', { id, url: reader() })).status),
    );
    expect(made.sort()).toEqual([201, 201, 409, 409]);
    const list = (await server.send('GET', '')).body.connections as { id: string }[];
    expect(list).toHaveLength(2);
    // The list has begun to ask both, of which only one may be open.
    for (const { id } of list) {
      await expect.poll(async () => (await server.send('POST', `/${id}/test`)).body.status).toBe('ok');
    }
  });
});

it('a stored DuckDB connection is asked', async () => {
  using files = new DuckdbFolder();
  await files.create('shop.duckdb', 'CREATE TABLE orders AS SELECT 7 AS id');
  await using server = await addingServer(layer.dir, await db.url('sqlite'), { filesDirs: [files.path] });
  const created = await server.send('POST', '', { id: 'duck', url: 'duckdb:shop.duckdb', schema: 'main' });
  expect([created.status, created.body.details[0].path]).toEqual([422, 'schema']);
  expect((await server.send('POST', '', { id: 'duck', url: 'duckdb:shop.duckdb' })).status).toBe(201);
  expect(await server.rows('duck', 'SELECT id FROM orders')).toEqual([{ id: 7 }]);
  expect((await server.send('POST', '/duck/test')).body).toMatchObject({ status: 'ok' });
});

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('a stored MariaDB connection', () => {
  it('is asked', async () => {
    const maria = await startMariaDb();
    try {
      const data = await mysql.createConnection({ uri: maria.url, multipleStatements: true });
      await data.query('CREATE TABLE orders (id int PRIMARY KEY); INSERT INTO orders VALUES (9)');
      await data.end();
      await using server = await addingServer(layer.dir, await db.url('sqlite'));
      const byName = maria.url.replace('127.0.0.1', 'localhost');
      const created = await server.send('POST', '', { id: 'maria', url: byName });
      expect([created.status, created.body]).toEqual([201, expect.objectContaining({ dbType: 'mysql' })]);
      expect(await server.rows('maria', 'SELECT id FROM orders')).toEqual([{ id: 9 }]);
      expect((await server.send('POST', '/maria/test')).body).toMatchObject({ status: 'ok' });
    } finally {
      await maria.stop();
    }
  }, 120_000);
});
