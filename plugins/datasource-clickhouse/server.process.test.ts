/** Through a real ClickHouse: what it says of its tables, what statements cost, and how they end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import { type ClickhouseServer, findChdb, INSTALL_CHDB, startClickhouse } from '../../test/harness/clickhouse.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { ServerDatabase } from '../datasource-kit/index.ts';
import { ClickhouseDriver } from './driver.ts';
import { clickhouseOptions } from './fixtures/options.ts';
import type { ClickhouseConnectionOptions } from './options.ts';

const SCRIPT = [
  `CREATE TABLE orders (day Date, id UInt64, amount Nullable(Decimal(18, 2)) COMMENT 'in EUR', label LowCardinality(Nullable(String)),
     gross Decimal(18, 2) ALIAS amount * 2, year UInt16 MATERIALIZED toYear(day), skipped String EPHEMERAL)
   ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(day) PRIMARY KEY day ORDER BY (day, id) COMMENT 'One row per order'`,
  'CREATE TABLE log (a Int8) ENGINE = Join(ANY, LEFT, a)',
  'CREATE TABLE rates (currency String, rate Float64) ENGINE = EmbeddedRocksDB PRIMARY KEY currency',
  `CREATE TABLE all_orders AS orders ENGINE = Merge(currentDatabase(), '^orders$')`,
  `CREATE TABLE buffered AS orders ENGINE = Buffer(default, orders, 1, 10, 100, 10000, 1000000, 10000000, 100000000)`,
  'CREATE VIEW totals AS SELECT day, sum(amount) AS total FROM orders GROUP BY day',
  'CREATE TABLE days (day Date, n UInt64) ENGINE = SummingMergeTree ORDER BY day',
  'CREATE MATERIALIZED VIEW days_of_orders TO days AS SELECT day, 1 AS n FROM orders',
  'CREATE MATERIALIZED VIEW counted ENGINE = SummingMergeTree ORDER BY day AS SELECT day, 1 AS n FROM orders',
  'CREATE DATABASE hr',
  'CREATE TABLE hr.people (id Int32) ENGINE = MergeTree ORDER BY id',
  `INSERT INTO orders (day, id, amount) SELECT toDate('2024-01-01') + number % 60, number, number / 4 FROM numbers(50000)`,
  'INSERT INTO log SELECT number FROM numbers(30)',
  `INSERT INTO hr.people VALUES (1), (2)`,
  'CREATE TABLE states (total AggregateFunction(sum, Int8)) ENGINE = AggregatingMergeTree ORDER BY tuple()',
  'INSERT INTO states SELECT sumState(a) FROM log',
];

suiteNeeding(
  'clickhouse',
  findChdb() !== undefined,
  INSTALL_CHDB,
)('a ClickHouse server', () => {
  let server: ClickhouseServer;
  let database: ServerDatabase;
  const opened: ServerDatabase[] = [];

  const open = (given: Partial<ClickhouseConnectionOptions> = {}) => {
    const options = clickhouseOptions({ url: server.url, ...given });
    const made = new ServerDatabase(new ClickhouseDriver(options), options);
    opened.push(made);
    return made;
  };
  const statementOf = (sql: string, tables: string[], on: ServerDatabase) => ({
    connection: on.info,
    requested: sql,
    sql,
    params: [],
    surface: 'test',
    tables,
  });
  const run = (sql: string, tables: string[] = [], on = database) => on.execute(statementOf(sql, tables, on));

  beforeAll(async () => {
    // Only KILL QUERY ends a statement there, as on servers that do not look whether somebody still reads.
    server = await startClickhouse(SCRIPT, { ignoresClose: true });
    database = open();
  });
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await server?.stop();
  });

  describe('describes', () => {
    it('engines, keys, types, comments and sizes', async () => {
      const tables = await database.describe();
      expect(tables.map(({ name, kind, estimatedRows, comment }) => [name, kind, estimatedRows, comment])).toEqual([
        ['all_orders', 'table', 50_000, "One row per order. Merge('default', '^orders$')."],
        ['buffered', 'table', 50_000, expect.stringContaining("Buffer('default', 'orders',")],
        ['counted', 'view', undefined, 'MaterializedView.'],
        ['days', 'table', 60, 'SummingMergeTree; sorted by day.'],
        ['days_of_orders', 'view', undefined, 'MaterializedView.'],
        ['log', 'table', 30, 'Join.'],
        [
          'orders',
          'table',
          50_000,
          'One row per order. ReplacingMergeTree; sorted by day, id; primary key day, not unique; partitioned by toYYYYMM(day); rows of one key are merged later.',
        ],
        ['rates', 'table', undefined, 'EmbeddedRocksDB; primary key currency.'],
        ['states', 'table', 1, 'AggregatingMergeTree.'],
        ['totals', 'view', undefined, 'View.'],
      ]);
      const orders = tables.find(({ name }) => name === 'orders');
      expect(orders).toMatchObject({ schema: 'default', primaryKey: [], foreignKeys: [] });
      expect(orders?.columns).toEqual([
        { name: 'day', type: 'Date', nullable: false },
        { name: 'id', type: 'UInt64', nullable: false },
        { name: 'amount', type: 'Nullable(Decimal(18, 2))', nullable: true, comment: 'in EUR' },
        { name: 'label', type: 'LowCardinality(Nullable(String))', nullable: true },
        { name: 'gross', type: 'Decimal(18, 2)', nullable: false },
        { name: 'year', type: 'UInt16', nullable: false },
      ]);
    });

    it('other databases that are named', async () => {
      const tables = await database.describe(undefined, { schemas: ['hr', "x'; --"] });
      expect(tables.find(({ schema }) => schema === 'hr')).toMatchObject({ name: 'people', estimatedRows: 2 });
    });

    it('what views and tables over tables show', async () => {
      const views = (await database.views()) ?? [];
      const of = (wanted: string) =>
        views.filter(({ name }) => name === wanted).map(({ schema: _, name: __, ...rest }) => rest);
      expect(of('totals')).toEqual([
        { sql: expect.stringMatching(/^SELECT day, sum\(amount\) AS total FROM default\.orders/) },
      ]);
      expect(of('counted')).toEqual([{ sql: expect.stringContaining('FROM default.orders') }]);
      expect(of('days_of_orders')).toEqual([
        { sql: expect.stringContaining('FROM default.orders') },
        { reads: ['default.days'] },
      ]);
      expect(of('all_orders')).toContainEqual({});
      expect(of('buffered')).toContainEqual({ reads: ['default.orders'] });
      expect(of('orders')).toEqual([{ computed: ['gross'] }, { computed: ['year'] }]);
      expect(views.every(({ name }) => !name.startsWith('.inner'))).toBe(true);
    });
  });

  it('says what the login may do beyond reading', async () => {
    const warnings = await database.warnings();
    expect(warnings).toEqual([expect.stringMatching(/the login default may do more than read, such as \w+ on \*/)]);
    expect(await database.health()).toMatchObject({ status: 'ok', message: expect.stringContaining('more than read') });
  });

  describe('estimates', () => {
    it.each<[sql: string, tables: string[], rows: number | undefined]>([
      ['SELECT * FROM orders', ['orders'], 50_000],
      ['SELECT count() FROM totals', ['totals'], 50_000],
      ['SELECT * FROM log', ['log'], 30],
      ['SELECT 1', [], 0],
      ['SELECT * FROM log AS a CROSS JOIN log AS b', ['log'], 900],
      ['SELECT count() FROM days AS a JOIN days AS b ON a.n < b.n', ['days'], 3_600],
      ['SELECT count() FROM days AS a JOIN days AS b ON a.day = b.day AND a.n > 1', ['days'], 120],
      ['SELECT a FROM log CROSS JOIN (SELECT max(a) AS m FROM log) AS x', ['log'], 60],
      ['SELECT a FROM log CROSS JOIN (SELECT a AS m FROM log LIMIT 10) AS x', ['log'], 300],
      ['SELECT 1 WHERE 5 IN (SELECT a.a FROM log AS a, log AS b)', ['log'], 900],
      [
        'SELECT a FROM log UNION ALL SELECT x.a FROM (SELECT * FROM log UNION ALL SELECT * FROM log) AS x, log AS y',
        ['log'],
        1_800,
      ],
      ['SELECT * FROM rates', ['rates'], undefined],
      ['SELECT * FROM rates, orders', ['rates', 'orders'], undefined],
      ['SELECT * FROM numbers(3)', [], undefined],
      ['WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT * FROM r', [], undefined],
    ])('%s', async (sql, tables, rows) => {
      expect(await database.estimate({ statement: statementOf(sql, tables, database), names: {} })).toBe(rows);
    });

    it('less where the index leaves parts out, and nothing of what may not run', async () => {
      const of = (sql: string, tables: string[]) =>
        database.estimate({ statement: statementOf(sql, tables, database), names: {} });
      const one = await of(`SELECT * FROM orders WHERE day = '2024-01-02' AND id = 1`, ['orders']);
      expect(one).toBeGreaterThan(0);
      expect(one).toBeLessThan(50_000);
      await expect(of('SELECT * FROM orders', ['log'])).rejects.toMatchObject({ code: 'sql_refused' });
    });
  });

  describe('answers', () => {
    it('as standard SQL has it', async () => {
      const sql = `SELECT l.a AS a, p.id AS id, CAST(p.id AS String) AS text FROM log AS l LEFT JOIN hr.people AS p ON p.id = l.a
        ORDER BY a LIMIT 2`;
      expect((await run(sql, ['log', 'hr.people'])).rows).toEqual([
        { a: 0, id: null, text: null },
        { a: 1, id: 1, text: '1' },
      ]);
      expect((await run('SELECT 1 AS a UNION SELECT 1')).rows).toHaveLength(1);
      expect((await run('SELECT 1 AS a EXCEPT SELECT 2')).rows).toHaveLength(1);
    });

    it('over stored states of aggregate functions, and with null for no rows where that is set', async () => {
      const sql = 'SELECT sumMerge(total) AS total FROM states';
      expect((await run(sql, ['states'])).rows).toEqual([{ total: 435 }]);
      const standard = open({ settings: { aggregate_functions_null_for_empty: true } });
      const none = 'SELECT sum(a) AS sum, max(a) AS max, count(a) AS n, uniq(a) AS u FROM log WHERE a > 99';
      expect((await run(none, ['log'], standard)).rows).toEqual([{ sum: null, max: null, n: 0, u: 0 }]);
    });

    it('with totals as the last row', async () => {
      const sql = 'SELECT a % 2 AS odd, count() AS n FROM log GROUP BY odd WITH TOTALS ORDER BY odd';
      expect((await run(sql, ['log'])).rows).toEqual([
        { odd: 0, n: 15 },
        { odd: 1, n: 15 },
        { odd: 0, n: 30 },
      ]);
    });

    it('in the time zone of the options', async () => {
      const vienna = open({ timeZone: 'Europe/Vienna' });
      const sql = `SELECT toDateTime(1709206200) AS a, toDateTime(1709206200, 'Asia/Tokyo') AS b, toHour(a) AS hour`;
      expect((await run(sql, [], vienna)).rows).toEqual([
        { a: '2024-02-29T12:30:00', b: '2024-02-29T11:30:00Z', hour: 12 },
      ]);
      const nowhere = open({ timeZone: 'Nowhere/Else' });
      await expect(run('SELECT 1', [], nowhere)).rejects.toMatchObject({ code: 'datasource_unavailable' });
    });

    it('exactly, whatever the type', async () => {
      const sql = `SELECT toInt128('170141183460469231731687303715884105727') AS a, toDecimal128('3.33333333333333333333', 20) AS b,
        [toDecimal64('19.90', 2)] AS c, map('k', nan) AS d, CAST((1, 'x'), 'Tuple(a Int8, b String)') AS e, unhex('ff00') AS f,
        '{"a":9007199254740993,"b":"1"}'::JSON AS g, toIntervalQuarter(2) AS h, (1.5, 2.5)::Point AS i, sumState(1) AS j`;
      const { rows, notes } = await run(sql);
      expect(rows).toEqual([
        {
          a: '170141183460469231731687303715884105727',
          b: '3.33333333333333333333',
          c: [19.9],
          d: { k: 'NaN' },
          e: { a: 1, b: 'x' },
          f: '/wA=',
          g: { a: '9007199254740993', b: '1' },
          h: 'P6M',
          i: [1.5, 2.5],
          j: '0100000000000000',
        },
      ]);
      expect(notes).toHaveLength(3);
    });
  });

  describe('ends a statement', () => {
    const SLOW = 'SELECT sum(sipHash64(number)) AS atlas_slow FROM numbers(1000000000000)';
    const working = async () => (await server.running()).some((sql) => sql.includes('atlas_slow'));

    it('by KILL QUERY when its reader leaves', async () => {
      const leaving = new AbortController();
      const outcome = database
        .execute(statementOf(SLOW, [], database), leaving.signal)
        .catch((error: unknown) => error);
      // Until it is no longer the check that runs.
      await expect.poll(async () => (await server.running()).includes(SLOW)).toBe(true);
      leaving.abort();
      expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
      await expect.poll(working).toBe(false);
    });

    it('by KILL QUERY when its rows are enough', async () => {
      const sql = 'SELECT number AS atlas_slow FROM numbers(1000000000000)';
      const { rows } = await database.execute({
        ...statementOf(sql, [], database),
        limits: { maxRows: 1_000_000, maxBytes: 100_000, maxCellBytes: 100, timeoutMs: 60_000 },
      });
      expect(rows.length).toBeGreaterThan(1_000);
      await expect.poll(working).toBe(false);
    });

    it('on its own at the time and the memory that it may take', async () => {
      const limits = { maxRows: 10, maxBytes: 1_000, maxCellBytes: 100, timeoutMs: 400 };
      await expect(database.execute({ ...statementOf(SLOW, [], database), limits })).rejects.toMatchObject({
        code: 'sql_timeout',
      });
      const small = open({ maxMemoryMb: 16 });
      await expect(run('SELECT length(groupArray(number)) FROM numbers(10000000)', [], small)).rejects.toThrow(
        'more memory',
      );
      expect((await run('SELECT 1 AS a', [], small)).rows).toEqual([{ a: 1 }]);
    });
  });

  it('says nothing of values that it works out before a statement runs', async () => {
    const word = "(SELECT concat('hunter', toString(max(a))) FROM log)";
    let failed = 0;
    for (const sql of [
      `SELECT sum(a) OVER (ORDER BY a ROWS ${word} PRECEDING) FROM log`,
      `SELECT toInt32(${word}) FROM log`,
      `SELECT a FROM log LIMIT ${word}`,
      `SELECT toDate('2024-01-01') = ${word} FROM log`,
      `SELECT l.a FROM log AS l JOIN log AS m ON ${word}`,
      `SELECT dictGet(${word}, 'x', 1) FROM log`,
      `SELECT nothing, ${word} FROM log`,
      `SELECT a, ${word} + 1 FROM log GROUP BY 2`,
      `SELECT tupleElement((1, 2), ${word}) FROM log`,
      `SELECT CAST(1 AS Decimal(1, 0)) + ${word} FROM log`,
      `SELECT toDateTime(1, ${word}) FROM log`,
      `SELECT parseDateTime(concat('hunter', toString(a)), '%Y') FROM log`,
      `SELECT dateDiff(concat('hunter', toString(a)), now(), now()) FROM log`,
      `SELECT JSONExtract('{}', ${word}) FROM log`,
      `SELECT arrayReduce(${word}, [1]) FROM log`,
    ]) {
      // Some of them run: a text that is no number is null where it may be.
      const outcome = await run(sql, ['log']).catch((error: unknown) => error);
      if (!(outcome instanceof AtlasError)) continue;
      failed += 1;
      expect(outcome.message, sql).not.toContain('hunter');
    }
    expect(failed).toBeGreaterThan(6);
  });

  it('says what is wrong with the login', async () => {
    const stranger = open({ url: server.url.replace(server.password, 'wrong') });
    await expect(run('SELECT 1', [], stranger)).rejects.toThrow('user and password');
    const nowhere = open({ url: server.url.replace(/default$/, 'nothing') });
    await expect(run('SELECT 1', [], nowhere)).rejects.toThrow('no such database');
  });
});
