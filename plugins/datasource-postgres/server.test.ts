import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Ask } from '../../test/harness/ask.ts';
import { selfSigned } from '../../test/harness/certificate.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { PostgresDriver } from './driver.ts';

let server: PostgresServer;
let admin: pg.Client;

beforeAll(async () => {
  server = await startPostgres({ unix_socket_directories: '.' });
  admin = new pg.Client({ connectionString: server.url });
  admin.on('error', () => {});
  await admin.connect();
  await admin.query(`CREATE TYPE mood AS ENUM ('good', 'so, so'); CREATE DOMAIN small AS int CHECK (value < 10);
    CREATE TABLE things (id int PRIMARY KEY, name text); INSERT INTO things VALUES (1, 'one'), (2, 'two');
    CREATE SCHEMA sales; CREATE TABLE sales.things (id bigint); INSERT INTO sales.things VALUES (7)`);
}, 120_000);
afterAll(async () => {
  await admin?.end();
  await server?.stop();
});

interface Connecting {
  readonly url?: string;
  readonly schema?: string;
  readonly pool?: ConstructorParameters<typeof Ask>[1];
}
const ask = ({ url = server.url, schema, pool }: Connecting = {}) => {
  const options = { id: 'shop', url, connectTimeoutMs: 5_000, ...(schema === undefined ? {} : { schema }) };
  return new Ask(new PostgresDriver(options as ConstructorParameters<typeof PostgresDriver>[0]), pool);
};
const scalar = async (sql: string) => Object.values((await admin.query(sql)).rows[0])[0];
const working = () =>
  scalar(`SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND application_name = 'atlas'`);
/** Waits until a statement that sleeps is running. */
const asleep = () =>
  expect
    .poll(() =>
      scalar(`SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'atlas' AND wait_event = 'PgSleep'`),
    )
    .toBe(1);
const urlWith = (user: string, password: string) => server.url.replace('postgres:atlas@', `${user}:${password}@`);

describe('the end of a use', () => {
  it('comes with its statement, and leaves no warning about a transaction that is not there', async () => {
    const emit = vi.spyOn(pg.Client.prototype, 'emit');
    const wire = pg.Connection.prototype as unknown as { sync(): void; query(text: string): void };
    const sync = vi.spyOn(wire, 'sync');
    const simple = vi.spyOn(wire, 'query');
    try {
      await using shop = ask({ pool: { maxConnections: 1 } });
      await shop.database.health();
      await shop.error('SELECT 1 / 0');
      await shop.value("SELECT 'good'::mood");
      await shop.table('things');
      sync.mockClear();
      simple.mockClear();
      await shop.value('SELECT 1');
      await shop.value('SELECT 2');
      await shop.value('SELECT 3');
      // The end of the description, and each statement with its own.
      expect(sync.mock.calls.length).toBeLessThanOrEqual(4);
      expect(sync.mock.calls.length).toBeGreaterThanOrEqual(3);
      expect(simple).not.toHaveBeenCalled();
      expect(emit.mock.calls.filter(([name]) => name === 'notice')).toEqual([]);
    } finally {
      vi.restoreAllMocks();
    }
  });
});

