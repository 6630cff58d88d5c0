import { describe, expect, it, test } from 'vitest';
import { kitDialect } from '../../sql-kit/index.ts';
import { compileQuery } from '../compile.ts';
import { checkedLayer } from '../fixtures/checked-layer.ts';
import type { QueryPlan } from '../plan.ts';
import { defaultConditionObjections } from './default-conditions.ts';

const sqlite = await kitDialect('sqlite');

const LAYER = {
  'entities/orders.yml': `
table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: is_test, type: boolean }
  - { name: status }
  - { name: customer_id, type: number }
  - { name: total, type: number }
measures:
  - { name: real_total, type: sum, sql: CASE WHEN NOT is_test THEN total END }
joins: [{ target: customers, relationship: many_to_one, on: { from: customer_id, to: id } }]
segments:
  - { name: real, sql: "NOT {is_test}", default: true }
  - { name: open, sql: "status = 'open'" }
`,
  'entities/customers.yml': `
table: customers
schema: shop
dimensions: [{ name: id, type: number, primary_key: true }, { name: name }, { name: deleted_at, type: timestamp }]
segments: [{ name: kept, sql: deleted_at IS NULL, default: true }]
`,
  'entities/staff.yml': `
table: staff
dimensions: [{ name: id, type: number }, { name: secret, hidden: true }]
segments: [{ name: open, sql: secret IS NULL, default: true }, { name: odd, sql: "extract(year from born) > 1", default: true }]
`,
};

const layer = checkedLayer(LAYER);

const objections = (sql: string, dialect = 'sqlite') => defaultConditionObjections(layer.read(sql, dialect));
const REAL = 'The statement does not use the default condition "real" of orders (NOT is_test).';
const KEPT = 'The statement does not use the default condition "kept" of customers (deleted_at IS NULL).';

describe('a default condition', () => {
  test.each(['sqlite', 'postgres', 'mysql', 'duckdb'])('that is not used is objected to in %s', (dialect) => {
    expect(objections('SELECT COUNT(*) FROM orders', dialect)).toEqual([
      {
        message: REAL,
        hint: 'Add it, unless the question is about all rows; then run the statement again as it is.',
        note: { code: 'default_condition_unused', message: REAL, quotesSql: true },
      },
    ]);
  });

  test.each([
    ['SELECT SUM(o.total) FROM orders o', [REAL]],
    ['SELECT * FROM orders LIMIT 10', [REAL]],
    ['WITH o AS (SELECT total FROM orders) SELECT SUM(total) FROM o', [REAL]],
    ['SELECT 1 FROM orders o JOIN staff t ON t.is_test = o.id', [REAL]],
    ["SELECT COUNT(*) FROM orders WHERE status = 'is_test'", [REAL]],
    ['SELECT COUNT(*) FROM customers', [KEPT]],
    ['SELECT COUNT(DISTINCT c.id) FROM customers c JOIN orders o ON o.customer_id = c.id', [REAL, KEPT]],
    ['SELECT COUNT(*) FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE deleted_at IS NULL)', [REAL]],
    ['SELECT c.name, SUM(o.total) FROM orders o JOIN shop.customers c ON c.id = o.customer_id GROUP BY 1', [REAL]],
    ['SELECT (SELECT COUNT(*) FROM customers), SUM(total) FROM orders WHERE NOT is_test', [KEPT]],
  ])('is missing in %s', (sql, messages) => {
    const found = objections(sql);
    expect(found.map(({ message }) => message).sort()).toEqual(messages.toSorted());
  });

  test.each([
    'SELECT COUNT(*) FROM orders WHERE NOT is_test',
    'SELECT COUNT(*) FROM orders o WHERE o.is_test',
    'SELECT SUM(CASE WHEN IS_TEST THEN 0 ELSE total END) FROM orders',
    'SELECT is_test, COUNT(*) FROM orders GROUP BY 1',
    'WITH o AS (SELECT * FROM orders) SELECT SUM(total) FROM o WHERE NOT o.is_test',
    'WITH orders AS (SELECT 1 AS total) SELECT SUM(total) FROM orders',
    'SELECT name FROM customers WHERE deleted_at IS NOT NULL',
    'SELECT c.name, SUM(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE NOT o.is_test GROUP BY 1',
    'SELECT COUNT(*) FROM archive.customers',
    'SELECT COUNT(*) FROM orders JOIN staff USING (is_test)',
    'SELECT COUNT(*) FROM orders ORDER BY MAX(is_test)',
    'SELECT SUM(total) OVER w FROM orders WINDOW w AS (PARTITION BY is_test)',
    'SELECT COUNT(*) FROM staff',
    'SELECT COUNT(*) FROM orders_2024',
    'SELECT COUNT(* FROM orders',
    'DELETE FROM orders',
  ])('is no matter in %s', (sql) => {
    expect(objections(sql)).toEqual([]);
  });

  it.each<[QueryPlan, string[]]>([
    [{ measures: ['orders.count'] }, [REAL]],
    [{ measures: ['orders.count'], segments: ['orders.real'] }, []],
    [{ measures: ['orders.count'], excludedSegments: ['orders.real'] }, []],
    [{ measures: ['orders.real_total'], dimensions: [{ dimension: 'customers.name' }] }, []],
    [{ measures: ['customers.count'], segments: ['orders.open'] }, [KEPT, REAL]],
  ])('of a plan: %j', (plan, messages) => {
    const { sql } = compileQuery(layer.model, plan, { dialect: sqlite });
    expect(objections(sql).map(({ message }) => message)).toEqual(messages);
  });
});
