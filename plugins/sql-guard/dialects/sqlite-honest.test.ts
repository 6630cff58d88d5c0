import { describe, expect, test } from 'vitest';
import { honest } from '../../../test/fixtures/sql/sqlite-honest.ts';
import { check, checkReplaced, shopDatabase } from '../../../test/fixtures/sql/sqlite-shop.ts';

const db = shopDatabase();

function run(sql: string) {
  const statement = db.prepare(sql).raw();
  return { columns: statement.columns().map(({ name }) => name), rows: statement.all() };
}

describe('honest statements', () => {
  test('are many and different', () => {
    expect(new Set(honest).size).toBe(honest.length);
    expect(honest.length).toBeGreaterThanOrEqual(120);
  });

  test.each(honest)('%s', (sql) => {
    const printed = check(sql).sql;
    const original = run(sql);
    const result = run(printed);
    expect(result.rows).toEqual(original.rows);
    if (!/--|\/\*/.test(sql)) expect(result.columns).toEqual(original.columns);
    expect(check(printed).sql).toBe(printed);
  });
});

describe('row security', () => {
  // A subquery has no rowid, and rows without an order may come in another.
  const inOrder = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

  test.each(honest.filter((sql) => !/\browid\b|salaries/.test(sql)))(
    'changes nothing where all may be seen: %s',
    (sql) => {
      const { columns, rows } = run(checkReplaced(sql).sql);
      const original = run(sql);
      expect(inOrder(rows)).toEqual(inOrder(original.rows));
      if (!/--|\/\*/.test(sql)) expect(columns).toEqual(original.columns);
    },
  );
});

describe('the print', () => {
  test.each([
    ['select  count(*)  as n from orders where total>5', 'SELECT count(*) AS n FROM orders WHERE total > 5'],
    ["SELECT '--x' /* y */ FROM orders -- z", "SELECT '--x' FROM orders"],
    ['SELECT "id", [order] FROM `orders`', 'SELECT id, "order" FROM orders'],
    ['SELECT a.id FROM orders a', 'SELECT a.id FROM orders AS a'],
    ['SELECT ((1)) + (2 * 3) AS x', 'SELECT 1 + 2 * 3 AS x'],
    ['SELECT - - 1 AS x', 'SELECT -(-1) AS x'],
    ['SELECT id FROM orders LIMIT 3, 5', 'SELECT id FROM orders LIMIT 5 OFFSET 3'],
    ['SELECT total+1 FROM orders', 'SELECT total + 1 AS "total+1" FROM orders'],
    ['SELECT 1 AS "it""s"', 'SELECT 1 AS "it""s"'],
    ['SELECT * FROM orders WHERE NOT (a = 1 AND b = 2)', 'SELECT * FROM orders WHERE NOT (a = 1 AND b = 2)'],
    [
      'SELECT (SELECT max(name) /* ! */ FROM salaries)',
      "SELECT (SELECT max(name) FROM (SELECT salaries.name, substr(salaries.email, 1, 1) || '***' AS email FROM salaries) AS salaries) AS value",
    ],
    ['SELECT "TRUE" FROM orders', 'SELECT "TRUE" FROM orders'],
  ])('of %s', (sql, printed) => {
    expect(check(sql).sql).toBe(printed);
  });
});

describe('what a statement reads', () => {
  test('names tables as the layer does, columns and functions', () => {
    const checked = check(
      'SELECT C.Name, Count(*) FROM MAIN.Customers c JOIN ORDERS o ON o.customer_id = c.id GROUP BY 1',
    );
    expect(checked.tables).toEqual(['customers', 'orders']);
    expect(checked.columns).toEqual(expect.arrayContaining(['customers.Name', 'orders.customer_id', 'customers.id']));
    expect(checked.functions).toEqual(['count']);
  });

  test('includes tables in every clause', () => {
    const sql = `
      WITH a AS (SELECT id FROM customers)
      SELECT (SELECT count(*) FROM order_items), id IN "group" FROM a
      WHERE EXISTS (SELECT 1 FROM orders) ORDER BY (SELECT 1 FROM "Größe") LIMIT (SELECT count(*) FROM order_totals)`;
    expect([...check(sql).tables].sort()).toEqual(
      ['Größe', 'customers', 'group', 'order_items', 'order_totals', 'orders'].sort(),
    );
  });

  test('leaves out what a common table hides', () => {
    expect(check('WITH orders AS (SELECT 1 AS id) SELECT id FROM orders').tables).toEqual([]);
    expect(check('WITH orders AS (SELECT 1 AS id) SELECT id FROM main.orders').tables).toEqual(['orders']);
    expect(check('SELECT (WITH orders AS (SELECT 1 AS id) SELECT id FROM orders), id FROM orders').tables).toEqual([
      'orders',
    ]);
  });

  test('counts * as every column', () => {
    expect(check('SELECT * FROM orders').columns).toEqual(['orders.*']);
    expect(check('SELECT o.* FROM orders o, customers').columns).toEqual(['orders.*']);
  });
});
