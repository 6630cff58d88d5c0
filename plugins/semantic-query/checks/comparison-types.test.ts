import { describe, expect, test } from 'vitest';
import { checkedLayer } from '../fixtures/checked-layer.ts';
import { comparisonTypeObjections } from './comparison-types.ts';

const LAYER = {
  'entities/orders.yml': `
table: orders
dimensions:
  - { name: status_code, type: number, sample_values: [40, 90] }
  - { name: total, type: number }
  - { name: grade, type: number, sample_values: [1, "N/A"] }
  - { name: status, sample_values: [delivered, "new"] }
  - { name: zip, sample_values: ["01067", "N1 9GU"] }
  - { name: note }
  - { name: is_test, type: boolean }
  - { name: ordered_at, type: timestamp }
  - { name: due, type: date }
  - { name: secret, type: number, hidden: true }
  - { name: size, type: string, sql: "CASE WHEN total > 5 THEN 'big' END", sample_values: [big] }
`,
};

const layer = checkedLayer(LAYER);

const objections = (sql: string, dialect = 'sqlite') => comparisonTypeObjections(layer.read(sql, dialect));
const said = (condition: string, dialect?: string) =>
  objections(`SELECT COUNT(*) FROM orders AS o WHERE ${condition}`, dialect).map(({ message }) => message);

describe.each(['sqlite', 'postgres', 'mysql', 'duckdb'])('comparisons in %s', (dialect) => {
  test.each([
    ["status_code = '90 days'", "orders.status_code is a number: compare it with 90, not '90 days'."],
    [
      "o.status_code IN (40, 'cancelled')",
      "orders.status_code is a number: compare it with a number, not 'cancelled'.",
    ],
    ["'cancelled' <> status_code", "orders.status_code is a number: compare it with a number, not 'cancelled'."],
    ["total BETWEEN 5 AND 'ten'", "orders.total is a number: compare it with a number, not 'ten'."],
    [
      "CASE status_code WHEN 'new' THEN 1 END = 1",
      "orders.status_code is a number: compare it with a number, not 'new'.",
    ],
    ["is_test = 'maybe'", "orders.is_test is true or false: compare it with TRUE or FALSE, not 'maybe'."],
    [
      "ordered_at >= '2025/13/01'",
      "orders.ordered_at is a timestamp: compare it with a date such as '2025-01-31', not '2025/13/01'.",
    ],
    [
      "ordered_at > 'last month'",
      "orders.ordered_at is a timestamp: compare it with a date such as '2025-01-31', not 'last month'.",
    ],
    ["due = '01.02.2025'", "orders.due is a date: compare it with a date such as '2025-01-31', not '01.02.2025'."],
    ["due = '2025-Q1'", "orders.due is a date: compare it with a date such as '2025-01-31', not '2025-Q1'."],
    ['due >= 2024', "orders.due is a date: compare it with a date such as '2024-01-31', not 2024."],
    ['status = 90', "orders.status is a text: compare it with one such as 'delivered', not 90."],
    ['status = -1', "orders.status is a text: compare it with one such as 'delivered', not -1."],
  ])('%s is objected to', (condition, message) => {
    expect(said(condition, dialect)).toEqual([message]);
  });

  test.each([
    "status_code = '90' OR total > ' 1e3' OR total = '$1,000.50' OR total <> 'NaN' OR total < -5",
    "is_test = 'true' OR is_test = 'F' OR is_test = '0' OR is_test = 1",
    "ordered_at >= '2025-01-01' AND ordered_at < '2025-02-01T10:00:00Z' AND due <> '20250131' AND due > '2025-1-5'",
    "ordered_at >= '2025' AND ordered_at < '2025-02' AND due <> '0000-00-00' AND ordered_at < 1735689600",
    "grade = 'missing' OR zip = 1067 OR note = 5 OR status = 'x'",
    "secret = 'x' OR size = 5 OR CAST(status_code AS CHAR(9)) = 'x'",
    "status_code LIKE '9%'",
  ])('%s is not', (condition) => {
    expect(said(condition, dialect)).toEqual([]);
  });
});

test('PostgreSQL reads words as dates, others do not', () => {
  for (const condition of ["due > 'yesterday'", "due = 'Jan 5, 2025'", "due = '5 January 2025'"]) {
    expect(said(condition, 'postgres')).toEqual([]);
    expect(said(condition, 'duckdb')).toHaveLength(1);
  }
  expect(said("due > 'last month'", 'postgres')).toHaveLength(1);
});

test('the hint lists values, and the number of objections is bounded', () => {
  expect(objections("SELECT 1 FROM orders WHERE status_code = 'cancelled'")[0]?.hint).toBe(
    'Its values are, among others: 40, 90. Run the query again only if it is meant as it is.',
  );
  const many = Array.from({ length: 20 }, (_, n) => `total = 'x${n}y'`).join(' OR ');
  expect(said(many)).toHaveLength(5);
});

test.each([
  "WITH orders AS (SELECT 'x' AS total) SELECT 1 FROM orders WHERE total = 'x'",
  "SELECT 1 FROM (SELECT 'x' AS total) AS orders WHERE total = 'x'",
  'SELECT COUNT(*) AS status FROM orders GROUP BY total HAVING status > 5',
  "SELECT 1 FROM others WHERE total = 'x'",
])('%s is of no entity', (sql) => {
  expect(objections(sql)).toEqual([]);
});

test('a column is looked for among 50 sources at most', () => {
  const joined = (count: number) => Array.from({ length: count }, (_, n) => `orders AS o${n}`).join(', ');
  expect(objections(`SELECT 1 FROM ${joined(50)} WHERE o7.total = 'x'`)).toHaveLength(1);
  expect(objections(`SELECT 1 FROM ${joined(51)} WHERE o7.total = 'x'`)).toEqual([]);
});
