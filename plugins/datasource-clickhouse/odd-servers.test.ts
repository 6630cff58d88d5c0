/** What servers may answer, in the right order and otherwise. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import { type Reach, ServerDatabase } from '../datasource-kit/index.ts';
import { ClickhouseDriver } from './driver.ts';
import { type OddServer, oddServer } from './fixtures/odd-server.ts';
import { clickhouseOptions } from './fixtures/options.ts';
import type { ClickhouseConnectionOptions } from './options.ts';

const META = '{"meta":[{"name":"n","type":"UInt64"}]}\n';

/** Opens a database for one use of it. */
async function using<T>(
  given: Partial<ClickhouseConnectionOptions>,
  work: (database: ServerDatabase, run: (sql?: string) => Promise<unknown>) => Promise<T>,
  reach?: Reach,
): Promise<T> {
  const options = clickhouseOptions({ connectTimeoutMs: 2_000, ...given });
  const database = new ServerDatabase(new ClickhouseDriver(options, reach), options);
  const run = (sql = 'SELECT n FROM t') =>
    database
      .execute({
        connection: database.info,
        requested: sql,
        sql,
        params: [],
        surface: 'test',
        tables: ['t'],
        id: 'entry-1',
      })
      .then(
        ({ rows }) => rows,
        (error: unknown) => (error instanceof AtlasError ? { code: error.code, message: error.message } : error),
      );
  try {
    return await work(database, run);
  } finally {
    await database.close();
  }
}

const runOn = (server: OddServer) => using({ url: server.url }, (_, run) => run());

const codes: [text: string, code: string, message: string][] = [
  [
    'Code: 159. DB::Exception: Timeout exceeded: elapsed 1 seconds. (TIMEOUT_EXCEEDED) (version 26.7)',
    'sql_timeout',
    'did not finish',
  ],
  [
    'Code: 241. DB::Exception: Memory limit exceeded: would use 4 GiB: while reading hunter2. (MEMORY_LIMIT_EXCEEDED)',
    'sql_failed',
    'more memory',
  ],
  [
    'Code: 396. DB::Exception: Limit for result exceeded, max rows: 1. (TOO_MANY_ROWS_OR_BYTES)',
    'sql_failed',
    'limits of the server',
  ],
  ['Code: 497. DB::Exception: ada: Not enough privileges. (ACCESS_DENIED)', 'sql_failed', 'no right'],
  ['Code: 164. DB::Exception: ada: Cannot execute query in readonly mode. (READONLY)', 'sql_refused', 'reads rows'],
  [
    'Code: 202. DB::Exception: Too many simultaneous queries. (TOO_MANY_SIMULTANEOUS_QUERIES)',
    'overloaded',
    'no connection left',
  ],
  ['Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)', 'datasource_unavailable', 'ended it'],
  [
    'Code: 279. DB::Exception: All connection tries failed. hunter2:9000 (ALL_CONNECTION_TRIES_FAILED)',
    'datasource_unavailable',
    'a server of the cluster',
  ],
  [
    "Code: 6. DB::Exception: Cannot parse string 'hunter2' as Int32. (CANNOT_PARSE_TEXT)",
    'sql_failed',
    'ClickHouse: cannot parse text.',
  ],
  [
    "Code: 60. DB::Exception: Unknown table expression identifier 't' in scope SELECT n FROM t WHERE tenant = 'hunter2'. (UNKNOWN_TABLE)",
    'sql_failed',
    "identifier 't'.",
  ],
  [
    "Code: 47. DB::Exception: Unknown identifier `m`, maybe you meant: ['hunter2']. (UNKNOWN_IDENTIFIER)",
    'sql_failed',
    'Unknown identifier `m`.',
  ],
  [
    "Code: 62. DB::Exception: Syntax error: failed at position 8 (FORM): FORM t WHERE tenant = 'hunter2'. (SYNTAX_ERROR)",
    'sql_failed',
    'near "FORM"',
  ],
  [
    "Code: 36. DB::Exception: Window frame begin must be constant. Actual: _CAST('hunter2', 'String'). (BAD_ARGUMENTS)",
    'sql_failed',
    'ClickHouse: bad arguments.',
  ],
  [
    "Code: 403. DB::Exception: Cannot determine join keys in a JOIN b ON _CAST('hunter2'). (INVALID_JOIN_ON_EXPRESSION)",
    'sql_failed',
    'ClickHouse: invalid join on expression.',
  ],
  [
    'Code: 41. DB::Exception: Unable to parse fragment %Y from hunter2 because of it. (CANNOT_PARSE_DATETIME)',
    'sql_failed',
    'cannot parse datetime',
  ],
  [
    "Code: 43. DB::Exception: Illegal type String of argument of function plus: 'hunter2'. (ILLEGAL_TYPE_OF_ARGUMENT)",
    'sql_failed',
    'Illegal type String of argument of function plus.',
  ],
  ['Code: 9999. DB::Exception: hunter2', 'sql_failed', 'ClickHouse: error 9999.'],
  [
    'Code: 395. DB::Exception: hunter2: while executing. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)',
    'sql_failed',
    'refused a value',
  ],
  [
    'Code: 516. DB::Exception: ada: Authentication failed. (AUTHENTICATION_FAILED)',
    'datasource_unavailable',
    'user and password',
  ],
];

