/** The guard over BigQuery's SQL, without an engine: what is refused, how statements print, and that a print reads back. */
import { describe, expect, test } from 'vitest';
import { bigqueryHonest } from '../../../test/fixtures/sql/bigquery-honest.ts';
import { bigqueryHarmless, bigqueryHostile } from '../../../test/fixtures/sql/bigquery-hostile.ts';
import { bigqueryHostileSyntax } from '../../../test/fixtures/sql/bigquery-hostile-syntax.ts';
import { checkBigquery, checkReplaced } from '../../../test/fixtures/sql/bigquery-shop.ts';
import { tpcds, tpch } from '../../../test/fixtures/sql/bigquery-tpc.ts';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { tpcdsTables } from '../../../test/fixtures/sql/trino-tpcds.ts';
import { tpchTables } from '../../../test/fixtures/sql/trino-tpch.ts';
import { hostileStatements, refusalBy } from '../../../test/harness/hostile-statements.ts';
import { kitDialect } from '../../sql-kit/index.ts';
import { AllowedTables } from '../allowed-tables.ts';
import { checkSql } from '../check.ts';
import { honestStatements, publishedQueries, typedConditions, typedTables } from '../fixtures/honest-statements.ts';
import { allowedTables } from '../layer-tables.ts';

const bigquery = await kitDialect('bigquery');

hostileStatements(checkBigquery, [bigqueryHostile, bigqueryHostileSyntax], 350);

honestStatements({ check: checkBigquery, checkReplaced }, bigqueryHonest, bigqueryHarmless);

describe('published queries', () => {
  publishedQueries(bigquery, [...tpchTables, ...tpcdsTables], {
    ...Object.fromEntries(tpch.map((sql, at) => [`TPC-H ${at + 1}`, sql])),
    ...tpcds,
  });
});

describe('the print', () => {
  test.each([
    ['select  count(*)  n from orders where total>5', 'SELECT count(*) AS n FROM orders WHERE total > 5'],
    ['SELECT id FROM `lake.main.orders`', 'SELECT id FROM orders'],
    ['SELECT l.id FROM crm-1.sales.leads l', 'SELECT l.id FROM `crm-1`.sales.leads AS l'],
    [
      'WITH orders AS (SELECT 1 AS id) SELECT o.id FROM lake.main.orders o',
      'WITH orders AS (SELECT 1 AS id) SELECT o.id FROM main.orders AS o',
    ],
    [`SELECT "it's", 'a\\\\b', r'\\d', '''x\ny'''`, `SELECT 'it\\'s', 'a\\\\b', '\\\\d', 'x\\ny'`],
    ["SELECT b'\\x00a'", "SELECT b'\\x00\\x61'"],
    ['SELECT id # x\rFROM orders', 'SELECT id FROM orders'],
    ['SELECT id-1-2 FROM orders', 'SELECT id - 1 - 2 FROM orders'],
    ['SELECT (1 | 2) & 3, 1 | 2 & 3, (1 ^ 2) & 3', 'SELECT (1 | 2) & 3, 1 | 2 & 3, (1 ^ 2) & 3'],
    ["SELECT 'a' || (1 + 2) * 3", "SELECT 'a' || (1 + 2) * 3"],
    ['SELECT - -1, -(1 + 2), ~(1 | 2)', 'SELECT -(-1), -(1 + 2), ~(1 | 2)'],
    ['SELECT CURRENT_DATE(), CURRENT_DATE', 'SELECT CURRENT_DATE, CURRENT_DATE'],
    ['SELECT events.place.geo.lat FROM events', 'SELECT events.place.geo.lat FROM events'],
    ['SELECT SAFE.NET.HOST("x")', "SELECT SAFE.net.host('x')"],
    ['SELECT CAST([1] AS array<int64>)', 'SELECT CAST([1] AS ARRAY<INT64>)'],
    ['SELECT x FROM events e, e.place.`items` x', 'SELECT x FROM events AS e, UNNEST(e.place.items) AS x'],
    [
      'SELECT n FROM events e, e.tags WITH OFFSET n',
      'SELECT n FROM events AS e, UNNEST(e.tags) AS tags WITH OFFSET AS n',
    ],
    ['SELECT id FROM orders UNION DISTINCT SELECT 1', 'SELECT id FROM orders UNION DISTINCT SELECT 1'],
    ['SELECT * EXCEPT(id) REPLACE(1 AS total) FROM orders', 'SELECT * EXCEPT (id) REPLACE (1 AS total) FROM orders'],
    ['SELECT id AS `select`, 1 AS "a b" FROM orders', 'SELECT id AS `select`, 1 AS `a b` FROM orders'],
    [
      'SELECT s.name FROM salaries s',
      "SELECT s.name FROM (SELECT salaries.name, CONCAT(SUBSTR(salaries.email, 1, 1), '***') AS email FROM salaries) AS s",
    ],
  ] as const)('of %s', (sql, printed) => {
    expect(checkBigquery(sql).sql).toBe(printed);
  });

  test('keeps every sign of a text, and no end of a line', () => {
    const written = '\\x01\\u0085\\u2028\\n\\r\\t\\\\\\\'\\"`\\u00e9\\U0001F600%{}$';
    const { sql } = checkBigquery(`SELECT '${written}'`);
    expect(sql).toBe("SELECT '\\u0001\\u0085\\u2028\\n\\r\\t\\\\\\'\"`é😀%{}$'");
    expect(checkBigquery(sql).sql).toBe(sql);
  });

  test('works out by itself what a policy leaves over where a condition may fail', () => {
    expect(checkReplaced('SELECT id FROM orders WHERE 1 / total > 1').sql).toContain(
      "WHERE 'every' = 'every' LIMIT 9223372036854775807)",
    );
    expect(checkReplaced('SELECT id FROM orders WHERE status IS NULL').sql).not.toContain('LIMIT');
  });

  test('gives no name to a column without one: its text would be none', () => {
    const { sql } = checkReplaced('SELECT (SELECT max(id) FROM orders), id IN (SELECT id FROM orders) AS b');
    const orders = "(SELECT orders.* FROM orders WHERE 'every' = 'every') AS orders";
    expect(sql).toBe(`SELECT (SELECT max(id) FROM ${orders}), id IN (SELECT id FROM ${orders}) AS b`);
  });

  test('compares texts of a claim without the collation of the column, and nothing else', () => {
    const [orders] = allowedTables([entity('orders', [])], bigquery).tables.tables;
    const values = [{ valueFor: () => 'ann' }, { valueFor: () => 'bob' }];
    const filtered = (isText: boolean) => {
      const rows = [{ column: 'tenant', isText, values }];
      return checkSql('SELECT id FROM orders', { tables: new AllowedTables([{ ...orders!, rows }], bigquery) }).sql;
    };
    const plain = 'WHERE orders.tenant IN (?, ?)';
    expect(filtered(true)).toContain(`${plain} AND COLLATE(orders.tenant, '') IN (?, ?)) AS orders`);
    expect(filtered(false)).toContain(`${plain}) AS orders`);
  });

  test('reads an array of a replaced table, and never a table of that name', () => {
    expect(checkReplaced('SELECT p.id FROM events AS hr, hr.people AS p').sql).toBe(
      "SELECT p.id FROM (SELECT events.* FROM events WHERE 'every' = 'every' LIMIT 9223372036854775807) AS hr, UNNEST(hr.people) AS p",
    );
  });
});