describe('values', () => {
  it.each<[string, unknown, notes?: number]>([
    ['true', true],
    ['32767::int2', 32767],
    ['9007199254740991::int8', 9007199254740991],
    ['(-9223372036854775808)::int8', '-9223372036854775808'],
    ['4294967295::oid', 4294967295],
    ['0.1::float4', 0.1],
    ['0.1::float8 + 0.2::float8', 0.30000000000000004],
    ["'NaN'::float8", 'NaN', 1],
    ["'-Infinity'::float4", '-Infinity', 1],
    ['19.90::numeric(10,2)', 19.9],
    ['12345678901234567890.5', '12345678901234567890.5'],
    ["'NaN'::numeric", 'NaN', 1],
    ["'Infinity'::numeric", 'Infinity', 1],
    ['avg(n)', 2],
    ['sum(n)', 6],
    ["'2024-02-29'::date", '2024-02-29'],
    ["'0044-03-15 BC'::date", '-000043-03-15'],
    ["'12024-01-01'::date", '+012024-01-01'],
    ["'infinity'::date", 'infinity', 1],
    ["'2024-02-29 12:30:00.5'::timestamp", '2024-02-29T12:30:00.5'],
    ["'2024-02-29 12:30:00+02'::timestamptz", '2024-02-29T10:30:00Z'],
    ["'2024-02-29 12:30:00.123456+05:30'::timestamptz", '2024-02-29T07:00:00.123456Z'],
    ["'-infinity'::timestamptz", '-infinity', 1],
    ["'0001-01-01 00:00:00+00 BC'::timestamptz", '0000-01-01T00:00:00Z'],
    ["'24:00'::time", '24:00:00'],
    ["'12:30:00+02'::timetz", '12:30:00+02:00'],
    ["'12:30:00+05:30'::timetz", '12:30:00+05:30'],
    ["'1 year 2 months 3 days 04:05:06.5'::interval", 'P1Y2M3DT4H5M6.5S'],
    ["'-1 day'::interval", 'P-1D'],
    [`'{"a": [1, 9007199254740993, null]}'::jsonb`, { a: [1, '9007199254740993', null] }],
    [`'[1.0]'::json`, [1]],
    ["'\\x00ff'::bytea", 'AP8=', 1],
    ["'\\x'::bytea", '', 1],
    ["'a'::char(3)", 'a  '],
    [`'x'::"char"`, 'x'],
    ["'00000000-0000-0000-0000-000000000001'::uuid", '00000000-0000-0000-0000-000000000001'],
    ["'so, so'::mood", 'so, so'],
    ['9::small', 9],
    ["'[1,5)'::int4range", '[1,5)'],
    ["'10.0.0.0/8'::cidr", '10.0.0.0/8'],
    ["B'101'", '101'],
    ["'(1,2)'::point", '(1,2)'],
    ["ROW(1, 'a')", '(1,a)'],
    ['ARRAY[1, NULL, 3]', [1, null, 3]],
    ["'{}'::int[]", []],
    [
      'ARRAY[[1.5, 2], [3, 4]]::numeric[]',
      [
        [1.5, 2],
        [3, 4],
      ],
    ],
    ["'[0:1]={7,8}'::int[]", [7, 8]],
    [`ARRAY['a b', 'c"d\\', 'NULL', NULL, '', '{x}']`, ['a b', 'c"d\\', 'NULL', null, '', '{x}']],
    ["ARRAY['good', 'so, so']::mood[]", ['good', 'so, so']],
    ['ARRAY[1, 2]::small[]', [1, 2]],
    ["ARRAY['2024-01-01', 'infinity']::date[]", ['2024-01-01', 'infinity'], 1],
    ["ARRAY['(1,2),(3,4)', '(5,6),(7,8)']::box[]", ['(3,4),(1,2)', '(7,8),(5,6)']],
    ['ARRAY[\'{"a": 1}\']::jsonb[]', [{ a: 1 }]],
    ["ARRAY['\\x00ff']::bytea[]", ['AP8=']],
    ['ARRAY[true, false]', [true, false]],
    ['NULL', null],
  ])('%s', async (expression, value, notes = 0) => {
    await using shop = ask();
    const result = await shop.run(
      `SELECT ${expression} AS v FROM generate_series(1, 3) AS n${/\(n\)/.test(expression) ? '' : ' LIMIT 1'}`,
    );
    expect(result.rows[0]?.v).toEqual(value);
    expect(result.notes).toHaveLength(notes);
    // The second time the type is known.
    expect(
      await shop.value(`SELECT ${expression} FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) AS s LIMIT 1`),
    ).toEqual(value);
  });

  it('of one column have one JSON type', async () => {
    await using shop = ask();
    const averages = (values: string) =>
      shop.run(`SELECT avg(n) AS average FROM (VALUES ${values}) AS v(g, n) GROUP BY g ORDER BY g`);
    expect(await averages('(1, 3.5), (2, 3.25)')).toMatchObject({
      columnTypes: ['number'],
      rows: [{ average: 3.5 }, { average: 3.25 }],
    });
    expect(await averages('(1, 3), (1, 3), (1, 4), (2, 3.063)')).toMatchObject({
      columnTypes: ['string'],
      rows: [{ average: '3.3333333333333333' }, { average: '3.063' }],
    });
  });

  it('do not depend on the defaults of the login', async () => {
    await admin.query(`CREATE ROLE odd LOGIN SUPERUSER PASSWORD 'x'; ALTER ROLE odd SET datestyle = 'German';
      ALTER ROLE odd SET timezone = 'Asia/Kolkata'; ALTER ROLE odd SET intervalstyle = 'sql_standard';
      ALTER ROLE odd SET bytea_output = 'escape'; ALTER ROLE odd SET extra_float_digits = -3;
      ALTER ROLE odd SET search_path = sales, public; ALTER ROLE odd SET client_encoding = 'LATIN1';
      ALTER ROLE odd SET standard_conforming_strings = off; ALTER ROLE odd SET statement_timeout = 500`);
    await using shop = ask({ url: urlWith('odd', 'x') });
    const { rows } = await shop.run(`SELECT '2024-02-29 12:00+00'::timestamptz AS t, '1 day'::interval AS i,
      '\\x0a'::bytea AS b, 0.1::float8 AS f, (SELECT count(*) FROM things) AS n, 'ä€' AS u, 'a\\b' AS s, pg_sleep(0.8)::text AS p`);
    expect(rows).toEqual([{ t: '2024-02-29T12:00:00Z', i: 'P1D', b: 'Cg==', f: 0.1, n: 2, u: 'ä€', s: 'a\\b', p: '' }]);
  });

  it('find tables in the schema that the option or the URL names', async () => {
    await using option = ask({ schema: 'sales' });
    await using url = ask({ url: `${server.url}?schema=sales` });
    for (const shop of [option, url]) expect(await shop.value('SELECT id FROM things')).toBe(7);
  });
});

