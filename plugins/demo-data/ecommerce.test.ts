/** The rows of the ecommerce demo agree with each other, and look like those of a shop. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadSemanticLayer } from '../semantic-layer/index.ts';
import { DEMOS } from './index.ts';
import { createDemoFile } from './sqlite-writer.ts';
import { primaryKeyOf } from './table.ts';

const { ecommerce } = DEMOS;
const byTable = ecommerce.rows();

const folder = mkdtempSync(join(tmpdir(), 'atlas-ecommerce-'));
createDemoFile(ecommerce, join(folder, 'shop.db'));
const database = new Database(join(folder, 'shop.db'), { readonly: true });
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const all = (sql: string) => database.prepare(sql).all() as Record<string, number>[];
const one = (sql: string) => database.prepare(sql).pluck().get() as number;
const share = (table: string, condition: string) => one(`SELECT AVG(${condition}) FROM ${table}`);

it('has 52 tables and the same rows on every machine', () => {
  expect(ecommerce.tables).toHaveLength(52);
  const hash = createHash('sha256');
  let rows = 0;
  for (const { name } of ecommerce.tables) {
    const own = byTable[name]!;
    expect(own.length, name).toBeGreaterThan(4);
    rows += own.length;
    hash.update(JSON.stringify(own));
  }
  expect(rows).toBeGreaterThan(30_000);
  expect(rows).toBeLessThan(60_000);
  // Changes only together with the rows: then the layer and the answers of the evaluation change too.
  expect(hash.digest('hex').slice(0, 16)).toMatchInlineSnapshot(`"bfaa0621a0e779dd"`);
});

it('keeps every declared key', () => {
  expect(database.pragma('foreign_key_check')).toEqual([]);
  const keys = ecommerce.tables.flatMap(({ columns }) => Object.values(columns).filter(({ references }) => references));
  expect(keys.length).toBeGreaterThan(60);
  expect(ecommerce.tables.every((table) => primaryKeyOf(table).length > 0)).toBe(true);
});

describe('orders', () => {
  it('are the sum of their lines', () => {
    const broken = all(`SELECT o.id FROM orders o JOIN order_items i ON i.order_id = o.id GROUP BY o.id
      HAVING ABS(SUM(i.unit_price * i.quantity) - o.subtotal) > 0.02 OR ABS(SUM(i.discount_amount) - o.discount_total) > 0.02
        OR ABS(SUM(i.tax_amount) - o.tax_total) > 0.02 OR ABS(SUM(i.line_total_usd) - o.net_total_usd) > 0.02
        OR ABS(o.subtotal - o.discount_total + o.tax_total + o.shipping_fee - o.grand_total) > 0.02
        OR ABS(o.grand_total * o.exchange_rate - o.grand_total_usd) > 0.01`);
    expect(broken).toEqual([]);
    expect(one('SELECT COUNT(*) FROM orders WHERE id NOT IN (SELECT order_id FROM order_items)')).toBe(0);
  });

  it('take the rate of their month', () => {
    const other = `SELECT COUNT(*) FROM orders o JOIN exchange_rates r ON r.currency_code = o.currency_code
      AND r.rate_date = strftime('%Y-%m-01', o.ordered_at) WHERE r.usd_rate <> o.exchange_rate`;
    expect(one(other)).toBe(0);
    expect(one("SELECT COUNT(*) FROM orders WHERE currency_code = 'JPY' AND grand_total <> ROUND(grand_total)")).toBe(
      0,
    );
  });

  it('go forward in time', () => {
    for (const [later, earlier, from] of [
      ['o.created_at', 'o.ordered_at', 'orders o'],
      ['o.ordered_at', 'c.created_at', 'orders o JOIN customers c ON c.id = o.customer_id'],
      ['c.deleted_at', 'o.ordered_at', 'orders o JOIN customers c ON c.id = o.customer_id'],
      ['s.shipped_at', 'p.paid_at', 'shipments s JOIN payments p ON p.order_id = s.order_id'],
      ['s.delivered_at', 's.shipped_at', 'shipments s'],
      ['r.requested_at', 's.delivered_at', 'returns r JOIN shipments s ON s.order_id = r.order_id'],
      ['f.refunded_at', 'f.requested_at', 'refunds f'],
      ['e.received_at', 'e.event_time', 'web_events e'],
      ['m.recorded_at', 'm.moved_at', 'stock_movements m'],
    ])
      expect(one(`SELECT COUNT(*) FROM ${from} WHERE ${later} < ${earlier}`), `${later} < ${earlier}`).toBe(0);
    for (const table of ecommerce.tables)
      for (const [name, { type }] of Object.entries(table.columns))
        if (
          type === 'timestamp' &&
          !/^(?:expires_at|received_at|recorded_at|paid_at)$/.test(name) &&
          name !== 'created_at'
        )
          expect(one(`SELECT COUNT(*) FROM ${table.name} WHERE ${name} >= '2026-11-01'`), `${table.name}.${name}`).toBe(
            0,
          );
  });

  it('have the status that their payments, parcels and returns tell', () => {
    const count = (condition: string) => one(`SELECT COUNT(*) FROM orders o WHERE ${condition}`);
    const shipment = 'SELECT 1 FROM shipments s WHERE s.order_id = o.id';
    expect(
      count(`status_code = 40 AND channel_id <> 4 AND NOT EXISTS (${shipment} AND delivered_at IS NOT NULL)`),
    ).toBe(0);
    expect(count(`status_code IN (10, 20, 90) AND EXISTS (${shipment})`)).toBe(0);
    expect(count('(status_code = 90) <> (cancelled_at IS NOT NULL)')).toBe(0);
    const captured = "SELECT 1 FROM payments p WHERE p.order_id = o.id AND p.status = 'captured'";
    expect(count(`status_code BETWEEN 20 AND 50 AND NOT EXISTS (${captured})`)).toBe(0);
    expect(count(`status_code = 50 AND NOT EXISTS (SELECT 1 FROM returns r WHERE r.order_id = o.id)`)).toBe(0);
    const refunded = `SELECT o.id FROM orders o JOIN payments p ON p.order_id = o.id JOIN refunds f ON f.payment_id = p.id
      WHERE f.refunded_at IS NOT NULL GROUP BY o.id HAVING ABS(SUM(f.amount_usd) - o.refunded_usd) > 0.02`;
    expect(all(refunded)).toEqual([]);
  });
});

it('balances points, payouts and returned pieces', () => {
  const points = `SELECT m.customer_id FROM loyalty_members m LEFT JOIN loyalty_transactions t USING (customer_id)
    GROUP BY m.customer_id HAVING m.points_balance <> COALESCE(SUM(t.points), 0)`;
  expect(all(points)).toEqual([]);
  const payouts = `SELECT COUNT(*) FROM seller_payouts p JOIN sellers s ON s.id = p.seller_id
    WHERE ABS(p.gross_amount * s.commission_percent / 100 - p.commission_amount) > 0.011
      OR ABS(p.gross_amount - p.commission_amount - p.net_amount) > 0.001`;
  expect(one(payouts)).toBe(0);
  expect(
    one(
      'SELECT COUNT(*) FROM return_items r JOIN order_items i ON i.id = r.order_item_id WHERE r.quantity > i.quantity',
    ),
  ).toBe(0);
});

it('is skewed, incomplete and late as real data are', () => {
  const counts = all('SELECT COUNT(*) AS n FROM orders GROUP BY customer_id ORDER BY n DESC').map(
    ({ n }) => n as number,
  );
  const top = counts.slice(0, 200).reduce((sum, n) => sum + n, 0);
  expect(top / one('SELECT COUNT(*) FROM orders')).toBeGreaterThan(0.5);
  const month = (name: string) => one(`SELECT COUNT(*) FROM orders WHERE ordered_at LIKE '${name}%'`);
  expect(month('2025-12')).toBeGreaterThan(1.5 * month('2025-08'));
  expect(month('2026-08')).toBeGreaterThan(month('2025-08'));
  const weekend = share('orders', "strftime('%w', ordered_at) IN ('0', '6')");
  expect(weekend).toBeGreaterThan(2 / 7 + 0.02);
  expect(share('customers', 'id NOT IN (SELECT customer_id FROM orders)')).toBeGreaterThan(0.3);
  for (const [table, column] of [
    ['customers', 'phone'],
    ['customers', 'deleted_at'],
    ['products', 'discontinued_on'],
    ['shipments', 'delivered_at'],
    ['web_sessions', 'customer_id'],
    ['reviews', 'title'],
    ['support_tickets', 'closed_at'],
    ['refunds', 'refunded_at'],
    ['gift_cards', 'expires_on'],
  ] as const) {
    expect(share(table, `${column} IS NULL`), `${table}.${column}`).toBeGreaterThan(0);
    expect(share(table, `${column} IS NULL`), `${table}.${column}`).toBeLessThan(1);
  }
  expect(share('orders', "strftime('%s', created_at) - strftime('%s', ordered_at) > 3600")).toBeGreaterThan(0.1);
  expect(share('orders', 'is_test')).toBeGreaterThan(0.005);
  expect(share('orders', 'is_test')).toBeLessThan(0.05);
  expect(one('SELECT COUNT(DISTINCT currency_code) FROM orders')).toBe(8);
});

describe('the semantic layer', async () => {
  const model = await loadSemanticLayer(ecommerce.layer);

  it('describes every table and column, without a problem', () => {
    expect(model.problems).toEqual([]);
    expect(model.entities.map((one) => one.table).sort()).toEqual(ecommerce.tables.map(({ name }) => name).sort());
    for (const table of ecommerce.tables) {
      const { name, columns } = table;
      const { dimensions, grain, description } = model.entities.find((one) => one.table === name)!;
      const plain = dimensions.filter((dimension) => dimension.name in columns);
      expect(plain.map((dimension) => dimension.name)).toEqual(Object.keys(columns));
      for (const { name: column, nullable, references } of plain) {
        const declared = columns[column]!;
        expect([nullable, references], `${name}.${column}`).toEqual([declared.nullable === true, declared.references]);
      }
      expect(plain.filter(({ primary_key }) => primary_key).map((one) => one.name)).toEqual(primaryKeyOf(table));
      expect(grain && description && dimensions.every((dimension) => dimension.description), name).toBeTruthy();
    }
    const entries = model.catalog?.entities?.filter((entry) => entry.use_for?.length && entry.common_questions?.length);
    expect(entries).toHaveLength(52);
    expect(model.glossary.filter(({ status }) => status === 'ambiguous').length).toBeGreaterThanOrEqual(8);
  });

  it('tells the truth about values, joins and conditions', () => {
    for (const { table, dimensions, joins, segments } of model.entities) {
      for (const { name, sql = name, sample_values: samples = [], unique_count: unique } of dimensions) {
        if (unique === undefined) continue;
        const values = database
          .prepare(`SELECT DISTINCT ${sql} FROM ${table} WHERE (${sql}) IS NOT NULL`)
          .pluck()
          .all();
        expect(values.sort(), `${table}.${name}`).toEqual([...samples].sort());
        expect(values, `${table}.${name}`).toHaveLength(unique);
      }
      for (const { target, on } of joins)
        for (const { from, to } of [on].flat()) {
          const missing = `SELECT COUNT(*) FROM ${table} WHERE ${from} IS NOT NULL AND ${from} NOT IN (SELECT ${to} FROM ${model.entity(target)?.table})`;
          expect(one(missing), `${table}.${from}`).toBe(0);
        }
      for (const { sql } of segments) {
        const count = one(`SELECT COUNT(*) FROM ${table} WHERE ${sql}`);
        expect(count, `${table}: ${sql}`).toBeGreaterThan(0);
        expect(count, `${table}: ${sql}`).toBeLessThan(one(`SELECT COUNT(*) FROM ${table}`));
      }
    }
  });
});

/** Columns of several tables. */
interface Fact {
  readonly id: number;
  readonly name: string;
  readonly is_test: boolean;
  readonly status: string;
  readonly status_code: number;
  readonly customer_id: number;
  readonly brand_id: number;
  readonly variant_id: number;
  readonly quantity: number;
  readonly ordered_at: string;
  readonly grand_total_usd: number;
  readonly net_total_usd: number;
  readonly refunded_usd: number;
  readonly line_total_usd: number;
  readonly unit_cost_usd: number | null;
}

