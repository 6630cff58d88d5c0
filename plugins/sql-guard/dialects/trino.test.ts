/** The guard over Trino's SQL, without an engine: what is refused, how statements print, and that a print reads back. */
import { describe, expect, test } from 'vitest';
import { trinoHonest } from '../../../test/fixtures/sql/trino-honest.ts';
import { trinoHarmless, trinoHostile } from '../../../test/fixtures/sql/trino-hostile.ts';
import { checkReplaced, checkTrino } from '../../../test/fixtures/sql/trino-shop.ts';
import { tpcds, tpcdsTables } from '../../../test/fixtures/sql/trino-tpcds.ts';
import { tpch, tpchTables } from '../../../test/fixtures/sql/trino-tpch.ts';
import { hostileStatements, refusalBy } from '../../../test/harness/hostile-statements.ts';
import { kitDialect } from '../../sql-kit/index.ts';
import { checkSql } from '../check.ts';
import { honestStatements, publishedQueries, typedConditions, typedTables } from '../fixtures/honest-statements.ts';

const trino = await kitDialect('trino');

hostileStatements(checkTrino, [trinoHostile], 250);

honestStatements({ check: checkTrino, checkReplaced }, trinoHonest, trinoHarmless);

describe('published queries', () => {
  publishedQueries(trino, [...tpchTables, ...tpcdsTables], {
    ...Object.fromEntries(tpch.map((sql, at) => [`TPC-H ${at + 1}`, sql])),
    ...tpcds,
  });
});

describe('the print', () => {
  test.each([
    ['select  count(*)  n from orders where total>5', 'SELECT count(*) AS n FROM orders WHERE total > 5'],
    ['SELECT id FROM orders LIMIT 2 OFFSET 3', 'SELECT id FROM orders OFFSET 3 LIMIT 2'],
    ['SELECT id FROM orders FETCH NEXT ROW WITH TIES', 'SELECT id FROM orders FETCH FIRST 1 ROWS WITH TIES'],
    ['SELECT id FROM lake.main.orders', 'SELECT id FROM orders'],
    ['SELECT l.id FROM CRM.Sales.Leads l', 'SELECT l.id FROM crm.sales.leads AS l'],
    [
      'WITH orders AS (SELECT 1 AS id) SELECT o.id FROM lake.main.orders o',
      'WITH orders AS (SELECT 1 AS id) SELECT o.id FROM main.orders AS o',
    ],
    ["SELECT U&'\\0041' || 'it''s'", "SELECT 'A' || 'it''s'"],
    ['SELECT NOT a = 1 AND b FROM orders', 'SELECT NOT a = 1 AND b FROM orders'],
    ["SELECT - ordered_at AT TIME ZONE 'UTC' FROM orders", "SELECT -(ordered_at AT TIME ZONE 'UTC') FROM orders"],
    ['SELECT id -- x\rFROM orders', 'SELECT id FROM orders'],
    ['SELECT CAST(id AS int array) FROM orders', 'SELECT CAST(id AS ARRAY(INT)) FROM orders'],
    ['SELECT place.geo.lat FROM events', 'SELECT place.geo.lat FROM events'],
    ['SELECT events.place.geo.lat FROM events', 'SELECT events.place.geo."lat" FROM events'],
    ['VALUES 1, 2', 'VALUES (1), (2)'],
    ['SELECT NOT (id = 1 OR a) IS NOT TRUE FROM orders', 'SELECT NOT (NOT coalesce(id = 1 OR a, FALSE)) FROM orders'],
    [
      'SELECT a IS FALSE, b IS NOT DISTINCT FROM c || d FROM orders',
      'SELECT NOT coalesce(a, TRUE), b IS NOT DISTINCT FROM c || d FROM orders',
    ],
    [
      'SELECT s.name FROM salaries s',
      "SELECT s.name FROM (SELECT salaries.name, substr(salaries.email, 1, 1) || '***' AS email FROM salaries) AS s",
    ],
  ])('of %s', (sql, printed) => {
    expect(checkTrino(sql).sql).toBe(printed);
  });

  test('works out by itself what a policy leaves over where a condition may fail', () => {
    expect(checkReplaced('SELECT id FROM orders WHERE 1 / total > 1').sql).toContain(
      "WHERE 'every' = 'every' LIMIT 9223372036854775807)",
    );
    expect(checkReplaced('SELECT id FROM orders WHERE status IS NULL').sql).not.toContain('LIMIT');
  });
});