describe('bound values', () => {
  it.each<[string, unknown, unknown]>([
    ['SELECT $1 AS x', 7, 7],
    ['SELECT $1 AS x', 2 ** 40, 2 ** 40],
    ['SELECT $1 AS x', 1.5, 1.5],
    ['SELECT $1 AS x', 123456789012345678901n, '123456789012345678901'],
    ['SELECT $1 AS x', true, true],
    ['SELECT $1 AS x', "'; DROP TABLE things; --", "'; DROP TABLE things; --"],
    ['SELECT $1 AS x', new Date('2024-02-29T12:00:00.5Z'), '2024-02-29T12:00:00.5Z'],
    ['SELECT $1 AS x', Buffer.from('atlas'), 'YXRsYXM='],
    ['SELECT count(*) FROM things WHERE id = $1', '1', 1],
    ['SELECT count(*) FROM things WHERE id = $1', 1, 1],
    ['SELECT count(*) FROM things WHERE name = $1', 'one', 1],
    [`SELECT '2024-01-01'::date + $1`, 7, '2024-01-08'],
    ['SELECT id FROM things ORDER BY id LIMIT $1', 1, 1],
  ])('%s with %s', async (sql, value, result) => {
    await using shop = ask();
    expect(await shop.value(sql, [value])).toEqual(result);
  });
  it('that are missing or of no type are an error', async () => {
    await using shop = ask();
    expect((await shop.error('SELECT $1::int')).code).toBe('sql_failed');
    expect((await shop.error('SELECT $1', [{}])).message).toContain('cannot be bound');
    expect(await shop.value('SELECT 1')).toBe(1);
  });
});