describe('where the types of columns are known', () => {
  const types = {
    id: 'INT64',
    status: 'STRING(10)',
    total: 'FLOAT64',
    ordered_at: 'TIMESTAMP',
    day: 'DATE',
    price: 'NUMERIC',
  };
  const tables = typedTables(bigquery, 'orders', types);

  typedConditions(
    { tables, dialect: bigquery },
    [
      "status = 'paid' AND id IN (1, 2) AND total >= 5",
      'id > 1.5 AND total < 0.25',
      "day >= '2024-01-31' OR day < CURRENT_DATE()",
      'ordered_at > CURRENT_TIMESTAMP()',
      "NOT status LIKE 'p%' AND status IS NOT NULL AND (id = 1) IS NOT TRUE",
    ],
    [
      'id / total > 1',
      'price > 1.5',
      'CAST(status AS INT64) = 1',
      'SAFE.LOG(total) > 1',
      "ordered_at > TIMESTAMP '2024-01-01 00:00:00'",
      'total = id',
      'REGEXP_CONTAINS(status, status)',
      "day >= DATE '2024-13-31'",
      'id IN UNNEST([1 / 0])',
      "status LIKE ANY ('a', status)",
    ],
  );
});

describe('what a refusal says', () => {
  test.each([
    ['SELECT * FROM secrets', 'Table "secrets" is not in the semantic layer'],
    ['SELECT * FROM `other.main.orders`', 'Table "other.main.orders" is not in the semantic layer'],
    ['SELECT * FROM ML.PREDICT(MODEL m, TABLE orders)', 'Table function "ML.PREDICT" is not allowed'],
    ['SELECT AI.GENERATE("x")', '"AI.GENERATE" is not the plain name of a function'],
    ['SELECT * FROM orders FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()', 'Earlier versions of a table cannot be read'],
    ['SELECT * FROM main.INFORMATION_SCHEMA.TABLES', 'is no table that can be read'],
    ['SELECT id FROM orders |> LIMIT 1', 'Pipe syntax is not read here'],
  ])('%s', (sql, message) => {
    expect(refusalBy(checkBigquery, sql).message).toContain(message);
  });

  test.each([
    ["SELECT id FROM customers WHERE name ILIKE 'a%'", 'LOWER(a) LIKE LOWER(b)'],
    ["SELECT date_format(ordered_at, '%Y') FROM orders", 'FORMAT_DATE'],
    ['SELECT id::string FROM orders', 'CAST(value AS type)'],
    ['SELECT 5 % 2', 'MOD(a, b)'],
    ['SELECT * FROM orders PIVOT (SUM(total) FOR status IN ("a"))', 'SUM(IF('],
    ['SELECT * FROM orders UNPIVOT (v FOR n IN (id))', 'UNNEST([STRUCT'],
    ['SELECT DISTINCT ON (id) id FROM orders', 'QUALIFY'],
    ["SELECT 'a\nb'", 'three quotes'],
    ['SELECT größe FROM orders', 'backticks'],
  ])('hint of %s', (sql, hint) => {
    expect(refusalBy(checkBigquery, sql).hint).toContain(hint);
  });
});