async function expectError(code: string, message: string, answer: Parameters<typeof oddServer>[0]): Promise<void> {
  await using server = await oddServer(answer);
  const outcome = await runOn(server);
  expect(outcome).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(JSON.stringify(outcome)).not.toMatch(/hunter2|127\.0\.0\.1|DB::/);
}

it.each(codes)('tells of "%s", wherever it stands', async (text, code, message) => {
  await expectError(code, message, (response) => {
    response.writeHead(500, { 'x-clickhouse-exception-code': /\d+/.exec(text)?.[0] });
    response.end(text);
  });
  await expectError(code, message, (response) => {
    response.writeHead(500, { 'x-clickhouse-exception-code': /\d+/.exec(text)?.[0] });
    response.end(`${META}{"exception":${JSON.stringify(text)}}\n`);
  });
  const begun = `${META}{"row":[1]}\n`;
  await expectError(code, message, (response) => response.end(`${begun}{"exception":${JSON.stringify(text)}}\n`));
  await expectError(code, message, (response) => response.end(`${begun}__exception__\r\ntag\r\n${text}\n`));
});

it.each<[what: string, code: string, message: string, answer: Parameters<typeof oddServer>[0]]>([
  [
    'ends in the middle',
    'datasource_unavailable',
    'ended it',
    (response) => {
      response.write(`${META}{"row":[1]}\n`);
      setTimeout(() => response.destroy(), 20);
    },
  ],
  ['is another format', 'sql_failed', 'another format', (response) => response.end('1\n2\n')],
  ['is no JSON', 'sql_failed', 'another format', (response) => response.end(`${META}{"row":[1`)],
  ['is empty', 'sql_failed', 'another format', (response) => response.end()],
  [
    'is an error of something else',
    'datasource_unavailable',
    'as ClickHouse does',
    (response) => {
      response.writeHead(502);
      response.end('<h1>hunter2</h1>'.repeat(100_000));
    },
  ],
  [
    'is a row without end',
    'sql_failed',
    'larger than 32 MB',
    (response) => {
      response.write(META);
      response.write('{"row":["');
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, 'x')));
      };
      response.on('drain', more);
      more();
    },
  ],
])('an answer that %s is an error', (_, code, message, answer) => expectError(code, message, answer));

it('follows no redirection', async () => {
  await using other = await oddServer((response) => response.end(META));
  await expectError('datasource_unavailable', 'as ClickHouse does', (response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` });
    response.end();
  });
  expect(other.asked).toEqual([]);
});

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
