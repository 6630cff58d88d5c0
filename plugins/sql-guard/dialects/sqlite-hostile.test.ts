import { describe, expect, test } from 'vitest';
import { harmless, hostile } from '../../../test/fixtures/sql/sqlite-hostile.ts';
import { check, shopDatabase } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { hostileStatements, refusalBy } from '../../../test/harness/hostile-statements.ts';

const refusal = (sql: string) => refusalBy(check, sql);

hostileStatements(check, [hostile], 120);

describe('harmless statements', () => {
  const db = shopDatabase();

  test.each(harmless)('%s', (sql) => {
    const rows = db.prepare(check(sql).sql).all();
    expect(JSON.stringify(rows)).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
  });

  test('change nothing', () => {
    expect(db.prepare('SELECT count(*) AS n FROM orders').get()).toEqual({ n: 40 });
  });
});

describe('what a refusal says', () => {
  test.each([
    [
      'SELECT * FROM "order"',
      'Table "order" is not in the semantic layer; did you mean "orders"? (line 1, column 15).',
    ],
    [
      'SELECT *\nFROM\n  custmers',
      'Table "custmers" is not in the semantic layer; did you mean "customers"? (line 3, column 3).',
    ],
    ['SELECT * FROM pay', 'Table "pay" is not in the semantic layer; did you mean "salaries"? (line 1, column 15).'],
    ['SELECT now()', 'Function "now" is not allowed (line 1, column 8).'],
    ['SELECT s.amount FROM salaries s', 'Column "amount" of "salaries" cannot be read (line 1, column 8).'],
    ['DELETE FROM orders', 'DELETE is not a reading statement (line 1, column 1).'],
    ['SELECT 1; SELECT 2', 'A second statement begins (line 1, column 11).'],
    ['SELECT * FROM', 'Expected a table, found the end of the statement (line 1, column 14).'],
  ])('%s', (sql, message) => {
    expect(refusal(sql).message).toBe(message);
  });

  test.each([
    ['SELECT now()', "Write datetime('now')."],
    ['SELECT lowr(name) FROM customers', 'Did you mean "lower"?'],
    ['SELECT EXTRACT(YEAR FROM ordered_at) FROM orders', "strftime('%Y', column)"],
    ["SELECT id FROM orders WHERE ordered_at > date('now') - INTERVAL '1 month'", "date(column, '-1 month')"],
    ['SELECT id::text FROM orders', 'CAST(value AS type)'],
    ['SELECT TOP 5 id FROM orders', 'LIMIT'],
    ['SELECT id FROM orders FETCH FIRST 5 ROWS ONLY', 'LIMIT'],
    ["SELECT id FROM orders WHERE status ILIKE 'p%'", 'LIKE'],
    ['SELECT s.amount FROM salaries s', 'Columns that can: name, email.'],
    [
      'SELECT name FROM salaries WHERE name = "Bob"',
      "Columns that can: name, email. A text stands in single quotes: 'Bob'.",
    ],
    ['SELECT * FROM xyzzy', 'Tables that can be read: customers, orders'],
    ['DROP TABLE orders', 'Only one reading statement runs here'],
  ])('hint of %s', (sql, hint) => {
    expect(refusal(sql).hint).toContain(hint);
  });
});
