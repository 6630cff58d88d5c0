/** The whole road to a PostgreSQL database: the schema of a connection, and a full queue as HTTP says it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AtlasError,
  datasourceExecute,
  datasourceList,
  healthCheck,
  type SqlStatement,
} from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { authNone } from '../../plugins/auth-none/index.ts';
import { datasourcePostgres } from '../../plugins/datasource-postgres/index.ts';
import { http } from '../../plugins/http/index.ts';
import { modelOpenai } from '../../plugins/model-openai/index.ts';
import { queryApi } from '../../plugins/query-api/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'atlas-postgres-road-'));
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`CREATE SCHEMA "Sales"; CREATE TABLE "Sales".orders (id int); INSERT INTO "Sales".orders VALUES (7);
    CREATE TABLE orders (id int); INSERT INTO orders VALUES (1); CREATE TABLE regions (id int); INSERT INTO regions VALUES (2)`);
  await admin.end();
  mkdirSync(join(folder, 'entities'));
  const entity = (file: string, table: string) =>
    writeFileSync(join(folder, 'entities', `${file}.yml`), `table: ${table}\ndimensions:\n  - name: id\n`);
  entity('orders', 'orders');
  entity('regions', 'public.regions');
}, 60_000);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe.each([
  ['the option', () => ({ url: server.url, schema: 'Sales' })],
  ['the URL', () => ({ url: `${server.url}?schema=Sales` })],
  ['the options of the URL', () => ({ url: `${server.url}?options=-c%20search_path%3D%22Sales%22` })],
])('the schema that %s names', (_, connection) => {
  const start = () =>
    createTestApp({
      plugins: [
        semanticLayer({ dir: folder }),
        sqlGuard(),
        datasourcePostgres({ connections: [{ id: 'shop', ...connection() }] }),
      ],
    });

  test('is where tables without one are, with its name and without', async () => {
    await using app = await start();
    const rows = async (sql: string) => (await app.runSql({ sql, surface: 'api' }, app.scope())).result.rows;
    expect(await rows('SELECT id FROM orders')).toEqual([{ id: 7 }]);
    expect(await rows('SELECT o.id FROM "Sales".orders AS o')).toEqual([{ id: 7 }]);
    expect(await rows('WITH orders AS (SELECT 5 AS id) SELECT s.id FROM "Sales".orders AS s, orders')).toEqual([
      { id: 7 },
    ]);
    expect(await rows('SELECT id FROM public.regions')).toEqual([{ id: 2 }]);
    await expect(rows('SELECT id FROM public.orders')).rejects.toMatchObject({ code: 'sql_refused' });
    await expect(rows('SELECT id FROM regions')).rejects.toMatchObject({ code: 'sql_refused' });
    await expect(rows('SELECT id FROM sales.orders')).rejects.toMatchObject({ code: 'sql_refused' });
  });

  test('is told of the connection', async () => {
    await using app = await start();
    const [listed] = await app.call(datasourceList, undefined, app.scope());
    expect(listed?.value).toMatchObject({ id: 'shop', schema: 'Sales' });
  });
});

test('a login that can do more than read is told in health, which stays well', async () => {
  const connections = [{ id: 'shop', url: server.url }];
  await using app = await createTestApp({ plugins: [datasourcePostgres({ connections })] });
  await app.get(datasourcePostgres).warnings();
  const [item] = await app.call(healthCheck, undefined, app.scope());
  expect(item?.value).toMatchObject({ status: 'ok', message: expect.stringContaining('may do more than read') });
  expect(JSON.stringify(item?.value)).not.toContain('postgres may');
});

test('a full queue is 503 with Retry-After, and the next question works', { timeout: 60_000 }, async () => {
  const model = await startOpenAIServer({
    respond: ({ body }) =>
      body.messages?.at(-1)?.role === 'tool'
        ? { text: 'There are some.' }
        : { toolCall: { name: 'executeSQL', args: { sql: 'SELECT id FROM public.regions' } } },
  });
  await using app = await createTestApp({
    plugins: [
      http({ port: 0 }),
      authNone(),
      semanticLayer({ dir: folder }),
      sqlGuard(),
      datasourcePostgres({ connections: [{ id: 'shop', url: server.url, maxConnections: 1, queueLimit: 0 }] }),
      modelOpenai({ provider: 'openai-compatible', baseUrl: model.url, maxRetries: 0 }),
      agent(),
      queryApi(),
    ],
  });
  const ask = () =>
    fetch(`${app.get(http).url()}/api/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'Which regions?' }),
    });
  const stop = new AbortController();
  const sql = 'SELECT pg_sleep(30)';
  const statement: SqlStatement = {
    connection: { id: 'shop', dbType: 'postgres', maskedUrl: '' },
    requested: sql,
    sql,
    params: [],
    surface: 'test',
    tables: [],
  };
  const scope = app.scope({ signal: stop.signal });
  const busy = async (): Promise<string> => {
    try {
      await app.callKey(datasourceExecute, 'shop', statement, scope, 60_000);
      return 'done';
    } catch (error) {
      const { code } = error as AtlasError;
      if (code !== 'overloaded') return code;
      // The start itself asks for the rights of the login, and has the only session for a moment.
      await sleep(20);
      return busy();
    }
  };
  const ended = busy();
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  const running = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()`;
  await expect.poll(async () => (await admin.query(running)).rowCount).toBe(1);
  await admin.end();
  const full = await ask();
  const text = await full.text();
  expect([full.status, Number(full.headers.get('retry-after')) > 0], text).toEqual([503, true]);
  stop.abort();
  expect(await ended).toBe('sql_cancelled');
  // The session is made ready for the next one in the background.
  await expect.poll(async () => (await ask()).status).toBe(200);
  await model.close();
});
