/** Periods without data: what is told with an empty result. */
import { describe, expect, it, test } from 'vitest';
import { type ToolRun, toolsCollect } from '../../../kernel/index.ts';
import { createTestApp } from '../../../test/harness/create-test-app.ts';
import { SqliteFolder } from '../../../test/harness/sqlite.ts';
import { agent } from '../../agent/index.ts';
import { datasourceSqlite } from '../../datasource-sqlite/index.ts';
import { semanticLayer } from '../../semantic-layer/index.ts';
import { sqlGuard } from '../../sql-guard/index.ts';
import { sqlLimits } from '../../sql-limits/index.ts';
import { checkedLayer } from '../fixtures/checked-layer.ts';
import { semanticQuery } from '../index.ts';
import { emptyPeriodObjections } from './empty-periods.ts';

const LAYER = {
  'entities/orders.yml': `
table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: at, sql: ordered_at, type: timestamp, range: ["2024-11-01T08:00:00", "2026-10-31T21:59:00"] }
  - { name: due_on, type: date, range: [2024-11-05, 2026-11-15] }
  - { name: sent_on, type: date }
  - { name: paid_on, type: date, mask: "NULL", range: [2024-11-05, 2026-11-15] }
  - { name: lost_on, type: date, hidden: true, range: [2024-11-05, 2026-11-15] }
`,
  'entities/visits.yml': `
table: visits
dimensions: [{ name: order_id, type: number }, { name: due_on, type: date, range: [2020-01-01, 2021-01-01] }]
`,
};

const EARLIER = 'The values of orders.at are from 2024-11-01 to 2026-10-31.';
const LATER = 'The values of orders.at were from 2024-11-01 to 2026-10-31 when the layer was profiled.';

const layer = checkedLayer(LAYER);

const objections = (sql: string, dialect = 'sqlite') => emptyPeriodObjections(layer.read(sql, dialect));
const messages = (condition: string, dialect?: string) =>
  objections(`SELECT COUNT(*) FROM orders WHERE ${condition}`, dialect).map(({ message }) => message);

describe('a period without data', () => {
  test.each([
    "ordered_at >= '2023-01-01' AND ordered_at < '2024-01-01'",
    "ordered_at < '2024-11-01'",
    "ordered_at < '2024-11-01T00:00:00Z' AND id > 7",
    "ordered_at <= '2024-10-31 23:59:59'",
    "'2024-10-31' >= ordered_at",
    "ordered_at = '2024-10-31'",
    "id > 7 AND (id < 9 AND ordered_at BETWEEN '2024-10-01' AND '2024-10-31')",
    "ordered_at < date('2024-11-01')",
  ])('before the first row: %s', (condition) => {
    expect(messages(condition)).toEqual([EARLIER]);
  });

  test.each([
    "ordered_at >= '2026-11-01'",
    "ordered_at > '2027-01-01 00:00'",
    "ordered_at BETWEEN '2027-01-01' AND '2027-12-31'",
  ])('after the last row, which may be old: %s', (condition) => {
    expect(messages(condition)).toEqual([LATER]);
    expect(objections(`SELECT 1 FROM orders WHERE ${condition}`)[0]).toMatchObject({ onlyWhenEmpty: true });
  });

  test.each([
    ['postgres', "ordered_at < DATE '2024-11-01'"],
    ['postgres', "ordered_at < '2024-11-01'::timestamptz"],
    ['postgres', "ordered_at BETWEEN '2024-01-01' AND TIMESTAMP '2024-10-31 23:59:59'"],
    ['mysql', "ordered_at < TIMESTAMP '2024-11-01 00:00:00'"],
    ['mysql', "ordered_at < CAST('2024-11-01' AS DATE)"],
    ['duckdb', "ordered_at < DATE '2024-11-01'"],
    ['duckdb', "ordered_at < '2024-11-01'::TIMESTAMP"],
  ])('as %s writes it: %s', (dialect, condition) => {
    expect(messages(condition, dialect)).toEqual([EARLIER]);
  });

  test.each([
    "SELECT 1 FROM visits v JOIN orders o ON o.id = v.order_id AND o.ordered_at < '2024-01-01'",
    "WITH o AS (SELECT * FROM orders WHERE ordered_at < '2024-01-01') SELECT COUNT(*) FROM o",
    "SELECT 1 FROM visits WHERE order_id IN (SELECT id FROM orders WHERE ordered_at < '2024-01-01')",
  ])('is found in %s', (sql) => {
    expect(objections(sql).map(({ message }) => message)).toEqual([EARLIER]);
  });

  it('ends on the last day of a date', () => {
    expect(messages("due_on > '2026-11-15'")).toHaveLength(1);
    expect(messages("due_on > '2026-11-14'")).toEqual([]);
    expect(messages("ordered_at > '2026-10-31'")).toEqual([]);
  });

  test.each([
    "ordered_at >= '2023-01-01'",
    "ordered_at <= '2030-01-01'",
    "ordered_at >= '2023-01-01' AND ordered_at < '2024-11-02'",
    "ordered_at < '2024-11-01 09:00:00'",
    "ordered_at >= '2026-10-31'",
    "ordered_at < '2023-01-01' OR id = 1",
    "NOT ordered_at < '2023-01-01'",
    "ordered_at NOT BETWEEN '2022-01-01' AND '2023-01-01'",
    "ordered_at <> '2023-01-01'",
    "ordered_at < '2023'",
    "id < '2023-01-01'",
    "date(ordered_at, '+2 years') < '2024-01-01'",
    "sent_on < '2023-01-01'",
    "paid_on < '2023-01-01'",
    "lost_on < '2023-01-01'",
    "ordered_at < '2023-01-01",
  ])('is none in %s', (condition) => {
    expect(messages(condition)).toEqual([]);
  });

  test.each(['postgres', 'mysql', 'duckdb'])('is none where a negation is of the other kind in %s', (dialect) => {
    expect(messages("ordered_at NOT BETWEEN '2022-01-01' AND '2023-01-01'", dialect)).toEqual([]);
  });

  it('is of one table only where the column is certain', () => {
    expect(objections("SELECT 1 FROM orders, visits WHERE due_on < '2019-01-01'")).toEqual([]);
    expect(objections("SELECT 1 FROM orders o, visits v WHERE v.due_on > '2022-01-01'")[0]?.message).toContain(
      'visits.due_on',
    );
  });
});

