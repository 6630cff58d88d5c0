/** Tests the layer that is made of awkward databases: keys, joins, types, and that every table can be asked. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckdbFolder } from '../../../test/harness/duckdb.ts';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../../test/harness/mariadb.ts';
import { type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';
import { type ProfiledLayer, profiledLayer } from '../../../test/harness/profiled-layer.ts';
import { suiteNeeding } from '../../../test/harness/require.ts';
import { offlineReader } from '../../model-offline/index.ts';
import { AWKWARD, AWKWARD_POSTGRES } from './awkward.fixture.ts';

const { readQuestion } = await offlineReader();

const keys = (layer: ProfiledLayer, name: string) =>
  layer.entity(name).dimensions.flatMap((dimension) => (dimension.primary_key === true ? [dimension.name] : []));
const dimension = (layer: ProfiledLayer, entity: string, name: string) =>
  layer.entity(entity).dimensions.find((one) => one.name === name);
const types = (layer: ProfiledLayer, name: string) =>
  Object.fromEntries(layer.entity(name).dimensions.map((one) => [one.name, one.type]));
const measures = (layer: ProfiledLayer, name: string) => layer.entity(name).measures.map((one) => one.name);

/** Types that the engine can compare, so that rows can be grouped by them. */
const canGroup = ({ type }: { readonly type: string }) => type !== 'json';

/** Asks every entity for its number of rows by some columns, and every question of the catalog. */
async function askAll(layer: ProfiledLayer, without: readonly string[] = []) {
  expect(layer.model.problems).toEqual([]);
  for (const { name, dimensions } of layer.model.entities) {
    const groups = dimensions
      .filter((one) => one.hidden !== true && canGroup(one) && !without.includes(`${name}.${one.name}`))
      .slice(0, 20)
      .map((one) => ({ dimension: `${name}.${one.name}` }));
    const rows = layer.run({ measures: [`${name}.count`], dimensions: groups });
    await expect(rows, name).resolves.toBeInstanceOf(Array);
  }
  const catalog = layer.files.get('catalog.yml') as { entities: { name: string; common_questions?: string[] }[] };
  const questions = catalog.entities.flatMap(({ common_questions = [] }) => common_questions);
  expect(questions.length).toBeGreaterThanOrEqual(catalog.entities.length / 2);
  for (const question of questions) {
    const reading = readQuestion([question], layer.model, { now: new Date() });
    if (reading.kind !== 'plan') throw new Error(`${question}: ${JSON.stringify(reading)}`);
    expect(await layer.run(reading.plan), question).toBeInstanceOf(Array);
  }
}