/** Computed without SQL from the rows; the numbers stand in `eval/cases/ecommerce.yml` as statements. */
describe('the expected answers of the evaluation', async () => {
  const { cases } = parse(readFileSync('eval/cases/ecommerce.yml', 'utf8')) as {
    cases: readonly { question: string; sql?: string | string[] }[];
  };
  const rowsOf = (name: string) => byTable[name] as unknown as Fact[];
  const orders = rowsOf('orders').filter(({ is_test }) => !is_test);
  const items = rowsOf('order_items').filter(({ is_test }) => !is_test);
  const kept = orders.filter(({ status_code }) => status_code !== 90);
  const customers = rowsOf('customers').filter(({ is_test }) => !is_test);
  const of = (year: string) => (row: Fact) => row.ordered_at.startsWith(year);
  const sum = <T>(rows: readonly T[], value: (row: T) => number) => rows.reduce((total, row) => total + value(row), 0);
  const net = (row: Fact) => row.net_total_usd - row.refunded_usd;
  const perCustomer = Map.groupBy(orders, ({ customer_id }) => customer_id);
  const brands = new Map(rowsOf('brands').map(({ id, name }) => [id, name]));
  const products = new Map(rowsOf('products').map((row) => [row.id, row]));
  const brandOf = (item: Fact) => brands.get(products.get(Math.floor(item.variant_id / 10))?.brand_id ?? 0) ?? '';
  const spent = [...Map.groupBy(kept, ({ customer_id }) => customer_id).values()].map((own) => sum(own, net));
  const best = spent.sort((a, b) => b - a).slice(0, Math.ceil(spent.length / 5));
  const carts = rowsOf('carts');

  it.each([
    ['How many orders were placed in 2025?', orders.filter(of('2025')).length],
    ['What was the net revenue in 2025?', sum(kept.filter(of('2025')), net)],
    ['What was the gross revenue in 2025?', sum(kept.filter(of('2025')), ({ grand_total_usd }) => grand_total_usd)],
    [
      'What is the cart abandonment rate?',
      (100 * carts.filter(({ status }) => status === 'abandoned').length) / carts.length,
    ],
    ['How many orders does a customer who orders place on average?', orders.length / perCustomer.size],
    [
      'How many customers without test accounts and without orders are there?',
      customers.filter(({ id }) => !perCustomer.has(id)).length,
    ],
    [
      'How many customers without test accounts have more than 10 orders?',
      [...perCustomer.values()].filter((own) => own.length > 10).length,
    ],
    [
      'How many orders of non-testers were placed on Saturdays and Sundays in 2026?',
      orders.filter(of('2026')).filter(({ ordered_at }) => [0, 6].includes(new Date(`${ordered_at}Z`).getUTCDay()))
        .length,
    ],
    [
      'What share of the net revenue came from the fifth of ordering customers who spent the most?',
      (100 * sum(best, Number)) / sum(spent, Number),
    ],
    [
      'Top 5 brands by units sold',
      [...Map.groupBy(items, brandOf)]
        .map(([name, own]) => [name, sum(own, ({ quantity }) => quantity)] as const)
        .sort(([, a], [, b]) => b - a)
        .slice(0, 5),
    ],
    [
      'What is the gross margin by brand?',
      [...Map.groupBy(items, brandOf)]
        .map(
          ([name, own]) =>
            [
              name,
              sum(own, ({ line_total_usd, unit_cost_usd, quantity }) =>
                unit_cost_usd === null ? 0 : line_total_usd - unit_cost_usd * quantity,
              ),
            ] as const,
        )
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ],
  ])('%s', (question, expected) => {
    const sql = [cases.find((one) => one.question === question)?.sql].flat()[0];
    const rows = database.prepare(sql!).raw().all() as unknown[][];
    const rounded = (value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(10)) : value);
    const wanted = typeof expected === 'number' ? [[expected]] : expected;
    expect(rows.map((row) => row.map(rounded))).toEqual(wanted.map((row) => row.map(rounded)));
  });
});
