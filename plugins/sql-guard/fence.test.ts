/** When the rows that a policy leaves out must be left out before anything else; that it is so, real servers show. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Dialect } from '../semantic-query/plan.ts';
import { allowedTables } from './allowed.ts';
import { checkSql, loadDialect, sqlDialect } from './check.ts';
import { entity } from './fixtures/shop.ts';
import type { RowFilter } from './row-filter.ts';
import { AllowedTables } from './tables.ts';

beforeAll(() => loadDialect('postgres'));

const tenant: RowFilter = { column: 'tenant_id', isText: false, values: [{ valueFor: () => 1 }] };

/** The statement as it runs where `orders` has a policy and `items` has none. */
function run(dialect: Dialect, sql: string): string {
  const { tables } = allowedTables([entity('orders', []), entity('items', [])], sqlDialect(dialect));
  const policed = tables.tables.map((table) => (table.name === 'orders' ? { ...table, rows: [tenant] } : table));
  return checkSql(sql, { dialect, tables: new AllowedTables(policed, sqlDialect(dialect)) }).sql;
}

const FENCE = {
  postgres: ' OFFSET 0)',
  sqlite: ' LIMIT -1)',
  duckdb: ' LIMIT 9223372036854775807)',
  mysql: ' LIMIT 18446744073709551615)',
};

type Statements = Readonly<Record<Dialect, readonly string[]>>;

/** What is asked every day keeps its index. */
const open: Statements = {
  postgres: [
    'SELECT * FROM orders',
    'SELECT status, sum(total) / count(*) AS mean FROM orders GROUP BY status',
    "SELECT date_trunc('month', at) AS month, sum(a * b) FROM orders GROUP BY 1 HAVING sum(a * b) > 10 ORDER BY 1",
    "SELECT id FROM orders WHERE status = 'paid' AND total > 50 OR status IS NULL AND NOT total BETWEEN 1 AND 2",
    "SELECT id FROM orders WHERE at >= now() - interval '7 days' AND at < CURRENT_DATE",
    "SELECT id FROM orders WHERE at >= DATE '2024-02-29' AND at < TIMESTAMP '2024-12-31 00:00:00'",
    "SELECT id FROM orders WHERE at >= date_trunc('month', now()) - interval '1 year' AND at < DATE '2024-01-31'",
    "SELECT id FROM orders WHERE status LIKE 'p%' AND lower(status) = 'x' AND status ILIKE '%y' AND status IN ('a', 'b')",
    'SELECT o.id FROM orders o JOIN items i ON i.order_id = o.id WHERE o.id = ANY (ARRAY[1, 2]) AND o.paid IS TRUE',
    'SELECT id FROM orders WHERE total > (SELECT avg(total) FROM orders) AND EXISTS (SELECT 1 FROM items WHERE id = 1)',
    'WITH m AS (SELECT status, sum(total / 2) AS t FROM orders GROUP BY status) SELECT * FROM m WHERE t > 5',
    'SELECT id, CAST(status AS int) FROM orders ORDER BY 1 / total',
    'SELECT id FROM items WHERE 1 / n = 1',
    "SELECT d FROM generate_series(DATE '2024-01-01', DATE '2024-06-01', '1 month') d LEFT JOIN orders o ON o.at = d",
  ],
  sqlite: [
    "SELECT strftime('%Y', at) AS y, sum(total) FROM orders WHERE at >= date('now', '-1 month') AND total * 2 / 3 > 1 GROUP BY y",
    "SELECT id FROM orders WHERE CAST(total AS INTEGER) = 3 AND status LIKE 'a%' AND status GLOB 'b*'",
    'SELECT id FROM orders WHERE total > (SELECT total FROM orders ORDER BY id)',
  ],
  mysql: [
    'SELECT id FROM orders WHERE at >= now() - INTERVAL 7 DAY AND year(at) = 2024 AND CAST(total AS SIGNED) = 1',
    "SELECT id FROM orders WHERE at > date_sub(curdate(), INTERVAL 1 MONTH) AND date_format(at, '%Y') = '2024'",
  ],
  duckdb: ['SELECT status, sum(total) FROM orders GROUP BY status', 'SELECT id FROM orders WHERE total IS NULL'],
};