describe('PostgreSQL', () => {
  let server: PostgresServer;
  let layer: ProfiledLayer;
  beforeAll(async () => {
    server = await startPostgres();
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query(AWKWARD_POSTGRES);
    await client.end();
    layer = await profiledLayer(server.url);
  }, 120_000);
  afterAll(async () => {
    await layer?.[Symbol.asyncDispose]();
    await server?.stop();
  });

  it('every table can be read and asked', { timeout: 60_000 }, async () => {
    expect(layer.profiles.filter(({ failure }) => failure !== undefined)).toEqual([]);
    // PostgreSQL itself cannot compare these.
    await askAll(layer, ['intervals.doc', 'sensors.location', 'sensors.area']);
  });

  it('partitions, other schemas and system tables have no entity; every kind of view is one', () => {
    const tables = layer.model.entities.map(({ table }) => table);
    expect(tables).toHaveLength(layer.profiles.length);
    expect(
      tables.filter((table) => /^(measurements|countries|pg_|big_orders|daily_orders)/.test(table)).sort(),
    ).toEqual(['big_orders', 'daily_orders', 'measurements']);
    expect(['big_orders', 'daily_orders'].map((name) => layer.model.entity(name)?.type)).toEqual(['view', 'view']);
  });

  it('has the declared keys, single and composite, and no other', () => {
    expect(keys(layer, 'order_lines')).toEqual(['order_id', 'line_no']);
    expect(keys(layer, 'measurements').sort()).toEqual(['at', 'sensor_id']);
    expect(keys(layer, 'select')).toEqual(['from']);
    expect(keys(layer, 'keyless')).toEqual([]);
    expect(keys(layer, 'logs')).toEqual([]);
    expect(layer.entity('order_lines').grain).toBe('one row per order and line');
    expect(layer.entity('customers').grain).toBe('one row per customer');
  });

  it('has the declared foreign keys as joins, by unique keys to one', () => {
    expect(layer.joins('orders')).toEqual(['CustomerId -> customers.id many_to_one']);
    expect(layer.joins('customer_details')).toEqual(['customer_id -> customers.id one_to_one']);
    expect(layer.joins('customer_cards')).toEqual(['customer_id -> customers.id one_to_one']);
    expect(layer.joins('passports')).toEqual(['customer_id -> customers.id one_to_one']);
    // Unique among some rows only, or with an expression.
    expect(layer.joins('current_logins')).toEqual(['customer_id -> customers.id many_to_one']);
    expect(layer.joins('line_notes')).toEqual(['order_id,line_no -> order_lines.order_id,line_no many_to_one']);
    expect(layer.joins('user')).toEqual(['manager: manager_id -> user.id many_to_one']);
    expect(layer.joins('flights').sort()).toEqual([
      'destination: destination -> airports.code many_to_one',
      'origin: origin -> airports.code many_to_one',
    ]);
    expect(layer.joins('chickens')).toEqual(['first_egg_id -> eggs.id many_to_one']);
    expect(layer.joins('eggs')).toEqual(['laid_by -> chickens.id many_to_one']);
    expect(dimension(layer, 'orders', 'customer_id')).toMatchObject({ nullable: false, references: 'customers.id' });
    expect(dimension(layer, 'customers', 'country')).toMatchObject({
      nullable: true,
      references: 'elsewhere.countries.code',
    });
  });

  it('infers joins from names and values', () => {
    expect(layer.joins('order_lines')).toContain('product_code -> products.code many_to_one');
    expect(layer.joins('subscriptions')).toEqual([
      'customer -> customers.id many_to_one',
      'plan_id -> plans.id many_to_one',
    ]);
    expect(layer.joins('deliveries')).toEqual([
      'billing_address: billing_address_id -> addresses.id many_to_one',
      'shipping_address: shippingAddressId -> addresses.id many_to_one',
      'id_plan -> plans.id many_to_one',
    ]);
    expect(layer.joins('book_copies')).toEqual(['isbn -> books.isbn many_to_one']);
    expect(layer.joins('categories')).toEqual(['parent: parent_id -> categories.id many_to_one']);
    expect(layer.joins('invoice_payments')).toEqual(['company,number -> invoices.company,number many_to_one']);
    expect(layer.joins('big_orders')).toContain('customer_id -> customers.id many_to_one');
  });

  it('infers none from equal numbers, other values or words of SQL', () => {
    for (const name of ['unrelated_one', 'unrelated_two', 'select', 'keyless', 'daily_orders', 'people']) {
      expect([name, layer.joins(name)]).toEqual([name, []]);
    }
    expect(layer.joins('deliveries').join()).not.toContain('courier');
  });

  it('knows the type of each column', () => {
    expect(types(layer, 'customers')).toMatchObject({ tags: 'string', settings: 'json', mood: 'string' });
    expect(dimension(layer, 'customers', 'mood')).toMatchObject({
      description: 'How they were when they called',
      sample_values: ['happy', 'ok', 'sad'],
      unique_count: 3,
      null_count: 0,
    });
    expect(types(layer, 'intervals')).toMatchObject({
      took: 'string',
      kind: 'string',
      during: 'string',
      doc: 'string',
    });
    expect(types(layer, 'sensors')).toMatchObject({ location: 'string', window_open: 'boolean' });
    expect(dimension(layer, 'people', 'password')).toMatchObject({ hidden: true });
    expect(dimension(layer, 'people', 'password')).not.toHaveProperty('unique_count');
    expect(dimension(layer, 'people', 'e_mail')).not.toHaveProperty('sample_values');
  });

  it('tells facts from dimensions, and has measures that make sense', () => {
    const typeOf = (name: string) => layer.model.entity(name)?.type;
    expect(['orders', 'order_lines', 'invoices', 'deliveries', 'measurements'].map(typeOf)).toEqual(
      Array.from({ length: 5 }, () => 'fact'),
    );
    expect(['customers', 'products', 'plans', 'airports', 'categories'].map(typeOf)).toEqual(
      Array.from({ length: 5 }, () => 'dimension'),
    );
    expect(measures(layer, 'orders')).toEqual([
      'order_count',
      'order_total_amount',
      'average_total_amount',
      'order_customers',
    ]);
    expect(measures(layer, 'products')).toEqual(['product_count', 'average_price', 'average_rating']);
    expect(measures(layer, 'order_lines')).toContain('total_order_line_value');
    expect(measures(layer, 'wide').length).toBeLessThan(100);
  });

  it('has a file of metrics for each fact, and the words that several tables share as ambiguous terms', () => {
    const { metrics } = layer.files.get('metrics/orders.yml') as { metrics: { id: string }[] };
    expect(metrics.map(({ id }) => id)).toEqual(['order_count', 'order_total_amount', 'order_customers']);
    const { terms } = layer.files.get('glossary.yml') as { terms: { term: string; meanings: { name: string }[] }[] };
    const words = terms.map(({ term }) => term);
    expect(words).toEqual(expect.arrayContaining(['amount', 'date', 'state', 'status']));
    expect(words.filter((word) => /^(id|name|at|title|note|code|number|c\d+)$/.test(word))).toEqual([]);
    expect(terms.find(({ term }) => term === 'status')?.meanings.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['order status', 'delivery status', 'customer status', 'invoice status']),
    );
  });

  it('asks what an ambiguous word means only where nothing says it', () => {
    const kind = (question: string) => readQuestion([question], layer.model, { now: new Date() }).kind;
    expect(kind('How many orders are there by status?')).toBe('plan');
    expect(kind('What is the total amount of deliveries?')).toBe('plan');
    expect(kind('What is the total amount?')).toBe('clarify');
  });

  it('is the same each time', { timeout: 60_000 }, async () => {
    await using again = await profiledLayer(server.url);
    expect(JSON.stringify([...again.files])).toBe(JSON.stringify([...layer.files]));
  });

  it('reads a large table at random places only, each time the same', {
    timeout: 120_000,
  }, async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query(`CREATE SCHEMA big; CREATE TABLE big.events (kind text, amount int, day date);
      INSERT INTO big.events SELECT (ARRAY['click', 'view', 'buy'])[1 + n % 3], n, '2025-01-01' FROM generate_series(1, 300000) n;
      CREATE TABLE big.visits (id int PRIMARY KEY, seen_at timestamptz, until date);
      INSERT INTO big.visits SELECT n, '2024-01-01 09:30:00Z'::timestamptz + n * interval '1 hour', 'infinity' FROM generate_series(0, 4999) n;
      ANALYZE big.events; CREATE VIEW big.slow AS SELECT pg_sleep(20)::text AS waited`);
    const reads = () =>
      client
        .query(`SELECT seq_tup_read::int AS n FROM pg_stat_user_tables WHERE relname = 'events'`)
        .then(({ rows }) => rows[0].n);
    const before = await reads();
    await using one = await profiledLayer(server.url, { schema: 'big' });
    await using two = await profiledLayer(server.url, { schema: 'big' });
    expect(dimension(one, 'events', 'kind')).toMatchObject({ sample_values: ['buy', 'click', 'view'] });
    expect(dimension(one, 'events', 'kind')).not.toHaveProperty('unique_count');
    expect(dimension(one, 'events', 'day')).not.toHaveProperty('range');
    // The estimate of the engine.
    expect(one.model.entity('events')?.rowCount).toBe(300_000);
    expect(one.model.entity('visits')?.rowCount).toBe(5_000);
    expect(dimension(one, 'visits', 'seen_at')).toMatchObject({
      range: ['2024-01-01T09:30:00', '2024-07-27T16:30:00'],
    });
    expect(dimension(one, 'visits', 'until')).not.toHaveProperty('range');
    expect([...two.files]).toEqual([...one.files]);
    // A view that takes long is no failure.
    expect(one.entity('slow').dimensions).toEqual([{ name: 'waited', type: 'string', nullable: true }]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await reads()) - before).toBeLessThan(150_000);
    await client.end();
  });
});