describe('a statement', () => {
  it('is one by protocol: the server refuses two, with and without parameters', async () => {
    await using shop = ask();
    for (const params of [[], [1]]) {
      const error = await shop.error(`SELECT ${params.length === 0 ? 1 : '$1::int'}; SELECT 2`, params);
      expect(error.message).toContain('multiple commands');
    }
    expect((await shop.error('SELECT 1\0; DROP TABLE things')).message).toContain('null byte');
  });

  it('leaves no setting, lock, table, prepared statement, cursor or listener behind', async () => {
    await using shop = ask({ pool: { maxConnections: 1 } });
    const pid = await shop.value('SELECT pg_backend_pid()');
    await shop.run(`SELECT set_config('search_path', 'sales', false), set_config('atlas.secret', 'x', false),
      set_config('role', 'pg_monitor', false), pg_advisory_lock(42)`);
    await shop.error('LISTEN things');
    await shop.error('PREPARE leak AS SELECT 1');
    await shop.error('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE');
    await shop.error('CREATE TEMP TABLE leak (id int)');
    expect(await shop.value('SELECT pg_backend_pid()')).toBe(pid);
    const { rows } = await shop.run(`SELECT current_setting('search_path') AS path, current_user = session_user AS same,
      coalesce(current_setting('atlas.secret', true), '') AS secret, current_setting('transaction_read_only') AS read_only,
      (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks,
      (SELECT count(*) FROM pg_prepared_statements WHERE name <> '') AS prepared,
      (SELECT count(*) FROM pg_listening_channels()) AS listening`);
    expect(rows).toEqual([
      {
        path: 'pg_catalog, "public", pg_temp',
        same: true,
        secret: '',
        read_only: 'on',
        locks: 0,
        prepared: 0,
        listening: 0,
      },
    ]);
    const state = () => scalar(`SELECT state FROM pg_stat_activity WHERE pid = ${pid}`);
    await expect.poll(state, { message: 'no transaction stays open' }).toBe('idle');
  });

  it('cannot make its transaction write', async () => {
    await using shop = ask();
    await shop.error(`SELECT set_config('transaction_read_only', 'off', false)`);
    const tricks = [
      `WITH s AS (SELECT set_config('transaction_read_only', 'off', true)) SELECT * FROM s`,
      `SELECT set_config('default_transaction_read_only', 'off', false)`,
    ];
    for (const trick of tricks) await shop.run(trick).catch(() => {});
    expect((await shop.error(`WITH x AS (DELETE FROM things RETURNING 1) SELECT * FROM x`)).code).toBe('sql_refused');
    expect(await scalar('SELECT count(*)::int FROM things')).toBe(2);
  });

  it('uses parallel workers as it would elsewhere', async () => {
    await admin.query(`CREATE TABLE wide AS SELECT n, md5(n::text) AS h FROM generate_series(1, 50000) AS n;
      CREATE ROLE parallel LOGIN PASSWORD 'x'; GRANT SELECT ON wide TO parallel;
      ALTER ROLE parallel SET min_parallel_table_scan_size = 0; ALTER ROLE parallel SET parallel_setup_cost = 0;
      ALTER ROLE parallel SET parallel_tuple_cost = 0; ANALYZE wide`);
    await using shop = ask({ url: urlWith('parallel', 'x') });
    const launched = () => scalar(`SELECT sum(parallel_workers_launched)::int FROM pg_stat_database`);
    expect(await shop.value(`SELECT count(*) FROM wide WHERE h LIKE '%a%'`)).toBeGreaterThan(0);
    await shop.database.close();
    await expect.poll(launched).toBeGreaterThan(0);
    await admin.query('DROP TABLE wide');
  });

  it('reports what is wrong with it, without data', async () => {
    await using shop = ask();
    expect((await shop.error('SELECT nam FROM things')).message).toMatch(/"nam" does not exist/);
    expect((await shop.error('SELECT FROM WHERE')).message).toMatch(/syntax error/);
    const leak = await shop.error('SELECT name::int FROM things');
    expect(leak.message).toContain('invalid input syntax for type integer');
    expect(`${leak.message} ${leak.hint}`).not.toContain('one');
    expect((await shop.error('SELECT 1 / (id - 1) FROM things')).message).toContain('division by zero');
    expect((await shop.error(`SELECT repeat('x', 2000)::int`)).message.length).toBeLessThan(300);
    // Errors of the statement's own class that data causes, values without quotes, words of a function of the database.
    await admin.query(`CREATE FUNCTION raising(t text) RETURNS int LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no % here', t; END $$`);
    const quoting = [`to_tsquery(name || ' & & ')`, `(name || '(')::jsonpath`, `chr(id + 4711000)`, 'raising(name)'];
    for (const expression of quoting) {
      const { code, message, hint } = await shop.error(`SELECT ${expression} FROM things`);
      expect([code, `${message} ${hint}`]).toEqual(['sql_failed', expect.not.stringMatching(/one|47110/)]);
    }
  });

  it('is stopped by the server at its timeout, waiting for a lock included', async () => {
    await using shop = ask();
    const error = await shop.error('SELECT pg_sleep(30)', [], { limits: { timeoutMs: 200 } });
    expect(error.code).toBe('sql_timeout');
    await admin.query('BEGIN; LOCK TABLE things');
    try {
      const error = await shop.error('SELECT * FROM things', [], { limits: { timeoutMs: 200 } });
      expect(['overloaded', 'sql_timeout']).toContain(error.code);
    } finally {
      await admin.query('ROLLBACK');
    }
    await expect.poll(working).toBe(0);
  });

  it('never mixes up answers while others are cancelled', { timeout: 60_000 }, async () => {
    await using shop = ask();
    const one = async (n: number) => {
      const cancelled = n % 3 === 0;
      const signal = cancelled ? AbortSignal.timeout(n % 17) : undefined;
      const sql = cancelled ? 'SELECT pg_sleep(30)' : `SELECT ${n} AS n`;
      const value = await shop
        .value(sql, [], { limits: { timeoutMs: 15_000 }, ...(signal && { signal }) })
        .catch((e) => e.code);
      return cancelled ? value === 'sql_cancelled' : value === n;
    };
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, n) => one(n)));
    expect(outcomes.filter((right) => !right)).toEqual([]);
    await expect.poll(working).toBe(0);
  });

  it('ends on the server whenever it is cancelled', { timeout: 60_000 }, async () => {
    await using shop = ask();
    for (let delay = 0; delay < 40; delay += 1) {
      const abort = new AbortController();
      const outcome = shop.run('SELECT pg_sleep(30)', [], { signal: abort.signal }).catch((error: Error) => error);
      await sleep(delay / 8);
      abort.abort();
      expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
      // What follows is never hit by a cancel that was meant for another.
      expect(await shop.value('SELECT 1')).toBe(1);
    }
    await expect.poll(working).toBe(0);
  });
});