const fenced: Statements = {
  postgres: [
    'SELECT id FROM orders WHERE 1 / total = 1',
    'SELECT id FROM orders WHERE status::int = 1',
    'SELECT id FROM orders WHERE total * 2 > 1',
    "SELECT id FROM orders WHERE status ~ 'a'",
    "SELECT id FROM orders WHERE status LIKE 'a\\'",
    'SELECT id FROM orders WHERE status LIKE pattern',
    "SELECT id FROM orders WHERE at > now() - interval '999999 years'",
    "SELECT id FROM orders WHERE at > DATE '2024-02-30'",
    "SELECT id FROM orders WHERE at > DATE '2024-13-01'",
    "SELECT id FROM orders WHERE at > DATE '2024-00-10'",
    "SELECT id FROM orders WHERE at > DATE '2023-02-29'",
    "SELECT id FROM orders WHERE at > DATE '2024-04-00'",
    "SELECT id FROM orders WHERE at > date_trunc('day', now(), status)",
    "SELECT id FROM orders WHERE at > date_trunc('day', now(), status) - interval '1 day'",
    "SELECT id FROM orders WHERE CASE WHEN status = 'x' THEN 1 / 0 ELSE 1 END = 1",
    'SELECT id FROM orders WHERE total > (SELECT n FROM items)',
    'SELECT n FROM (SELECT 1 / total AS n FROM orders) x WHERE n > 1',
    'WITH x AS (SELECT status::int AS n FROM orders) SELECT n FROM x WHERE n > 1',
    'SELECT o.id FROM orders o JOIN items i ON i.id = o.status::int',
    'SELECT o.id FROM items o WHERE EXISTS (SELECT 1 FROM orders p WHERE 1 / p.total = o.id)',
    'SELECT id, (SELECT max(p.id) FROM orders p WHERE 1 / p.total = 1) FROM orders',
    'SELECT 1 FROM items WHERE id IN (SELECT status::int FROM orders)',
    'SELECT x.n FROM orders o, LATERAL (SELECT 1 / o.total AS n) x',
    'SELECT status FROM orders GROUP BY status HAVING status::int > 1 AND count(*) > 1',
  ],
  sqlite: [
    'SELECT id FROM orders WHERE json(status) IS NOT NULL',
    'SELECT id FROM orders WHERE abs(total) = 1',
    "SELECT id FROM orders WHERE status ->> '$.a' = 1",
    "SELECT id FROM orders WHERE 'a' LIKE 'b' ESCAPE status",
    "SELECT status ->> '$.a' AS a FROM orders WHERE a = 1",
    'SELECT j.value FROM orders o, json_each(o.status) j',
  ],
  mysql: [
    'SELECT id FROM orders WHERE total * 2 > 1',
    "SELECT id FROM orders WHERE status REGEXP 'a'",
    'SELECT id FROM orders WHERE exp(total) > 1',
    'SELECT total * 2 AS a FROM orders HAVING a > 1',
  ],
  duckdb: [
    'SELECT id FROM orders WHERE total > 1',
    'SELECT o.id FROM orders o JOIN items i USING (id)',
    'SELECT o.id FROM orders o NATURAL JOIN items i',
    'SELECT total * 2 AS a FROM orders WHERE a IS NULL',
    'FROM orders SELECT id WHERE CAST(status AS INTEGER) IS NULL',
  ],
};

describe.each(['postgres', 'sqlite', 'mysql', 'duckdb'] as const)('%s', (dialect) => {
  test.each(open[dialect])('as fast as without: %s', (sql) => {
    expect(run(dialect, sql)).not.toContain(FENCE[dialect]);
  });

  test.each(fenced[dialect])('rows first: %s', (sql) => {
    expect(run(dialect, sql)).toMatch(/WHERE [\w."`]+ = [?$1]+ (?:OFFSET|LIMIT) -?\d+\)/);
  });
});

test('only what stands for a table with a policy has a fence, and each reference', () => {
  expect(
    run('postgres', 'SELECT 1 FROM orders a, items b, orders c WHERE 1 / a.total = 1').split(FENCE.postgres),
  ).toHaveLength(3);
});