interface Engine {
  readonly url: string;
  close(): Promise<void> | void;
}

const openSqlite = (): Engine => {
  const path = join(tmpdir(), `atlas-awkward-${process.pid}.db`);
  const db = new Sqlite(path);
  db.exec(AWKWARD.sqlite);
  db.close();
  return { url: `sqlite:${path}`, close: () => rmSync(path) };
};

async function openDuckdb(): Promise<Engine> {
  const folder = new DuckdbFolder();
  const path = await folder.create('awkward.duckdb', AWKWARD.duckdb);
  return { url: `duckdb:${path}`, close: () => folder[Symbol.dispose]() };
}

async function openMariaDb(): Promise<Engine> {
  const server: MariaDbServer = await startMariaDb();
  const connection = await createConnection({ uri: server.url, multipleStatements: true });
  await connection.query(AWKWARD.mysql);
  await connection.end();
  return { url: server.url, close: () => server.stop() };
}

const mariaDb = suiteNeeding('mysql', findMariaDb() !== undefined, INSTALL_MARIADB);

for (const [name, suite, open] of [
  ['SQLite', describe, openSqlite],
  ['DuckDB', describe, openDuckdb],
  ['MariaDB', mariaDb, openMariaDb],
] as const) {
  suite(name, () => {
    let engine: Engine;
    let layer: ProfiledLayer;
    beforeAll(async () => {
      engine = await open();
      layer = await profiledLayer(engine.url);
    }, 120_000);
    afterAll(async () => {
      await layer?.[Symbol.asyncDispose]();
      await engine?.close();
    });

    it('every table can be read and asked', { timeout: 60_000 }, async () => {
      expect(layer.profiles.filter(({ failure }) => failure !== undefined)).toEqual([]);
      await askAll(layer);
    });

    it('has keys, joins and types', () => {
      expect(keys(layer, 'order_lines')).toEqual(['order_id', 'line_no']);
      expect(keys(layer, 'keyless')).toEqual([]);
      expect(layer.joins('orders')).toEqual(['CustomerId -> customers.id many_to_one']);
      expect(layer.joins('customer_cards')).toEqual(['customer_id -> customers.id one_to_one']);
      expect(layer.joins('passports')).toEqual(['customer_id -> customers.id one_to_one']);
      expect(layer.joins('line_notes')).toEqual(['order_id,line_no -> order_lines.order_id,line_no many_to_one']);
      expect(layer.joins('user')).toEqual(['manager: manager_id -> user.id many_to_one']);
      expect(layer.joins('deliveries')).toEqual([
        'billing_address: billing_address_id -> addresses.id many_to_one',
        'shipping_address: shippingAddressId -> addresses.id many_to_one',
        'id_plan -> plans.id many_to_one',
      ]);
      expect(layer.joins('book_copies')).toEqual(['isbn -> books.isbn many_to_one']);
      expect(layer.joins('unrelated_one')).toEqual([]);
      expect(dimension(layer, 'orders', 'customer_id')).toMatchObject({ nullable: false, references: 'customers.id' });
      expect(types(layer, 'odd_types')).toMatchObject({ kind: 'string', paid: 'boolean', on_day: 'date' });
      // MariaDB calls JSON a long text.
      expect(types(layer, 'odd_types').doc).toBe(name === 'MariaDB' ? 'string' : 'json');
      expect(layer.model.entity('big_orders')?.type).toBe('view');
      expect(layer.entity('select').dimensions.map((one) => one.name)).toContain('from');
    });

    it('counts the rows of tables that were read in part, and knows the ranges of their times', () => {
      expect(layer.model.entity('visits')?.rowCount).toBe(1_200);
      expect(dimension(layer, 'visits', 'on_day')).toMatchObject({ range: ['2024-01-01', '2027-04-14'] });
      expect(dimension(layer, 'visits', 'seen_at')).toMatchObject({
        range: [expect.stringMatching(/^2024-01-01.09:30:00$/), expect.stringMatching(/^2027-04-14.09:30:00$/)],
      });
    });

    it('is the same each time', { timeout: 60_000 }, async () => {
      await using again = await profiledLayer(engine.url);
      expect(JSON.stringify([...again.files])).toBe(JSON.stringify([...layer.files]));
    });
  });
}

