/**
 * Each flavor over a real PostgreSQL, behind a relay that refuses what the engine's documentation leaves out and has the
 * engine's own catalogues. What only the engine itself could show, its own planner and storage, is recorded or not tried.
 */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Ask } from '../../test/harness/ask.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { PostgresDriver } from './driver.ts';
import { ENGINES, type EngineDatabase, startEngine } from './fixtures/engines.ts';
import { flavorNamed } from './flavors/flavors.ts';
import { datasourcePostgres } from './index.ts';

const TABLES = `CREATE TABLE customers (id int PRIMARY KEY, name varchar(50) NOT NULL, tenant text);
  COMMENT ON TABLE customers IS 'Who buys'; COMMENT ON COLUMN customers.name IS 'In full';
  CREATE TABLE orders (id int, part int, customer int REFERENCES customers, total numeric(8,2), placed timestamp,
    PRIMARY KEY (part, id));
  INSERT INTO customers SELECT n, 'c' || n, CASE n % 2 WHEN 0 THEN 'oak' ELSE 'elm' END FROM generate_series(1, 40) AS n;
  INSERT INTO orders SELECT n, 1, 1 + n % 40, n, timestamp '2024-01-01' + n * interval '1 day' FROM generate_series(1, 400) AS n;
  CREATE VIEW big AS SELECT id FROM orders WHERE total > 100;
  CREATE SCHEMA hidden; CREATE TABLE hidden.secrets (id int);
  DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader') THEN
    CREATE ROLE reader LOGIN PASSWORD 'x'; END IF; END $$;
  GRANT SELECT ON customers, orders, big TO reader; GRANT INSERT ON orders TO reader; ANALYZE`;

/** Plans of engines whose planner is not there, as their documentation shows them. */
const recorded = (plan: object): [RegExp, string] => [
  /^EXPLAIN \(VERBOSE, FORMAT JSON\) (?=SELECT count)[\s\S]*$/,
  `SELECT '${JSON.stringify([{ Plan: plan }])}'`,
];
const scan = (kind: string, rows: number, more: object = {}) => ({
  'Node Type': kind,
  'Plan Rows': rows,
  'Relation Name': 'orders',
  Schema: 'public',
  Alias: 'orders',
  ...more,
});
const PLANS: Readonly<Record<string, object>> = {
  alloydb: scan('Custom Scan', 3, { 'Custom Plan Provider': 'columnar scan' }),
  citus: { 'Node Type': 'Custom Scan', 'Plan Rows': 100_000, 'Custom Plan Provider': 'Citus Adaptive' },
  timescaledb: scan('Custom Scan', 3, { 'Custom Plan Provider': 'DecompressChunk', Plans: [scan('Seq Scan', 7)] }),
  yugabytedb: scan('YB Seq Scan', 3, { 'Storage Filter': '(total > 1)' }),
};
/** By the plans above, of 400 rows. */
const ESTIMATES: Readonly<Record<string, number | undefined>> = {
  alloydb: 400,
  citus: undefined,
  cockroachdb: 125_000,
  materialize: undefined,
  redshift: 400,
  timescaledb: 400_003,
  yugabytedb: 400,
};

let server: PostgresServer;
const engines = new Map<string, EngineDatabase>();
const names = Object.keys(ENGINES);

beforeAll(async () => {
  server = await startPostgres();
  for (const name of names) {
    const plan = PLANS[name];
    engines.set(name, await startEngine(server, name, TABLES, plan === undefined ? [] : [recorded(plan)]));
  }
}, 120_000);
afterAll(async () => {
  for (const engine of engines.values()) await engine[Symbol.asyncDispose]();
  await server.stop();
});

const at = (name: string) => engines.get(name)!;
const readerUrl = (name: string) => at(name).relay.url.replace('postgres:atlas@', 'reader:x@');
const ask = (name: string, flavor: string | null = name, url = readerUrl(name)) =>
  new Ask(new PostgresDriver({ id: 'shop', url, ...(flavor && { flavor }), connectTimeoutMs: 5_000 } as never), {
    maxConnections: 1,
  });