describe('where the types of columns are known', () => {
  const types = {
    id: 'bigint',
    status: 'varchar(10)',
    total: 'double',
    ordered_at: 'timestamp(3)',
    day: 'date',
    price: 'decimal(10,2)',
  };
  const tables = typedTables(trino, 'orders', types);

  test('so does a FILTER, which the engine makes a condition', () => {
    const counted = (filter: string) =>
      checkSql(`SELECT count(*) FILTER (WHERE ${filter}) FROM orders`, { tables }).sql.includes(
        trino.optimizationFence ?? '-',
      );
    expect(['1 / id > 0', 'id > 0 AND status IS NULL'].map(counted)).toEqual([true, false]);
  });

  typedConditions(
    { tables, dialect: trino },
    [
      "status = 'paid' AND id IN (1, 2) AND total >= 5",
      'id > 1.5 AND total < 0.25',
      "day >= DATE '2024-01-31' OR day < current_date - INTERVAL '7' DAY",
      "ordered_at > current_timestamp - INTERVAL '1' MONTH",
      "NOT status LIKE 'p%' AND status IS NOT NULL",
    ],
    [
      'id / total > 1',
      'price > 1.5',
      'CAST(status AS BIGINT) = 1',
      "ordered_at > TIMESTAMP '2024-01-01 00:00:00'",
      'total = id',
      'regexp_like(status, status)',
      "day >= DATE '2024-13-31'",
      // An id of two digits is no DECIMAL(38, 37).
      `id > 1.${'0'.repeat(37)}`,
      `id IN (1, 1.${'0'.repeat(37)})`,
    ],
  );
});

describe('what a refusal says', () => {
  test.each([
    ['SELECT * FROM secrets', 'Table "secrets" is not in the semantic layer'],
    ['SELECT * FROM other.main.orders', 'Table "other.main.orders" is not in the semantic layer'],
    ['SELECT * FROM TABLE(f())', 'TABLE(…) calls a table function'],
    ['SELECT o."$path" FROM orders o', 'Hidden columns such as "$path" cannot be read'],
    ['SELECT * FROM orders FOR VERSION AS OF 3', 'Earlier versions of a table cannot be read'],
    ['WITH FUNCTION f() RETURNS int RETURN 1 SELECT f()', 'Functions cannot be defined here'],
    ["SELECT json_value(j, 'lax $') FROM events", 'JSON_VALUE with a path of SQL/JSON is not read here'],
  ])('%s', (sql, message) => {
    expect(refusalBy(checkTrino, sql).message).toContain(message);
  });

  test.each([
    ["SELECT id FROM customers WHERE name ILIKE 'a%'", 'lower(a) LIKE lower(b)'],
    ["SELECT strftime(ordered_at, '%Y') FROM orders", "date_format(column, '%Y-%m')"],
    ['SELECT string_agg(status) FROM orders', 'listagg'],
    ['SELECT INTERVAL 1 DAY', "INTERVAL '1' DAY"],
    ['SELECT id::varchar FROM orders', 'CAST(value AS type)'],
    ['SELECT id FROM orders MATCH_RECOGNIZE (PATTERN (A))', 'window functions'],
  ])('hint of %s', (sql, hint) => {
    expect(refusalBy(checkTrino, sql).hint).toContain(hint);
  });
});