describe('results', () => {
  it('of ten million rows stop at the limit, and the server stops too', async () => {
    await using shop = ask({ pool: { maxConnections: 1 } });
    const pid = await shop.value('SELECT pg_backend_pid()');
    const many = `SELECT a.n FROM generate_series(1, 10000) AS a(n), generate_series(1, 1000) AS b(n)`;
    const result = await shop.run(many, [], { limits: { maxRows: 5 } });
    expect(result.rows).toHaveLength(5);
    expect(result.truncated).toBe(true);
    // Cancelled rather than thrown away: the session is the same.
    expect(await shop.value('SELECT pg_backend_pid()')).toBe(pid);
    await expect.poll(working).toBe(0);
  });

  it('of new types are read although the limit stopped the statement', async () => {
    await using shop = ask();
    const sql = `SELECT ARRAY['good']::mood[] AS m FROM generate_series(1, 1000000)`;
    const result = await shop.run(sql, [], { limits: { maxRows: 2 } });
    expect(result.rows).toEqual([{ m: ['good'] }, { m: ['good'] }]);
    expect(result.truncated).toBe(true);
  });

  it('with values of 100 MB take little memory', { timeout: 60_000 }, async () => {
    await using shop = ask();
    await shop.run('SELECT 1');
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
    const sql = `SELECT repeat('ä', 50000000) AS text, decode(repeat('61', 50000000), 'hex') AS binary, 1 AS one`;
    const { rows, notes, truncated } = await shop.run(sql);
    clearInterval(watch);
    expect(rows[0]).toMatchObject({ text: 'ä'.repeat(32_768), one: 1 });
    expect(Buffer.from(String(rows[0]?.binary), 'base64').toString()).toBe('a'.repeat(49_152));
    expect([truncated, notes.length]).toEqual([true, 3]);
    expect((peak - before) / 1e6).toBeLessThan(150);
    const error = await shop.error(`SELECT repeat('x', 50000000)::int`);
    expect(error.message).toMatch(/invalid input syntax/);
    expect(await shop.value('SELECT 1')).toBe(1);
  });

  it('of a value that was cut give arrays and JSON as text', async () => {
    await using shop = ask();
    const cut = { limits: { maxCellBytes: 20 } };
    expect(await shop.value(`SELECT to_json(repeat('x', 100))`, [], cut)).toBe(`"${'x'.repeat(19)}`);
    expect(await shop.value(`SELECT array_agg(n) FROM generate_series(1, 100) AS n`, [], cut)).toBe(
      '{1,2,3,4,5,6,7,8,9,1',
    );
  });
});