describe.each(names)('%s', (name) => {
  it('describes what the login may read, with keys, and nothing of its own', async () => {
    await using shop = ask(name);
    expect(shop.database.info.dbType).toBe(name);
    const tables = await shop.database.describe();
    expect(tables.map((table) => `${table.schema}.${table.name} ${table.kind}`)).toEqual([
      'public.big view',
      'public.customers table',
      'public.orders table',
    ]);
    const [, customers, orders] = tables;
    expect(customers?.columns).toMatchObject([
      { name: 'id', type: 'integer', nullable: false },
      { name: 'name', type: expect.stringMatching(/^character varying/), nullable: false },
      { name: 'tenant', type: 'text', nullable: true },
    ]);
    const hasKeys = name !== 'materialize';
    expect(orders?.primaryKey).toEqual(hasKeys ? ['part', 'id'] : []);
    expect(orders?.foreignKeys).toEqual(
      hasKeys ? [{ columns: ['customer'], table: 'customers', references: ['id'] }] : [],
    );
    const [comment, remark] = [customers?.comment, customers?.columns[1]?.comment];
    expect([comment, remark]).toEqual(hasKeys ? ['Who buys', 'In full'] : [undefined, undefined]);
    expect(orders?.estimatedRows).toBe(hasKeys ? 400 : undefined);
  });

  it('tells what is behind a view, and what the login may do beyond reading', async () => {
    await using shop = ask(name);
    const views = await shop.database.views();
    expect(views?.find((view) => view.name === 'big')?.sql).toMatch(/FROM orders/);
    const warnings = await shop.database.warnings();
    expect(warnings).toEqual([
      expect.stringMatching(/the login reader may write to the table public\.orders; leave it/),
    ]);
    await using owner = ask(name, name, at(name).relay.url);
    expect(await owner.database.warnings()).toEqual([expect.stringContaining('is a superuser')]);
  });

  it('estimates what a statement reads, or says that it cannot', async () => {
    await using shop = ask(name);
    const sql = 'SELECT count(*) FROM orders WHERE total > 390';
    const statement = { connection: shop.database.info, requested: sql, sql, params: [], surface: 'test', tables: [] };
    expect(await shop.database.estimate({ statement, names: {} })).toBe(ESTIMATES[name]);
    expect(await shop.value('SELECT 1')).toBe(1);
  });

  it('runs in a read-only transaction, stops what is cancelled, and leaves nothing in the session', async () => {
    const { relay, admin } = at(name);
    await using shop = ask(name, name, relay.url);
    const pid = await shop.value('SELECT pg_backend_pid()');
    for (const write of [`SELECT setval('s', 5)`, 'WITH x AS (DELETE FROM orders RETURNING 1) SELECT * FROM x']) {
      await admin.query('CREATE SEQUENCE IF NOT EXISTS s');
      expect((await shop.error(write)).code).toBe('sql_refused');
    }
    const before = relay.cancels;
    const leaving = new AbortController();
    const slow = shop.error('SELECT pg_sleep(30)', [], { signal: leaving.signal });
    await expect.poll(() => relay.statements.some((sql) => sql.includes('pg_sleep'))).toBe(true);
    leaving.abort();
    expect((await slow).code).toBe('sql_cancelled');
    await expect.poll(() => relay.cancels).toBeGreaterThan(before);
    expect((await shop.error('SELECT pg_sleep(30)', [], { limits: { timeoutMs: 200 } })).code).toBe('sql_timeout');
    await shop.value(`SELECT set_config('application_name', 'left', false), pg_advisory_lock(7)`);
    expect(await shop.value(`SELECT current_setting('application_name')`)).toBe('atlas');
    expect(await shop.value('SELECT pg_backend_pid()')).toBe(pid);
    expect(relay.statements.filter((sql) => /^(?:DISCARD|RESET) ALL$/.test(sql)).length).toBeGreaterThan(2);
  });

  it('keeps row security where a condition can fail, or refuses', async () => {
    using layer = layerFolder({
      'entities/customers.yml':
        'table: customers\ndimensions:\n  - { name: id }\n  - { name: name }\n  - { name: tenant }\n',
    });
    await using app = await createTestApp({
      plugins: [
        semanticLayer({ dir: layer.dir }),
        sqlGuard(),
        rowSecurity({ column: 'tenant', claim: 'tenant' }),
        datasourcePostgres({ connections: [{ id: 'default', url: `${readerUrl(name)}?flavor=${name}` }] }),
      ],
    });
    const actor = { id: 'u', label: 'u', role: 'analyst', mode: 'test', claims: { tenant: 'oak' } } as const;
    const run = (sql: string) => app.runSql({ sql, surface: 'test' }, app.scope({ actor }));
    expect((await run('SELECT count(*) AS n FROM customers WHERE id > 0')).result.rows).toEqual([{ n: 20 }]);
    // Fails for a row of the other tenant.
    const probe = run('SELECT count(*) AS n FROM customers WHERE 1 / (id - 1) < 2');
    if (flavorNamed(name)?.dialect.optimizationFence === undefined) {
      await expect(probe).rejects.toMatchObject({ code: 'sql_refused', reason: 'E_SQL_UNCHECKED' });
    } else {
      expect((await probe).result.rows).toEqual([{ n: 20 }]);
      expect(at(name).relay.statements.join('\n')).toContain(flavorNamed(name)!.dialect.optimizationFence);
    }
  });
});

