import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { createSimpleDemo, DEMOS } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'atlas-demo-data-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

interface CustomerRow {
  readonly id: number;
  readonly name: string;
  readonly signup_date: string;
}
interface OrderRow {
  readonly id: number;
  readonly customer_id: number;
  readonly ordered_at: string;
  readonly status: string;
  readonly channel: string;
  readonly total_amount: number;
  readonly shipped_at: string | null;
}
interface ItemRow {
  readonly order_id: number;
  readonly quantity: number;
  readonly unit_price: number;
  readonly discount_percent: number | null;
  readonly line_total: number;
}
const rows = DEMOS.simple.rows() as Readonly<Record<string, readonly unknown[]>>;
const demo = {
  // SQLite has no boolean values.
  customers: (rows.customers as (CustomerRow & { marketing_opt_in: boolean })[]).map((customer) => ({
    ...customer,
    marketing_opt_in: Number(customer.marketing_opt_in),
  })),
  orders: rows.orders as OrderRow[],
  order_items: rows.order_items as ItemRow[],
};
const countBy = (rows: readonly OrderRow[], key: (row: OrderRow) => string) => {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[key(row)] = (counts[key(row)] ?? 0) + 1;
  return counts;
};

describe('the rows of the simple demo', () => {
  it('are the same each time', () => {
    // Changes only together with the rows: a new value here means that every documented number changed too.
    expect(sha256(JSON.stringify(demo)).slice(0, 16)).toMatchInlineSnapshot(`"f0aa1400e9cee155"`);
  });

  it('span 24 months and end at the fixed date', () => {
    expect(demo.customers).toHaveLength(1_000);
    expect(demo.orders).toHaveLength(5_000);
    expect(demo.order_items.length).toBeGreaterThan(8_000);
    const months = countBy(demo.orders, (order) => order.ordered_at.slice(0, 7));
    expect(Object.keys(months)).toHaveLength(24);
    expect([demo.orders[0]?.ordered_at.slice(0, 7), demo.orders.at(-1)?.ordered_at.slice(0, 10)]).toEqual([
      '2024-11',
      '2026-10-31',
    ]);
    expect(months['2025-12']).toBeGreaterThan(1.5 * (months['2025-10'] as number));
    expect(months['2026-07']).toBeGreaterThan(months['2025-07'] as number);
  });

  it('belong together', () => {
    const customers = new Map(demo.customers.map((customer) => [customer.id, customer]));
    const orders = new Map(demo.orders.map((order) => [order.id, order]));
    expect(new Set(demo.customers.map((customer) => customer.name)).size).toBe(1_000);
    const totals = new Map<number, number>();
    for (const item of demo.order_items) {
      totals.set(item.order_id, (totals.get(item.order_id) ?? 0) + Math.round(item.line_total * 100));
      const exact = item.unit_price * item.quantity * (1 - (item.discount_percent ?? 0) / 100);
      expect(Math.abs(item.line_total - exact)).toBeLessThan(0.006);
    }
    expect(totals.size).toBe(orders.size);
    for (const order of demo.orders) {
      expect(Math.round(order.total_amount * 100)).toBe(totals.get(order.id));
      expect(customers.get(order.customer_id)?.signup_date).toSatisfy((date: string) => date < order.ordered_at);
      if (order.shipped_at !== null) expect(order.shipped_at >= order.ordered_at).toBe(true);
      expect(order.shipped_at === null).toBe(order.status === 'pending' || order.status === 'cancelled');
    }
  });

  it('are skewed as a shop is', () => {
    const perCustomer = Object.values(countBy(demo.orders, (order) => String(order.customer_id))).sort((a, b) => b - a);
    const top = perCustomer.slice(0, 100).reduce((total, count) => total + count, 0);
    expect(top / 5_000).toBeGreaterThan(0.4);
    expect(perCustomer[0]).toBeLessThan(300);
    expect(1_000 - perCustomer.length).toBeGreaterThan(100);
    const statuses = countBy(demo.orders, (order) => order.status);
    expect(Object.keys(statuses).sort()).toEqual(['cancelled', 'completed', 'pending', 'refunded', 'shipped']);
    expect(statuses.completed).toBeGreaterThan(4_000);
    const channels = countBy(demo.orders, (order) => order.channel);
    expect(channels.web).toBeGreaterThan(channels.mobile as number);
    expect(channels.mobile).toBeGreaterThan(channels.store as number);
  });

  it('miss some values', () => {
    const nulls = (rows: readonly object[], column: string) =>
      rows.filter((row) => (row as Record<string, unknown>)[column] === null).length / rows.length;
    for (const column of ['email', 'phone', 'city']) {
      expect(nulls(demo.customers, column)).toBeGreaterThan(0.02);
      expect(nulls(demo.customers, column)).toBeLessThan(0.4);
    }
    expect(nulls(demo.orders, 'shipped_at')).toBeGreaterThan(0.05);
    expect(nulls(demo.orders, 'rating')).toBeGreaterThan(0.4);
    expect(nulls(demo.order_items, 'discount_percent')).toBeGreaterThan(0.6);
  });
});

describe('the file of the simple demo', () => {
  it('has the same bytes each time, in a new folder and over an old file, and leaves nothing else behind', () => {
    const first = join(folder, 'new', 'deep', 'simple.db');
    const second = join(folder, 'simple.db');
    writeFileSync(second, 'not a database');
    createSimpleDemo(first);
    createSimpleDemo(second);
    const bytes = sha256(readFileSync(first));
    expect(sha256(readFileSync(second))).toBe(bytes);
    createSimpleDemo(second);
    expect(sha256(readFileSync(second))).toBe(bytes);
    expect(readdirSync(join(folder, 'new', 'deep'))).toEqual(['simple.db']);
  });

  it('keeps an open reader on the old file', () => {
    const path = join(folder, 'read.db');
    createSimpleDemo(path);
    const reader = new Database(path, { readonly: true });
    createSimpleDemo(path);
    expect(reader.prepare('SELECT COUNT(*) AS n FROM orders').get()).toEqual({ n: 5_000 });
    reader.close();
  });

  it('holds the rows, intact', () => {
    const path = join(folder, 'rows.db');
    createSimpleDemo(path);
    const database = new Database(path, { readonly: true });
    expect(database.prepare('SELECT * FROM customers ORDER BY id').all()).toEqual(demo.customers);
    expect(database.prepare('SELECT * FROM orders ORDER BY id').all()).toEqual(demo.orders);
    expect(database.prepare('SELECT * FROM order_items ORDER BY id').all()).toEqual(demo.order_items);
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    database.close();
  });

  it('leaves no draft when it cannot be put in place', () => {
    const path = join(folder, 'taken');
    createSimpleDemo(join(path, 'inside.db'));
    expect(() => createSimpleDemo(path)).toThrow();
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