describe('a connection', () => {
  it.each([
    ['a wrong password', () => urlWith('postgres', 'hunter2'), /user and password/],
    ['no password', () => server.url.replace(':atlas@', '@'), /user and password/],
    ['an unknown user', () => urlWith('nobody', 'hunter2'), /user and password/],
    ['an unknown database', () => server.url.replace(/\/postgres$/, '/hunter2'), /no such database/],
    ['an unknown host', () => 'postgres://ada:hunter2@no-such-host.invalid/x', /host name/],
    ['a socket that is not there', () => 'postgres://ada:hunter2@/x?host=/tmp/hunter2', /no such socket/],
    ['a server that cannot encrypt', () => `${server.url}?sslmode=require`, /no encryption/],
  ])('with %s says so without secrets', async (_, url, message) => {
    await using shop = ask({ url: url() });
    const error = await shop.error('SELECT 1');
    expect(error.code).toBe('datasource_unavailable');
    expect(error.message).toMatch(message);
    expect(JSON.stringify([error.message, error.hint, await shop.database.health()])).not.toMatch(/hunter2|atlas@/);
  });

  it('goes over a socket', async () => {
    const folder = await scalar(`SELECT current_setting('data_directory')`);
    const port = new URL(server.url).port;
    await using shop = ask({ url: `postgres://postgres:atlas@/postgres?host=${folder}&port=${port}` });
    expect(await shop.value('SELECT inet_client_addr()')).toBeNull();
    expect(shop.database.info.maskedUrl).not.toContain(String(folder));
    const abort = new AbortController();
    const slow = shop.run('SELECT pg_sleep(30)', [], { signal: abort.signal }).catch((error: Error) => error);
    await asleep();
    abort.abort();
    await slow;
    await expect.poll(working).toBe(0);
  });

  it('survives the killing of its session, during a statement and between statements', async () => {
    await using shop = ask({ pool: { maxConnections: 2 } });
    const slow = shop.error('SELECT pg_sleep(30)');
    await asleep();
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atlas'`);
    expect((await slow).code).toBe('datasource_unavailable');
    expect(await shop.value('SELECT 1')).toBe(1);
    await sleep(50);
    await admin.query(`SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity WHERE application_name = 'atlas'`);
    // The server has ended it; that is read before this goes on.
    await sleep(50);
    await nextTurn();
    expect(await shop.value('SELECT 1')).toBe(1);
  });

  it('says that the server is full, and when to come back', async () => {
    await admin.query(`CREATE ROLE few LOGIN PASSWORD 'x' CONNECTION LIMIT 1`);
    await using one = ask({ url: urlWith('few', 'x') });
    await one.run('SELECT 1');
    await using two = ask({ url: urlWith('few', 'x') });
    expect(await two.error('SELECT 1')).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 });
    expect((await two.database.health()).status).toBe('degraded');
  });

  it('gives up a description that is cancelled, on the server too', async () => {
    await using shop = ask({ pool: { maxConnections: 1 } });
    const pid = await shop.value('SELECT pg_backend_pid()');
    const locker = new pg.Client({ connectionString: server.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE pg_description IN ACCESS EXCLUSIVE MODE');
    const outcome = shop.database.describe(AbortSignal.timeout(200)).catch((error: Error) => error);
    expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
    await expect.poll(working).toBe(0);
    await locker.end();
    expect(await shop.value('SELECT pg_backend_pid()')).toBe(pid);
    expect((await shop.database.describe()).length).toBeGreaterThan(1);
  });

  it('reports health while every session is used', async () => {
    await using shop = ask({ pool: { maxConnections: 1 } });
    const abort = new AbortController();
    const slow = shop.run('SELECT pg_sleep(30)', [], { signal: abort.signal }).catch(() => {});
    await asleep();
    expect(await shop.database.health()).toMatchObject({ status: 'ok', details: { dbType: 'postgres' } });
    abort.abort();
    await slow;
  });
});