describe('a server that says what it is', () => {
  test.each(['cockroachdb', 'materialize', 'redshift', 'yugabytedb'])('%s is not read as PostgreSQL', async (name) => {
    await using shop = ask(name, null);
    const error = await shop.error('SELECT 1');
    expect(error.code).toBe('datasource_unavailable');
    expect(error.message).toContain(flavorNamed(name)?.dialect.label);
    expect(error.hint).toContain(`flavor=${name}`);
    await using byUrl = ask(name, null, `${readerUrl(name)}?flavor=${name}`);
    expect(await byUrl.value('SELECT 1')).toBe(1);
  });

  it('is read as the option says, which goes before the URL, and as no other engine', async () => {
    await using shop = ask('yugabytedb', 'yugabytedb', `${readerUrl('yugabytedb')}?flavor=citus`);
    expect([shop.database.info.dbType, await shop.value('SELECT 1')]).toEqual(['yugabytedb', 1]);
    await using wrong = ask('yugabytedb', 'citus');
    expect(await wrong.error('SELECT 1')).toMatchObject({
      code: 'datasource_unavailable',
      hint: expect.stringContaining('flavor=yugabytedb'),
    });
  });
});

test.each([
  ['cockroachdb', [1, 2]],
  ['materialize', '{1,2}'],
  ['redshift', '{1,2}'],
])('%s: a type that is not built in is looked up where the catalogue tells, else a text', async (name, value) => {
  await using shop = ask(name);
  expect(await shop.value('SELECT ARRAY[1, 2]')).toEqual(value);
});

test('Citus: workers are told how to print, and estimates of distributed tables are left out', async () => {
  const { relay, admin } = at('citus');
  await admin.query(`INSERT INTO pg_dist_partition VALUES ('orders')`);
  await using shop = ask('citus');
  expect(await shop.table('orders')).not.toHaveProperty('estimatedRows');
  expect((await shop.table('customers'))?.estimatedRows).toBe(40);
  await shop.value('SELECT 1');
  const from = relay.statements.lastIndexOf(`SET LOCAL citus.propagate_set_commands = 'local'`);
  expect(relay.statements.slice(from + 1)).toContain(`SET LOCAL TimeZone = 'UTC'`);
});

test('CockroachDB: hidden columns and keys of them are left out', async () => {
  await at('cockroachdb').admin.query(
    `CREATE TABLE loose (a int, rowid int PRIMARY KEY); GRANT SELECT ON loose TO reader`,
  );
  await using shop = ask('cockroachdb');
  expect(await shop.table('loose')).toMatchObject({ columns: [{ name: 'a' }], primaryKey: [] });
});

test('TimescaleDB: chunks belong to their hypertable, and a continuous aggregate to what it was made of', async () => {
  await at('timescaledb').admin.query(`CREATE TABLE readings (at timestamptz, v int);
    CREATE TABLE _timescaledb_internal._hyper_1_1_chunk () INHERITS (readings);
    INSERT INTO _timescaledb_internal._hyper_1_1_chunk SELECT now(), n FROM generate_series(1, 70) AS n;
    CREATE TABLE _timescaledb_internal._materialized_hypertable_2 (day timestamptz, v int);
    CREATE VIEW daily AS SELECT * FROM _timescaledb_internal._materialized_hypertable_2;
    INSERT INTO timescaledb_information.hypertables VALUES ('public', 'readings');
    INSERT INTO timescaledb_information.continuous_aggregates VALUES ('public', 'daily', '_timescaledb_internal',
      '_materialized_hypertable_2', ' SELECT time_bucket(''1 day'', at) AS day, sum(v) FROM readings GROUP BY 1;');
    GRANT SELECT ON readings, daily TO reader; ANALYZE`);
  await using shop = ask('timescaledb');
  const tables = await shop.database.describe();
  expect(tables.map((table) => table.name)).toEqual(['big', 'customers', 'daily', 'orders', 'readings']);
  expect(tables.at(-1)?.estimatedRows).toBe(70);
  const views = (await shop.database.views()) ?? [];
  for (const made of ['daily', '_materialized_hypertable_2']) {
    expect(views.filter((view) => view.name === made).map(({ sql }) => sql)).toEqual([
      expect.stringMatching(/ FROM readings GROUP BY 1$/),
    ]);
  }
  expect(views.find((view) => view.name === '_hyper_1_1_chunk')?.partOf).toEqual(['public.readings']);
});

test('YugabyteDB: a table without statistics is not estimated', async () => {
  await at('yugabytedb').admin.query('CREATE TABLE fresh (id int); GRANT SELECT ON fresh TO reader');
  await using shop = ask('yugabytedb');
  expect(await shop.table('fresh')).not.toHaveProperty('estimatedRows');
  const sql = 'SELECT id FROM fresh';
  const statement = { connection: shop.database.info, requested: sql, sql, params: [], surface: 'test', tables: [] };
  expect(await shop.database.estimate({ statement, names: {} })).toBeUndefined();
});