it('finds the keys and joins of imported files, which declare none', { timeout: 60_000 }, async () => {
  using folder = new DuckdbFolder();
  const path = await folder.create(
    'files.duckdb',
    `CREATE TABLE customers AS SELECT n AS customer_id, 'Name ' || n AS name FROM range(1, 3001) t(n);
     CREATE TABLE orders AS SELECT n AS id, 1 + n % 3000 AS customer_id, n * 1.5 AS amount, DATE '2025-01-01' AS day FROM range(1, 5001) t(n);
     CREATE TABLE products AS SELECT 'P' || n AS sku, 'x' AS title FROM range(1, 50) t(n);
     CREATE TABLE order_lines AS SELECT 1 + n // 3 AS order_id, n % 3 AS line_no, 'P' || (1 + n % 49) AS sku, n % 5 AS quantity FROM range(1, 2000) t(n);
     CREATE TABLE tags AS SELECT 1 + n % 10 AS id, 'x' AS word FROM range(1, 40) t(n);`,
  );
  await using layer = await profiledLayer(`duckdb:${path}`);
  expect(['customers', 'orders', 'order_lines', 'tags'].map((name) => keys(layer, name))).toEqual([
    ['customer_id'],
    ['id'],
    ['order_id', 'line_no'],
    [],
  ]);
  expect(layer.joins('orders')).toEqual(['customer_id -> customers.customer_id many_to_one']);
  expect(layer.joins('order_lines')).toEqual(['order_id -> orders.id many_to_one']);
  await askAll(layer);
});

