import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ask } from '../../test/harness/ask.ts';
import { selfSigned } from '../../test/harness/certificate.ts';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../test/harness/mariadb.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { MysqlDriver } from './driver.ts';

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('on a server', () => {
  let server: MariaDbServer;
  let admin: mysql.Connection;

  const connectAdmin = async () => {
    admin = await mysql.createConnection({ uri: server.url, multipleStatements: true });
    admin.on('error', () => {});
  };
  beforeAll(async () => {
    server = await startMariaDb({ options: ['max-allowed-packet=256M', 'max-user-connections=50'] });
    await connectAdmin();
    await admin.query(`CREATE TABLE things (id int PRIMARY KEY, name varchar(20)); INSERT INTO things VALUES (1, 'one'), (2, 'two');
      CREATE TABLE odd (tiny tinyint(1), big bigint unsigned, bits bit(10), one bit(1), single float, exact decimal(20,4),
        day date, at datetime(6), stamp timestamp(3) NULL, clock time(2), year year, mood enum('good', 'so, so'), several set('a', 'b'),
        doc json, place point, raw varbinary(10), long_raw blob, words text character set latin1, id uuid, address inet6);
      SET time_zone = '+00:00', sql_mode = '';
      INSERT INTO odd VALUES (1, 18446744073709551615, b'1000000001', b'1', 0.1, 19.9000, '2024-02-29', '2024-02-29 12:30:00.500000',
        '2024-02-29 12:30:00', '-838:59:59.5', 2024, 'so, so', 'a,b', '{"a": [1, 9007199254740993]}', POINT(1, 2), x'00ff', x'00ff', 'grün',
        '00000000-0000-0000-0000-000000000001', '::1');
      INSERT INTO odd (day, at, stamp) VALUES ('0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00'), ('2024-00-10', '2024-10-00 10:00:00', NULL)`);
  }, 120_000);
  afterAll(async () => {
    admin?.destroy();
    await server?.stop();
  });

  const ask = (url = server.url, pool: ConstructorParameters<typeof Ask>[1] = {}) => {
    const options = { id: 'shop', url, connectTimeoutMs: 5_000 };
    return new Ask(new MysqlDriver(options as ConstructorParameters<typeof MysqlDriver>[0]), pool);
  };
  const scalar = async (sql: string): Promise<unknown> => {
    const [rows] = await admin.query<mysql.RowDataPacket[]>(sql);
    return Object.values(rows[0] ?? {})[0];
  };
  const working = () =>
    scalar(
      `SELECT count(*) FROM information_schema.PROCESSLIST WHERE COMMAND IN ('Query', 'Execute') AND ID <> CONNECTION_ID()`,
    );
  /** Waits until a statement that sleeps is running. */
  const asleep = () =>
    expect
      .poll(() => scalar(`SELECT count(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE '%SELECT SLEEP(30)'`))
      .toBe(1);
  const urlWith = (user: string, password: string) => server.url.replace('root:atlas@', `${user}:${password}@`);

  describe('values', () => {
    it.each<[string, unknown, notes?: number]>([
      ['tiny', 1],
      ['big', '18446744073709551615'],
      ['bits', 513],
      ['one', 1],
      ['single', 0.1],
      ['exact', 19.9],
      ['day', '2024-02-29'],
      ['at', '2024-02-29T12:30:00.5'],
      ['stamp', '2024-02-29T12:30:00Z'],
      ['clock', '-838:59:59.5'],
      ['year', 2024],
      ['mood', 'so, so'],
      ['several', 'a,b'],
      ['doc', { a: [1, '9007199254740993'] }],
      ['raw', 'AP8=', 1],
      ['long_raw', 'AP8=', 1],
      ['place', 'AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA==', 1],
      ['words', 'grün'],
      ['id', '00000000-0000-0000-0000-000000000001'],
      ['address', '::1'],
      ['9007199254740991', 9007199254740991],
      ['-9223372036854775808', '-9223372036854775808'],
      ['12345678901234567890.5', '12345678901234567890.5'],
      ['1e300', 1e300],
      ['1/3', 0.3333],
      ['true', 1],
      ["DATE_ADD('2024-01-31', INTERVAL 1 DAY)", '2024-02-01'],
      ["CAST('2024-01-31 10:00:00' AS datetime)", '2024-01-31T10:00:00'],
      ["CAST('2024-01-31' AS date)", '2024-01-31'],
      ["CONCAT('a', 1)", 'a'.concat('1')],
      ["JSON_EXTRACT(doc, '$.a')", [1, '9007199254740993']],
      ["'ä€😀'", 'ä€😀'],
      ["'a\\nb'", 'a\nb'],
      ['NULL', null],
    ])('%s', async (expression, value, notes = 0) => {
      await using shop = ask();
      const result = await shop.run(`SELECT ${expression} AS v FROM odd WHERE tiny = 1`);
      expect(result.rows).toEqual([{ v: value }]);
      expect(result.notes).toHaveLength(notes);
    });

    it('give dates of zero as null, with a note', async () => {
      await using shop = ask();
      const { rows, notes } = await shop.run('SELECT day, at, stamp FROM odd WHERE tiny IS NULL');
      expect(rows).toEqual([
        { day: null, at: null, stamp: null },
        { day: null, at: null, stamp: null },
      ]);
      expect(notes).toHaveLength(3);
    });

    it('do not depend on the defaults of the server', async () => {
      await admin.query(`SET GLOBAL time_zone = '+05:30', GLOBAL sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES',
        GLOBAL group_concat_max_len = 1024, GLOBAL autocommit = OFF, GLOBAL sql_select_limit = 1`);
      try {
        await using shop = ask(server.url, { maxConnections: 1 });
        const sql = `SELECT stamp, "a" AS a, 'a\\'b' AS b, (SELECT LENGTH(GROUP_CONCAT(seq)) FROM seq_1_to_1000) AS l,
          (SELECT count(*) FROM things) AS n FROM odd WHERE tiny = 1`;
        for (let round = 0; round < 2; round += 1) {
          expect((await shop.run(sql)).rows).toEqual([
            { stamp: '2024-02-29T12:30:00Z', a: 'a', b: "a'b", l: 3892, n: 2 },
          ]);
          expect((await shop.run('SELECT id FROM things ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
        }
      } finally {
        await admin.query(`SET GLOBAL time_zone = 'SYSTEM', GLOBAL sql_mode = DEFAULT, GLOBAL group_concat_max_len = DEFAULT,
          GLOBAL autocommit = ON, GLOBAL sql_select_limit = DEFAULT`);
      }
    });
  });

  describe('bound values', () => {
    it.each<[string, unknown, unknown]>([
      ['SELECT ? AS x', 7, 7],
      ['SELECT ? AS x', 2 ** 40, 2 ** 40],
      ['SELECT ? AS x', 1.5, 1.5],
      ['SELECT ? AS x', 1e300, 1e300],
      ['SELECT ? AS x', 9223372036854775807n, '9223372036854775807'],
      ['SELECT ? AS x', 18446744073709551615n, '18446744073709551615'],
      ['SELECT ? AS x', true, 1],
      ['SELECT ? AS x', `'; "\\ DROP TABLE things; -- ?`, `'; "\\ DROP TABLE things; -- ?`],
      ['SELECT ? AS x', new Date('2024-02-29T12:00:00.500Z'), '2024-02-29T12:00:00.5'],
      ['SELECT ? AS x', Buffer.from('atlas'), 'YXRsYXM='],
      ["SELECT concat('?', ?) AS x", 'a', '?a'],
      ['SELECT count(*) FROM things WHERE id = ?', '1', 1],
      ['SELECT count(*) FROM things WHERE id = ?', 1, 1],
      ['SELECT count(*) FROM odd WHERE exact = ?', 19.9, 1],
      ['SELECT id FROM things ORDER BY id LIMIT ?', 1, 1],
    ])('%s with %s', async (sql, value, result) => {
      await using shop = ask();
      expect(await shop.value(sql, [value])).toEqual(result);
    });
    it('that are missing, too many or of no type are an error', async () => {
      await using shop = ask();
      for (const params of [[], [1, 2], [{}]]) expect((await shop.error('SELECT ?', params)).code).toBe('sql_failed');
      expect(await shop.value('SELECT 1')).toBe(1);
    });
  });

  describe('a statement', () => {
    it('is one by protocol: the server refuses two, with and without parameters', async () => {
      await using shop = ask();
      expect((await shop.error('SELECT 1; SELECT 2')).code).toBe('sql_failed');
      expect((await shop.error('SELECT ?; SELECT 2', [1])).code).toBe('sql_failed');
    });

    it('leaves no variable, lock, table or prepared statement behind', async () => {
      await using shop = ask(server.url, { maxConnections: 1 });
      const id = await shop.value('SELECT CONNECTION_ID()');
      await shop.run(`SELECT @leak := 7, GET_LOCK('leak', 1), LAST_INSERT_ID(42)`);
      for (let round = 0; round < 5; round += 1) await shop.run(`SELECT ${round}`);
      expect(await shop.value('SELECT CONNECTION_ID()')).toBe(id);
      const { rows } = await shop.run(`SELECT @leak AS leak, IS_FREE_LOCK('leak') AS free, LAST_INSERT_ID() AS last,
        @@tx_read_only AS read_only, DATABASE() AS db`);
      expect(rows).toEqual([{ leak: null, free: 1, last: 0, read_only: 1, db: 'test' }]);
      expect(await scalar(`SELECT count(*) FROM information_schema.INNODB_TRX`)).toBe(0);
      const open = await scalar(
        `SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'PREPARED_STMT_COUNT'`,
      );
      expect(Number(open)).toBeLessThan(3);
    });

    it('reports what is wrong with it, without data', async () => {
      await using shop = ask();
      expect((await shop.error('SELECT nam FROM things')).message).toMatch(/'nam'/);
      expect((await shop.error('SELECT FROM WHERE')).message).toMatch(/syntax/);
      expect((await shop.error('SELECT * FROM nowhere')).message).toMatch(/nowhere/);
      const leak = await shop.error(`SELECT extractvalue(1, concat('~', name)) FROM things`);
      expect(leak.message).toContain('XPATH');
      expect(`${leak.message} ${leak.hint}`).not.toContain('one');
    });

    it('is stopped by the server at its timeout, and the session goes on', async () => {
      await using shop = ask(server.url, { maxConnections: 1 });
      const id = await shop.value('SELECT CONNECTION_ID()');
      const error = await shop.error('SELECT SLEEP(30)', [], { limits: { timeoutMs: 200 } });
      expect(error).toMatchObject({ code: 'sql_timeout', message: expect.stringContaining('200 ms') });
      expect(await shop.value('SELECT CONNECTION_ID()')).toBe(id);
      await expect.poll(working).toBe(0);
    });

    it('never mixes up answers while others are cancelled', { timeout: 60_000 }, async () => {
      await using shop = ask();
      const one = async (n: number) => {
        const cancelled = n % 3 === 0;
        const signal = cancelled ? AbortSignal.timeout(n % 17) : undefined;
        const sql = cancelled ? 'SELECT SLEEP(30)' : `SELECT ${n} AS n`;
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
      for (let delay = 0; delay < 25; delay += 1) {
        const abort = new AbortController();
        const outcome = shop.run('SELECT SLEEP(30)', [], { signal: abort.signal }).catch((error: Error) => error);
        await sleep(delay / 3);
        abort.abort();
        expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
        expect(await shop.value('SELECT 1')).toBe(1);
      }
      await expect.poll(working).toBe(0);
    });
  });

  describe('results', () => {
    it('of ten million rows stop at the limit, and the server stops too', async () => {
      await using shop = ask();
      const result = await shop.run('SELECT seq FROM seq_1_to_10000000', [], { limits: { maxRows: 5 } });
      expect(result.rows).toEqual([1, 2, 3, 4, 5].map((seq) => ({ seq })));
      expect(result.truncated).toBe(true);
      await expect.poll(working).toBe(0);
      expect(await shop.value('SELECT 1')).toBe(1);
    });

    it('with a column that the library does not read say so', async () => {
      await using shop = ask();
      const error = await shop.error('SELECT 1 AS `__proto__`');
      expect([error.code, error.message, error.hint]).toEqual([
        'sql_failed',
        expect.stringContaining('name that cannot be read'),
        expect.stringContaining('AS'),
      ]);
      expect(await shop.value('SELECT 1')).toBe(1);
    });

    it('with long values are cut', async () => {
      await using shop = ask();
      const { rows, notes, truncated } = await shop.run(
        `SELECT repeat('ä', 5000000) AS t, repeat(x'61', 5000000) AS b, 1 AS one`,
      );
      expect(rows[0]).toMatchObject({ t: 'ä'.repeat(32_768), one: 1 });
      expect([truncated, notes.length]).toEqual([true, 3]);
    });

    it('with a row of 100 MB are an error, in bounded memory', { timeout: 60_000 }, async () => {
      await using shop = ask();
      await shop.run('SELECT 1');
      const before = process.memoryUsage.rss();
      let peak = before;
      const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
      const error = await shop.error(`SELECT repeat('x', 100000000) AS text`);
      clearInterval(watch);
      expect(error).toMatchObject({ code: 'sql_failed', message: expect.stringContaining('larger than 32 MB') });
      expect((peak - before) / 1e6).toBeLessThan(180);
      expect(await shop.value('SELECT 1')).toBe(1);
    });
  });

  describe('the description', () => {
    it('has tables, views, columns, comments and keys, also of other databases', async () => {
      await admin.query(`CREATE DATABASE described; USE described;
        CREATE TABLE customers (id int PRIMARY KEY, \`Full name\` varchar(50) NOT NULL COMMENT 'As written') COMMENT 'Who buys';
        CREATE TABLE orders (a int, b int, customer int, PRIMARY KEY (b, a), FOREIGN KEY (customer) REFERENCES customers (id));
        CREATE TABLE elsewhere (thing int, FOREIGN KEY (thing) REFERENCES test.things (id));
        CREATE VIEW shown AS SELECT id FROM customers; CREATE SEQUENCE counting;
        INSERT INTO customers SELECT seq, 'x' FROM seq_1_to_50; ANALYZE TABLE customers; USE test`);
      await using shop = ask(server.url.replace(/\/test$/, '/described'));
      const tables = await shop.database.describe();
      expect(tables.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
        'customers table',
        'elsewhere table',
        'orders table',
        'shown view',
      ]);
      expect(tables[0]).toEqual({
        schema: 'described',
        name: 'customers',
        kind: 'table',
        comment: 'Who buys',
        estimatedRows: 50,
        columns: [
          { name: 'id', type: 'int(11)', nullable: false },
          { name: 'Full name', type: 'varchar(50)', nullable: false, comment: 'As written' },
        ],
        primaryKey: ['id'],
        foreignKeys: [],
      });
      expect(tables[1]?.foreignKeys).toEqual([{ columns: ['thing'], table: 'test.things', references: ['id'] }]);
      expect(tables[2]).toMatchObject({
        primaryKey: ['b', 'a'],
        foreignKeys: [{ columns: ['customer'], table: 'customers', references: ['id'] }],
      });
      await using all = ask(server.url.replace(/\/test$/, ''));
      const schemas = new Set((await all.database.describe()).map(({ schema }) => schema));
      expect([...schemas].sort()).toEqual(['described', 'test']);
    });
  });

  describe('the warnings', () => {
    it('name what a login may do beyond reading, and how to take it away', async () => {
      await admin.query(`CREATE USER reader IDENTIFIED BY 'x'; GRANT SELECT, SHOW VIEW ON test.* TO reader;
        CREATE USER writer IDENTIFIED BY 'x'; GRANT FILE ON *.* TO writer; GRANT SELECT, INSERT, UPDATE (name) ON test.things TO writer`);
      await using reader = ask(urlWith('reader', 'x'));
      expect(await reader.database.warnings()).toEqual([]);
      await using writer = ask(urlWith('writer', 'x'));
      const warnings = await writer.database.warnings();
      expect(warnings).toEqual([
        expect.stringMatching(
          /^Connection "shop": the login `writer`@`%` has FILE on \*\.\*; .*REVOKE FILE ON \*\.\* FROM `writer`@`%`/,
        ),
        expect.stringMatching(
          /has INSERT, UPDATE on `test`\.`things`; .*GRANT SELECT, SHOW VIEW ON `test`\.`things` TO/,
        ),
      ]);
      await using root = ask();
      const [warning] = await root.database.warnings();
      expect(warning).toMatch(/may do everything.*CREATE USER 'atlas_reader'.*GRANT SELECT/);
      expect(`${warnings} ${warning}`).not.toMatch(/PASSWORD '\*/);
    });
  });

  describe('a connection', () => {
    it.each([
      ['a wrong password', () => urlWith('root', 'hunter2'), /user and password/],
      ['an unknown user', () => urlWith('nobody', 'hunter2'), /user and password/],
      ['an unknown database', () => server.url.replace(/\/test$/, '/hunter2'), /no such database/],
      ['an unknown host', () => 'mysql://ada:hunter2@no-such-host.invalid/x', /host name/],
      ['a socket that is not there', () => 'mysql://ada:hunter2@/x?socket=/tmp/hunter2', /no such socket/],
      ['a server that cannot encrypt', () => `${server.url}?ssl-mode=REQUIRED`, /no encryption/],
    ])('with %s says so without secrets', async (_, url, message) => {
      await using shop = ask(url());
      const error = await shop.error('SELECT 1');
      expect(error.code).toBe('datasource_unavailable');
      expect(error.message).toMatch(message);
      expect(JSON.stringify([error.message, error.hint, await shop.database.health()])).not.toMatch(/hunter2|atlas@/);
    });

    it('goes over a socket', async () => {
      await using shop = ask(`mysql://root:atlas@/test?socket=${server.socket}`);
      expect(await shop.value('SELECT USER()')).toBe('root@localhost');
      expect(shop.database.info.maskedUrl).not.toContain(server.socket);
    });

    it('survives the killing of its session, during a statement and between statements', async () => {
      await using shop = ask(server.url, { maxConnections: 2 });
      const killAll = async () => {
        const [rows] = await admin.query<mysql.RowDataPacket[]>(
          'SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND USER = "root"',
        );
        for (const { ID } of rows) await admin.query(`KILL ${ID}`).catch(() => {});
      };
      const slow = shop.error('SELECT SLEEP(30)');
      await asleep();
      await killAll();
      expect((await slow).code).toBe('datasource_unavailable');
      expect(await shop.value('SELECT 1')).toBe(1);
      await sleep(50);
      await killAll();
      await sleep(50);
      expect(await shop.value('SELECT 1')).toBe(1);
    });

    it('says that the server is full, and when to come back', async () => {
      await admin.query(`CREATE USER few IDENTIFIED BY 'x' WITH MAX_USER_CONNECTIONS 1`);
      await using one = ask(urlWith('few', 'x').replace(/\/test$/, ''));
      const leave = new AbortController();
      const used = one.error('SELECT SLEEP(30)', [], { signal: leave.signal });
      await asleep();
      await using two = ask(urlWith('few', 'x').replace(/\/test$/, ''));
      expect(await two.error('SELECT 1')).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 });
      expect((await two.database.health()).status).toBe('degraded');
      leave.abort();
      await used;
    });

    it('finds a server again that was killed and started anew', { timeout: 60_000 }, async () => {
      await using shop = ask();
      const slow = shop.error('SELECT SLEEP(30)');
      await asleep();
      await server.restart();
      expect((await slow).code).toBe('datasource_unavailable');
      expect(await shop.value('SELECT 1')).toBe(1);
      expect((await shop.database.health()).status).toBe('ok');
      await connectAdmin();
    });
  });
});

const tls = selfSigned();
const canEncrypt = findMariaDb() !== undefined && tls !== undefined;
suiteNeeding(
  'mysql',
  canEncrypt,
  `${INSTALL_MARIADB} It also needs "openssl".`,
)('on a server that encrypts', () => {
  const authority = join(mkdtempSync(join(tmpdir(), 'atlas-authority-')), 'certificate.pem');
  let server: MariaDbServer;
  beforeAll(async () => {
    server = await startMariaDb({ tls });
    writeFileSync(authority, tls?.certificate ?? '');
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    rmSync(dirname(authority), { recursive: true });
  });

  const connect = (query: string, host = '127.0.0.1') => {
    const url = `${server.url.replace('127.0.0.1', host)}${query}`;
    return new Ask(
      new MysqlDriver({ id: 'shop', url, connectTimeoutMs: 5_000 } as ConstructorParameters<typeof MysqlDriver>[0]),
    );
  };
  const cipher = `SELECT VARIABLE_VALUE <> '' FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'SSL_CIPHER'`;

  it.each([
    ['', '127.0.0.1', 1],
    ['?ssl-mode=DISABLED', '127.0.0.1', 0],
    ['?ssl-mode=REQUIRED', '127.0.0.1', 1],
    [`?ssl-mode=VERIFY_CA&ssl-ca=${authority}`, '127.0.0.1', 1],
    [`?ssl-mode=VERIFY_IDENTITY&ssl-ca=${authority}`, 'localhost', 1],
  ])('the URL with "%s" to %s is encrypted: %i', async (query, host, encrypted) => {
    await using shop = connect(query, host);
    expect(await shop.value(cipher)).toBe(encrypted);
  });

  it.each([
    ['?ssl-mode=VERIFY_CA', '127.0.0.1'],
    ['?ssl-mode=VERIFY_IDENTITY', 'localhost'],
  ])('the URL with "%s" to %s is refused', async (query, host) => {
    await using shop = connect(query, host);
    expect(await shop.error('SELECT 1')).toMatchObject({
      code: 'datasource_unavailable',
      message: expect.stringContaining('certificate is not trusted'),
    });
  });

  it('ends a cancelled statement there, too', async () => {
    await using shop = connect('?ssl-mode=REQUIRED');
    const error = await shop.error('SELECT SLEEP(30)', [], { signal: AbortSignal.timeout(200) });
    expect(error.code).toBe('sql_cancelled');
    const sleeping = `SELECT count(*) FROM information_schema.PROCESSLIST WHERE INFO = 'SELECT SLEEP(30)'`;
    await expect.poll(() => shop.value(sleeping)).toBe(0);
  });
});
