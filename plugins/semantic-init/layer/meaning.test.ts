/** Tests which measures, labels, joins, segments and names `init` makes of columns that are easily misunderstood. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';
import { type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';
import { type ProfiledLayer, profiledLayer } from '../../../test/harness/profiled-layer.ts';

let server: PostgresServer;
let layer: ProfiledLayer;

beforeAll(async () => {
  server = await startPostgres();
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(`
    CREATE TABLE order_statuses (code text PRIMARY KEY, label text);
    INSERT INTO order_statuses VALUES ('n', 'New'), ('p', 'Paid');
    CREATE TABLE employees (id integer PRIMARY KEY, full_name text);
    INSERT INTO employees SELECT n, 'Person ' || n FROM generate_series(1, 30) n;
    CREATE TABLE products (id integer PRIMARY KEY, sku text UNIQUE, name text, price_cents integer, margin integer,
      reorder_point integer, stock_on_hand integer);
    COMMENT ON COLUMN products.margin IS 'in basis points';
    INSERT INTO products SELECT n, 'SKU-' || n, 'Product ' || n, 100 * n, 1000, 20, n FROM generate_series(1, 40) n;
    CREATE TABLE orders (id integer PRIMARY KEY, status text, order_day integer, paid_ts bigint, priority smallint,
      kind_code integer, freight_cents integer, total numeric, rep integer, deleted_at timestamptz);
    COMMENT ON COLUMN orders.kind_code IS '1 = consumer, 2 = business';
    COMMENT ON COLUMN orders.rep IS 'refers to employees.id';
    INSERT INTO orders SELECT n, (ARRAY['n', 'p'])[1 + n % 2], 20240100 + n % 28 + 1, 1704067200 + n * 60, 1 + n % 3,
      1 + n % 2, n, n, 1 + n % 30 FROM generate_series(1, 300) n;
    CREATE TABLE "order" (id integer PRIMARY KEY, remark text);
    INSERT INTO "order" SELECT n, 'x' FROM generate_series(1, 12) n;
    CREATE TABLE orders_backup_20240101 AS SELECT id, status, total FROM orders;
    CREATE TABLE page_views (id integer PRIMARY KEY, product_sku text, session_id text, http_status integer);
    INSERT INTO page_views SELECT n, 'SKU-' || (1 + n % 40), md5(n::text), 200 FROM generate_series(1, 200) n;
    CREATE TABLE tickets (id integer PRIMARY KEY, assignee_id integer, csat smallint, opened_at timestamptz);
    INSERT INTO tickets SELECT n, 1 + n % 30, 1 + n % 5, now() FROM generate_series(1, 100) n;
    CREATE TABLE account_balances (account integer, as_of date, balance_cents bigint, PRIMARY KEY (account, as_of));
    INSERT INTO account_balances SELECT a, date '2025-01-01' + d, 100 * a FROM generate_series(1, 5) a, generate_series(0, 9) d;
    CREATE TABLE positions (id integer PRIMARY KEY, taken date, worth numeric);
    COMMENT ON COLUMN positions.worth IS 'closing value; never add values of different days';
    CREATE TABLE subscriptions (id integer PRIMARY KEY, plan text, cancelled_on date, newsletter_opt_in boolean,
      refund_amount numeric);
    INSERT INTO subscriptions SELECT n, 'a', CASE WHEN n > 8 THEN date '2025-01-01' END, n < 4, n FROM generate_series(1, 10) n;
    CREATE VIEW v_open_orders AS SELECT * FROM orders;`);
  await client.end();
  layer = await profiledLayer(server.url);
}, 120_000);
afterAll(async () => {
  await layer?.[Symbol.asyncDispose]();
  await server?.stop();
});

const measures = (name: string) => layer.entity(name).measures.map((one) => one.name);
const measure = (entity: string, name: string) => layer.entity(entity).measures.find((one) => one.name === name);

describe('measures', () => {
  it('are only of what adds up or has an average', () => {
    expect(measures('orders')).toEqual([
      'order_count',
      'total_freight',
      'average_freight',
      'order_total',
      'average_total',
    ]);
    expect(measures('products')).toEqual([
      'product_count',
      'average_price',
      'average_margin',
      'average_reorder_point',
      'total_stock_on_hand',
      'average_stock_on_hand',
    ]);
    expect(measures('page_views')).toEqual(['page_view_count']);
    expect(measures('tickets')).toEqual(['ticket_count', 'average_csat']);
  });

  it('of cents are in the currency', async () => {
    expect(measure('orders', 'total_freight')).toMatchObject({ sql: 'freight_cents / 100.0', format: 'currency' });
    expect(Number(Object.values((await layer.run({ measures: ['orders.total_freight'] }))[0] ?? {})[0])).toBe(451.5);
  });

  it('of states do not add up over time', async () => {
    expect(measure('account_balances', 'total_balance')).toMatchObject({ additive: 'not over time' });
    expect(measure('positions', 'total_worth')).toMatchObject({ additive: 'not over time' });
    expect(measure('products', 'total_stock_on_hand')).not.toHaveProperty('additive');
    const rows = await layer.run({ measures: ['account_balances.total_balance'] });
    expect(Number(Object.values(rows[0] ?? {})[0])).toBe(15);
  });

  it('of what a row is worth are called its value', () => {
    expect(measure('orders', 'order_total')?.synonyms).toEqual(['order value', 'revenue', 'turnover']);
    expect(measure('subscriptions', 'total_refund_amount')?.synonyms).toContain('refunds');
    expect(measure('orders', 'average_total')?.synonyms).toContain('average order value');
  });
});

it('codes that a comment explains have labels', async () => {
  const rows = await layer.run({ measures: ['orders.count'], dimensions: [{ dimension: 'orders.kind' }] });
  expect(rows.map((row) => Object.values(row)[0]).sort()).toEqual(['business', 'consumer']);
});

it('finds joins by other keys, by what people do, by a comment, and to a table of kinds', () => {
  expect(layer.joins('page_views')).toEqual(['product_sku -> products.sku many_to_one']);
  expect(layer.joins('tickets')).toEqual(['assignee_id -> employees.id many_to_one']);
  expect(layer.joins('orders').sort()).toEqual([
    'rep -> employees.id many_to_one',
    'status -> order_statuses.code many_to_one',
  ]);
});

it('a time of deletion makes a segment', () => {
  expect(layer.model.entity('orders')?.segments).toMatchObject([
    { name: 'not_deleted', sql: 'deleted_at IS NULL', default: true },
  ]);
});

it('the end of a row makes a segment of those that go on', async () => {
  const rows = await layer.run({ measures: ['subscriptions.count'], segments: ['subscriptions.active'] });
  expect(Number(Object.values(rows[0] ?? {})[0])).toBe(8);
  expect(layer.model.entity('subscriptions')?.segments).not.toMatchObject([{ default: true }]);
});

it('a yes or no is also found by what it is about', () => {
  const { dimensions } = layer.entity('subscriptions');
  expect(dimensions.find(({ name }) => name === 'newsletter_opt_in')?.synonyms).toContain('newsletter');
});

it('names say what is in a table, and each plural means one table', () => {
  expect(layer.model.entities.map(({ name, table }) => (name === table ? [] : [table, name])).filter(String)).toEqual([
    ['v_open_orders', 'open_orders'],
    ['order', 'order_table'],
  ]);
});

it('asks no questions about copies, and shows no answer from the wrong table', async () => {
  using folder = emptyFolder();
  const { stdout } = await atlas(['init'], { cwd: folder.path, env: { SVC_DATASOURCE_URL: server.url } });
  const tried = stdout.slice(stdout.indexOf('Questions that this layer answers'));
  expect(tried).toContain('\n  ');
  expect(tried).not.toMatch(/backup|Count: 12\.|open orders/);
  const { entities } = layer.files.get('catalog.yml') as { entities: { name: string; common_questions?: string[] }[] };
  expect(entities.find(({ name }) => name.includes('backup'))).not.toHaveProperty('common_questions');
});
