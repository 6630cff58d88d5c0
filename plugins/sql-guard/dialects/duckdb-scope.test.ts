import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkDuckdb, checkReplaced, duckdbShop } from '../../../test/fixtures/sql/duckdb-shop.ts';
import { SqlRefusal } from '../../sql-kit/index.ts';

let db: DuckDBConnection;
beforeAll(async () => {
  db = await duckdbShop();
});

const rows = async (sql: string) => (await db.runAndReadAll(sql)).getRowsJson();

/** What the engine answers to the statement as it was checked, also with a subquery in the place of every table. */
async function answers(sql: string): Promise<unknown[]> {
  const answer = await rows(checkDuckdb(sql).sql);
  expect(await rows(checkReplaced(sql).sql)).toEqual(answer);
  return answer;
}

function refusal(sql: string, check = checkDuckdb): SqlRefusal | undefined {
  try {
    check(sql);
    return undefined;
  } catch (error) {
    if (error instanceof SqlRefusal) return error;
    throw error;
  }
}

describe.each(['SEMI JOIN', 'ANTI JOIN'])('the right side of a %s', (join) => {
  test.each([
    `SELECT c.id FROM customers c ${join} orders ON orders.customer_id = c.id ORDER BY ALL`,
    `SELECT c.id FROM customers c ${join} orders USING (id) ORDER BY ALL`,
    `SELECT c.id FROM customers c ${join} (orders o JOIN order_items i ON i.order_id = o.id) ON o.customer_id = c.id ORDER BY ALL`,
    // The nearest of the name, whatever stands before the comma.
    `SELECT c.id FROM salaries s, customers c ${join} orders s ON s.total > c.id ORDER BY ALL`,
    // A name around the SELECT has another meaning there.
    `SELECT l.id FROM salaries s, LATERAL (SELECT c.id FROM customers c ${join} orders s ON s.total > c.id) l ORDER BY ALL`,
  ])('is seen by its condition: %s', async (sql) => {
    expect(await answers(sql)).toEqual(await rows(sql));
  });

  test.each([
    `SELECT orders.id FROM customers ${join} orders ON true`,
    `SELECT total FROM customers ${join} orders ON true`,
    `SELECT orders FROM customers ${join} orders ON true`,
    `SELECT orders.* FROM customers ${join} orders ON true`,
    `SELECT orders.id FROM customers ${join} orders USING (id)`,
    `SELECT 1 FROM customers ${join} orders ON true WHERE orders.total > 1`,
    `SELECT 1 FROM customers ${join} orders ON true GROUP BY orders.total`,
    `SELECT 1 FROM customers ${join} orders ON true ORDER BY orders.total`,
    `SELECT 1 FROM customers ${join} orders ON true QUALIFY row_number() OVER (ORDER BY orders.total) = 1`,
    `SELECT 1 FROM customers ${join} orders ON true JOIN order_items i ON i.order_id = orders.id`,
    `SELECT 1 FROM customers ${join} orders ON true, LATERAL (SELECT orders.total) l`,
    `SELECT o.id FROM customers ${join} (orders o JOIN order_items i ON true) ON true`,
    `SELECT o.id FROM order_items i JOIN (customers ${join} orders o ON true) ON true`,
  ])('is not visible anywhere else: %s', async (sql) => {
    await expect(rows(sql)).rejects.toThrow(/not found/);
    for (const check of [checkDuckdb, checkReplaced]) await expect(rows(check(sql).sql)).rejects.toThrow(/not found/);
  });

  test('does not add columns to *', async () => {
    const sql = `SELECT * FROM "group" ${join} orders ON orders.id = "group".id + 39 ORDER BY ALL`;
    expect(await answers(sql)).toEqual(await rows(sql));
    expect(checkDuckdb(sql).columns).toEqual(expect.arrayContaining(['orders.id', 'group.id', 'group.*']));
    expect(checkDuckdb(sql).tables).toEqual(['group', 'orders']);
  });

  test.each([
    `SELECT s.total FROM customers c ${join} salaries s ON s.name <> c.name`,
    `SELECT s.total AS t FROM customers c ${join} salaries s ON true WHERE s.total > 90`,
    `SELECT s AS t FROM customers c ${join} salaries s ON s.name <> c.name`,
    `SELECT c.id FROM customers c ${join} salaries s ON true GROUP BY c.id, s.total`,
    `SELECT c.id FROM customers c ${join} salaries s ON true JOIN order_items i ON i.order_id = s.total`,
    `SELECT l.t FROM customers c ${join} salaries s ON true, LATERAL (SELECT s.total AS t) l`,
  ])('leaves its name to a source of an outer SELECT: %s', async (inner) => {
    const sql = `SELECT s.id, l.* FROM orders s, LATERAL (${inner}) l ORDER BY ALL`;
    expect(await answers(sql)).toEqual(await rows(sql));
  });

  test('leaves its name to a further source of the same FROM', async () => {
    const sql = `SELECT s.total FROM customers c ${join} salaries s ON true JOIN orders s ON s.id = c.id ORDER BY ALL`;
    expect(await answers(sql)).toEqual(await rows(sql));
  });

  test.each([
    `SELECT s.amount FROM customers c ${join} orders s ON true`,
    `SELECT c.id FROM customers c ${join} orders s ON true WHERE s.amount > 1`,
    `SELECT s.employee_id FROM customers c ${join} (orders s JOIN order_items i ON true) ON true`,
    `SELECT l.a FROM customers c ${join} orders s ON true, LATERAL (SELECT s.amount AS a) l`,
  ])('does not expose hidden columns of an outer source: %s', (inner) => {
    const { rule, message } = refusal(`SELECT l.* FROM salaries s, LATERAL (${inner}) l`) ?? {};
    expect({ rule, message }).toEqual({ rule: 'column', message: expect.stringContaining('of "salaries" cannot be') });
  });

  test.each([
    `SELECT s.email FROM customers c ${join} orders s ON true`,
    `SELECT s FROM customers c ${join} orders s ON true`,
    `SELECT to_json(s) FROM customers c ${join} orders s ON true`,
  ])('resolves to an outer source with its masks: %s', async (inner) => {
    const sql = `SELECT l.* FROM salaries s, LATERAL (${inner.replace('ON true', 'ON s.total = c.id')}) l`;
    const found = JSON.stringify(await answers(sql));
    expect(found).toContain('a***');
    expect(found).not.toMatch(/ann@|5000|101|good/);
  });

  test.each([`c.amount > 1`, `s.amount > 1`, `c.name = s.email AND s.amount > 1`])(
    'hides in its condition what may not be seen of it: %s',
    (condition) => {
      const sql = `SELECT c.id FROM orders o, LATERAL (SELECT c.id FROM salaries c ${join} salaries s ON ${condition}) c`;
      expect(refusal(sql)?.rule).toBe('column');
    },
  );

  test('must not go by the name of the left side, as the engine then forgets both', async () => {
    await expect(rows(`SELECT g.id FROM customers g ${join} orders g USING (id)`)).rejects.toThrow(/not found/);
    for (const left of [
      'customers g',
      'customers g CROSS JOIN order_items',
      'order_items i JOIN customers G ON true',
    ]) {
      const { message, hint } = refusal(`SELECT 1 FROM ${left} ${join} orders g USING (id)`) ?? {};
      expect(message).toContain(`Both sides of the ${join} go by the name "g"`);
      expect(hint).toBe('Give one of them another alias.');
    }
    const sql = `SELECT g.name FROM customers g, order_items i ${join} orders g ON g.id = i.order_id ORDER BY ALL`;
    expect(await answers(sql)).toEqual(await rows(sql));
  });

  test('may have the name of another schema only while the engine tells the two apart', async () => {
    const sql = `SELECT people.total FROM orders AS people ${join} hr.people USING (id)`;
    expect(await rows(checkDuckdb(sql).sql)).toEqual(await rows(sql));
    // With subqueries in their places neither has a schema, and `people` would be a source further out.
    expect(refusal(sql, checkReplaced)?.message).toContain('go by the name "people"');
  });

  test('counts where there are too many sources', () => {
    const joins = (count: number) =>
      Array.from({ length: count }, (_, n) => ` ${join} orders o${n} USING (id)`).join('');
    expect(refusal(`SELECT 1 FROM customers c${joins(127)}`)).toBeUndefined();
    expect(refusal(`SELECT 1 FROM customers c${joins(128)}`)?.rule).toBe('size');
  });
});

describe('joined tables with an alias', () => {
  test('leave their names to sources further out', async () => {
    const inner = 'SELECT o.total AS t, k.city FROM (salaries o JOIN customers c ON o.name <> c.name) AS k';
    const sql = `SELECT o.id, l.* FROM orders o, LATERAL (${inner}) l ORDER BY ALL`;
    expect(await answers(sql)).toEqual(await rows(sql));
    const hidden = 'SELECT o.amount FROM (orders o JOIN customers c ON o.id = c.id) AS k';
    expect(refusal(`SELECT l.* FROM salaries o, LATERAL (${hidden}) l`)?.rule).toBe('column');
  });

  test('share no name with a further source', async () => {
    const sql =
      'SELECT k.total FROM (orders o JOIN customers c ON o.id = c.id) AS k SEMI JOIN orders o ON o.id = k.total';
    expect(await answers(`${sql} ORDER BY ALL`)).toEqual(await rows(`${sql} ORDER BY ALL`));
  });

  test('are read by * as they are without', () => {
    const { columns } = checkDuckdb('SELECT * FROM (orders o JOIN salaries s ON true) AS k');
    expect(columns).toEqual(['orders.*', 'salaries.name', 'salaries.email']);
  });
});