it('is told with an empty result, and with no other', async () => {
  using databases = new SqliteFolder();
  const path = databases.create(
    'shop.db',
    `CREATE TABLE orders (id INTEGER PRIMARY KEY, ordered_at TEXT, due_on TEXT, sent_on TEXT, paid_on TEXT, lost_on TEXT);
     CREATE TABLE visits (order_id INTEGER, due_on TEXT);
     INSERT INTO orders (id, ordered_at) VALUES (1, '2024-11-01T08:00:00'), (2, '2026-11-30T10:00:00');`,
  );
  await using app = await createTestApp({
    plugins: [
      semanticLayer({ dir: layer.dir }),
      semanticQuery(),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${path}` }] }),
      agent(),
    ],
  });
  const scope = app.scope();
  scope.identify({ id: 'u', label: null, role: 'analyst', mode: 'test', claims: {} }, null);
  const question = { turns: [{ role: 'user', text: 'How many?' }], surface: 'api' } as const;
  const tools = (await app.call(toolsCollect, question, scope)).map(({ value }) => value);
  const run: ToolRun = { scope, question, memory: new Map() };
  const call = async (name: string, input: unknown) =>
    (await tools.find((tool) => tool.name === name)!.run(input, run)).forModel;
  const counted = (condition: string) =>
    call('executeSQL', { sql: `SELECT COUNT(*) AS n FROM orders WHERE ${condition}` });

  const plan = { measures: ['orders.count'], timeRange: { dimension: 'orders.at', from: '2023', to: '2024' } };
  expect(await call('queryMetrics', plan)).toMatchObject({ notes: [expect.stringContaining(EARLIER)] });
  expect(await counted("ordered_at >= '2027-01-01'")).toMatchObject({
    rows: [{ n: 0 }],
    notes: [expect.stringContaining(LATER)],
  });
  // The row came after the layer was profiled.
  const later = await counted("ordered_at >= '2026-11-01'");
  expect(later).toMatchObject({ rows: [{ n: 1 }] });
  expect(later).not.toHaveProperty('notes');
});