describe('encryption', () => {
  const pair = selfSigned();
  beforeAll(async () => {
    if (pair === undefined) return;
    const write = (text: string, file: string) =>
      admin.query(
        `COPY (SELECT unnest(string_to_array('${text.trim()}', E'\\n'))) TO PROGRAM 'umask 077; cat > ${file}'`,
      );
    await write(pair.certificate, 'server.crt');
    await write(pair.key, 'server.key');
    await admin.query('ALTER SYSTEM SET ssl = on');
    await admin.query('SELECT pg_reload_conf()');
    // It takes a moment; only new connections tell.
    const setting = async () => {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query('SHOW ssl');
      await client.end();
      return rows[0].ssl;
    };
    await vi.waitFor(async () => expect(await setting()).toBe('on'), 15_000);
  });
  const encrypted = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  const local = () => server.url.replace('127.0.0.1', 'localhost');

  it.skipIf(pair === undefined)('is used when the server offers it, unless the URL says no', async () => {
    await using plain = ask({ url: `${server.url}?sslmode=disable` });
    await using preferred = ask();
    await using required = ask({ url: `${server.url}?sslmode=require` });
    expect(await plain.value(encrypted)).toBe(false);
    expect(await preferred.value(encrypted)).toBe(true);
    expect(await required.value(encrypted)).toBe(true);
  });

  it.skipIf(pair === undefined)('looks at the certificate when the URL says so', async () => {
    await using unknown = ask({ url: `${local()}?sslmode=verify-full` });
    expect((await unknown.error('SELECT 1')).message).toContain('certificate is not trusted');
    const file = `${await scalar(`SELECT current_setting('data_directory')`)}/server.crt`;
    await using known = ask({ url: `${local()}?sslmode=verify-full&sslrootcert=${file}` });
    expect(await known.value(encrypted)).toBe(true);
    await using otherName = ask({ url: `${server.url}?sslmode=verify-full&sslrootcert=${file}` });
    expect((await otherName.error('SELECT 1')).code).toBe('datasource_unavailable');
    await using anyName = ask({ url: `${server.url}?sslmode=verify-ca&sslrootcert=${file}` });
    expect(await anyName.value(encrypted)).toBe(true);
  });

  it.skipIf(pair === undefined)('is used to cancel, too', async () => {
    await using shop = ask({ url: `${server.url}?sslmode=require` });
    const error = shop.error('SELECT pg_sleep(30)', [], { signal: AbortSignal.timeout(150) });
    expect((await error).code).toBe('sql_cancelled');
    await expect.poll(working).toBe(0);
  });
});

// Last: it takes the other connections down.
describe('a server that crashes', () => {
  it('is found again without a restart', { timeout: 60_000 }, async () => {
    await using shop = ask();
    const pid = Number(await shop.value('SELECT pg_backend_pid()'));
    const slow = shop.error('SELECT pg_sleep(30)');
    await asleep();
    process.kill(pid, 'SIGKILL');
    expect((await slow).code).toBe('datasource_unavailable');
    const until = performance.now() + 20_000;
    let value: unknown;
    while (value !== 1 && performance.now() < until) {
      value = await shop.value('SELECT 1').catch((error: { code: string }) => error.code);
      expect([1, 'datasource_unavailable']).toContain(value);
      if (value !== 1) await sleep(100);
    }
    expect(value).toBe(1);
    expect((await shop.database.health()).status).toBe('ok');
  });
});