it('refers to tables of the same family first, unless the first word is a table itself', {
  timeout: 60_000,
}, async () => {
  const path = join(tmpdir(), `families-${process.pid}.db`);
  const db = new Sqlite(path);
  db.exec(`CREATE TEMP TABLE series AS WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 600)
    SELECT value FROM n`);
  for (const name of ['accounts', 'billing_accounts', 'orders', 'products', 'order_products']) {
    db.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, label TEXT)`);
    db.exec(`INSERT INTO ${name} SELECT value, 'x' FROM series WHERE value <= 60`);
  }
  db.exec(`CREATE TABLE billing_invoices (id INTEGER PRIMARY KEY, account_id INTEGER, invoice_id INTEGER);
    CREATE TABLE billing_lines (id INTEGER PRIMARY KEY, invoice_id INTEGER);
    CREATE TABLE order_items (id INTEGER PRIMARY KEY, order_id INTEGER, product_id INTEGER);
    CREATE TABLE order_notes (id INTEGER PRIMARY KEY, order_id INTEGER);
    INSERT INTO billing_invoices SELECT value, value % 50 + 1, value FROM series WHERE value <= 300;
    INSERT INTO billing_lines SELECT value, value % 300 + 1 FROM series WHERE value <= 600;
    INSERT INTO order_items SELECT value, value % 50 + 1, value % 60 + 1 FROM series WHERE value <= 300;
    INSERT INTO order_notes SELECT value, value % 50 + 1 FROM series WHERE value <= 300`);
  db.close();
  try {
    await using layer = await profiledLayer(`sqlite:${path}`);
    const joins = ['billing_invoices', 'billing_lines', 'order_items', 'order_notes'].map((name) => layer.joins(name));
    expect(joins).toEqual([
      ['account_id -> billing_accounts.id many_to_one'],
      ['invoice_id -> billing_invoices.id many_to_one'],
      ['order_id -> orders.id many_to_one', 'product_id -> products.id many_to_one'],
      ['order_id -> orders.id many_to_one'],
    ]);
  } finally {
    rmSync(path);
  }
});
