/** What a server is sent, which one is asked, and how a statement is ended there. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import type { Reach } from '../datasource-kit/index.ts';
import { ClickhouseDriver } from './driver.ts';
import { META, using } from './fixtures/asking.ts';
import { oddServer } from './fixtures/odd-server.ts';
import { clickhouseOptions } from './fixtures/options.ts';

it('sends limits, standard SQL and the id of the statement, and sets what the options say', async () => {
  await using server = await oddServer((response) => response.end(`${META}{"row":[1]}\n`));
  const settings = { join_use_nulls: false, union_default_mode: 'ALL', max_threads: 2 };
  await using({ url: server.url, settings, timeZone: 'Europe/Vienna', maxMemoryMb: 64 }, async (_, run) => {
    expect(await run()).toEqual([{ n: 1 }]);
    expect(await run()).toEqual([{ n: 1 }]);
  });
  const [statement, again] = server.asked
    .filter(({ sql }) => sql === 'SELECT n FROM t')
    .map(({ url }) => url.searchParams);
  expect(Object.fromEntries(statement ?? [])).toMatchObject({
    query_id: 'entry-1',
    database: 'shop',
    readonly: '2',
    max_result_rows: '1001',
    result_overflow_mode: 'break',
    max_memory_usage: String(64 * 1024 * 1024),
    enable_analyzer: '1',
    join_use_nulls: '0',
    union_default_mode: 'ALL',
    except_default_mode: 'DISTINCT',
    cast_keep_nullable: '1',
    session_timezone: 'Europe/Vienna',
    max_threads: '2',
  });
  expect(Number(statement?.get('max_execution_time'))).toBeGreaterThan(25);
  expect(again?.get('query_id')).toBe('entry-1');
  const ids = server.asked
    .map(({ url }) => url.searchParams.get('query_id'))
    .filter((id) => id?.startsWith('entry-1-'));
  // A statement that passed once is not checked again.
  expect(ids).toEqual(['entry-1-check1', 'entry-1-check2']);
});

it('names the database, whatever it is called', async () => {
  await using server = await oddServer((response) => response.end(`${META}{"row":[1]}\n`));
  await using({ url: server.url.replace(/shop$/, 'default') }, (_, run) => run());
  expect(new Set(server.asked.map(({ url }) => url.searchParams.get('database')))).toEqual(new Set(['default']));
});

it.each<[settings: Record<string, string | number>]>([
  [{ readonly: 0 }],
  [{ max_thread: 1 }],
  [{ constructor: 1 }],
  [{ max_execution_time: 0 }],
  [{ max_result_rows: 0 }],
  [{ allow_introspection_functions: 1 }],
  [{ default_format: 'CSV' }],
  [{ additional_table_filters: '{}' }],
  [{ param_p1: 'x' }],
  [{ query: 'DROP TABLE t' }],
])('takes no setting that widens access: %j', (settings) => {
  const options = clickhouseOptions({ url: 'clickhouse://db', settings });
  expect(() => new ClickhouseDriver(options)).toThrow(`cannot set "${Object.keys(settings)[0]}"`);
});

it('asks the next replica where one is gone, and the one that answered first from then on', async () => {
  await using one = await oddServer((response) => response.end(`${META}{"row":[1]}\n`));
  await using two = await oddServer((response) => response.end(`${META}{"row":[2]}\n`));
  const url = `clickhouse://ada@127.0.0.1:1,127.0.0.1:${one.port},127.0.0.1:${two.port}/shop`;
  await using({ url, maxConnections: 1 }, async (_, run) => {
    expect(await run()).toEqual([{ n: 1 }]);
    // Between two statements of one session.
    await one[Symbol.asyncDispose]();
    expect(await run()).toEqual([{ n: 2 }]);
    expect(await run()).toEqual([{ n: 2 }]);
    await two[Symbol.asyncDispose]();
    expect(await run()).toMatchObject({ code: 'datasource_unavailable' });
  });
});

it('asks no other replica where the login is not let in, or what answers has begun', async () => {
  await using two = await oddServer((response) => response.end(`${META}{"row":[2]}\n`));
  const refusing = createHttpServer((_, response) => {
    response.writeHead(403, { 'x-clickhouse-exception-code': '516' });
    response.end('Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)');
  });
  await once(refusing.listen(0, '127.0.0.1'), 'listening');
  const { port } = refusing.address() as AddressInfo;
  await using({ url: `clickhouse://ada@127.0.0.1:${port},127.0.0.1:${two.port}/shop` }, async (database, run) => {
    expect(await run()).toMatchObject({ message: expect.stringContaining('user and password') });
    expect(await database.health()).toMatchObject({ status: 'error' });
  });
  refusing.close();
  expect(two.asked).toEqual([]);
});

it('connects to checked addresses of every replica alone', async () => {
  await using server = await oddServer((response) => response.end(`${META}{"row":[1]}\n`));
  const looked: string[] = [];
  const reach: Reach = {
    folder: '.',
    async addressesOf(host) {
      looked.push(host);
      if (host === 'secret.invalid') throw new AtlasError('The host must not be used.', { code: 'validation_error' });
      if (host === 'gone.invalid') throw new AtlasError('It is gone.', { code: 'datasource_unavailable' });
      return ['127.0.0.1'];
    },
  };
  const at = (...hosts: string[]) => `clickhouse://ada@${hosts.map((host) => `${host}:${server.port}`).join(',')}/shop`;
  await using(
    { url: at('gone.invalid', 'db.invalid') },
    async (_, run) => {
      expect(await run()).toEqual([{ n: 1 }]);
    },
    reach,
  );
  expect(looked).toEqual(['gone.invalid', 'db.invalid']);
  await using(
    { url: at('secret.invalid', 'db.invalid') },
    async (_, run) => {
      expect(await run()).toMatchObject({ code: 'validation_error' });
    },
    reach,
  );
  expect(looked).toEqual(['gone.invalid', 'db.invalid', 'secret.invalid']);
});

it('ends a statement by its id, again while the server does not know it, and on the cluster of the URL', async () => {
  await using server = await oddServer((response, { sql }) => {
    if (sql.startsWith('KILL')) response.end(META);
    else response.flushHeaders();
  });
  await using({ url: `${server.url}?cluster=main` }, async (database) => {
    const leaving = new AbortController();
    const sql = 'SELECT n FROM t';
    const statement = {
      connection: database.info,
      requested: sql,
      sql,
      params: [],
      surface: 'test',
      tables: ['t'],
      id: 'entry-1',
    };
    const outcome = database.execute(statement, leaving.signal).catch((error: unknown) => error);
    await expect.poll(() => server.asked.some((one) => one.sql === sql)).toBe(true);
    leaving.abort();
    expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
    await expect.poll(() => server.asked.filter((one) => one.sql.startsWith('KILL')).length).toBeGreaterThan(3);
  });
  const kills = server.asked.filter((one) => one.sql.startsWith('KILL'));
  expect(kills.slice(0, 3).map((one) => one.sql)).toEqual([
    "KILL QUERY WHERE query_id = 'entry-1' ASYNC",
    "KILL QUERY ON CLUSTER 'main' WHERE query_id = 'entry-1' ASYNC",
    "KILL QUERY WHERE query_id = 'entry-1' ASYNC",
  ]);
  // A setting for reading alone would refuse it.
  expect(kills.every(({ url }) => !url.searchParams.has('readonly'))).toBe(true);
});

it('gives up a server that takes connections and says nothing', async () => {
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  await using({ url: `clickhouse://ada@127.0.0.1:${port}/shop`, connectTimeoutMs: 100 }, async (_, run) => {
    expect(await run()).toMatchObject({
      code: 'datasource_unavailable',
      message: expect.stringContaining('does not answer'),
    });
  });
  silent.close();
});
