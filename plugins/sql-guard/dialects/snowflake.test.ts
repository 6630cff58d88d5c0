/** The guard over Snowflake's SQL, without an engine: what is refused, how statements print, and that a print reads back. */
import { describe, expect, test } from 'vitest';
import { snowflakeHonest } from '../../../test/fixtures/sql/snowflake-honest.ts';
import { snowflakeHarmless, snowflakeHostile } from '../../../test/fixtures/sql/snowflake-hostile.ts';
import { checkReplaced, checkSnowflake } from '../../../test/fixtures/sql/snowflake-shop.ts';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { tpcds, tpcdsTables } from '../../../test/fixtures/sql/trino-tpcds.ts';
import { tpch, tpchTables } from '../../../test/fixtures/sql/trino-tpch.ts';
import { hostileStatements, refusalBy } from '../../../test/harness/hostile-statements.ts';
import { kitDialect } from '../../sql-kit/index.ts';
import { checkSql } from '../check.ts';
import { honestStatements, publishedQueries, typedConditions, typedTables } from '../fixtures/honest-statements.ts';
import { allowedTables } from '../layer-tables.ts';

const snowflake = await kitDialect('snowflake');

hostileStatements(checkSnowflake, [snowflakeHostile], 380);

honestStatements({ check: checkSnowflake, checkReplaced }, snowflakeHonest, snowflakeHarmless);

describe('published queries', () => {
  /** As Snowflake writes it. */
  const snowflakes = (sql: string) =>
    sql.replaceAll(/\bsubstring\((\w+) FROM (\d+) FOR (\d+)\)/gi, 'substring($1, $2, $3)');
  const queries: Readonly<Record<string, string>> = {
    ...Object.fromEntries(tpch.map((sql, at) => [`TPC-H ${at + 1}`, sql])),
    ...tpcds,
  };
  const own = Object.entries(queries).map(([name, sql]) => [name, snowflakes(sql)]);
  publishedQueries(
    snowflake,
    [...tpchTables, ...tpcdsTables].map((one) => one.toUpperCase()),
    Object.fromEntries(own),
  );
});

describe('the print', () => {
  test.each([
    ['select  count(*)  n from orders where total>5', 'SELECT COUNT(*) AS N FROM ORDERS WHERE TOTAL > 5'],
    ['SELECT id FROM orders OFFSET 3', 'SELECT ID FROM ORDERS LIMIT NULL OFFSET 3'],
    ['SELECT id FROM lake.main.orders', 'SELECT ID FROM ORDERS'],
    ['SELECT l.id FROM CRM.Sales.Leads l', 'SELECT L.ID FROM CRM.SALES.LEADS AS L'],
    [
      'SELECT "TOP", "IDENTIFIER" AS top, "CURRENT_DATE" FROM orders',
      'SELECT "TOP", "IDENTIFIER" AS "TOP", "CURRENT_DATE" FROM ORDERS',
    ],
    [
      'SELECT id::OBJECT(a INT, "b c" VARCHAR NOT NULL) FROM orders',
      'SELECT CAST(ID AS OBJECT(a INT, "b c" VARCHAR NOT NULL)) FROM ORDERS',
    ],
    ['SELECT id AS "Id", "id" FROM "ORDERS"', 'SELECT ID AS "Id", "id" FROM ORDERS'],
    [
      'WITH orders AS (SELECT 1 AS id) SELECT o.id FROM lake.main.orders o',
      'WITH ORDERS AS (SELECT 1 AS ID) SELECT O.ID FROM MAIN.ORDERS AS O',
    ],
    ["SELECT 'it\\'s', 'a\\\\', $$'\\'$$", "SELECT 'it''s', 'a\\\\', '''\\\\'''"],
    ["SELECT '\\\\', 1 -- ', 2", "SELECT '\\\\', 1"],
    ["SELECT 'a\\z\\%\\_'", "SELECT 'az%_'"],
    ['SELECT id // x\rFROM orders', 'SELECT ID FROM ORDERS'],
    ['SELECT 4//2\n/2', 'SELECT 4 / 2'],
    ['SELECT - -1, 1 - -1, 1 / (2 / 3)', 'SELECT -(-1), 1 - -1, 1 / (2 / 3)'],
    ['SELECT a$$b, "a$" FROM orders', 'SELECT "A$$B", "a$" FROM ORDERS'],
    ['SELECT "a""b" AS "/*" FROM orders', 'SELECT "a""b" AS "/*" FROM ORDERS'],
    ['SELECT src:Customer.Name::string FROM orders', 'SELECT CAST(SRC:"Customer"."Name" AS STRING) FROM ORDERS'],
    ['SELECT 1 MINUS SELECT 2', 'SELECT 1 EXCEPT SELECT 2'],
    ['SELECT name FROM orders GROUP BY name', 'SELECT NAME FROM ORDERS GROUP BY NAME'],
    [
      "SELECT DATEDIFF(MONTH, a, b), INTERVAL '3' month FROM orders",
      "SELECT DATEDIFF('month', A, B), INTERVAL '3 month' FROM ORDERS",
    ],
    [
      "SELECT DATE_TRUNC(month, d), DATE_TRUNC('month', day), DATE_TRUNC(d, 'month'), DATE_TRUNC(a, month) FROM orders",
      "SELECT DATE_TRUNC('month', D), DATE_TRUNC('month', DAY), DATE_TRUNC(D, 'month'), DATE_TRUNC(A, 'month') FROM ORDERS",
    ],
    ['SELECT id RLIKE status FROM orders', 'SELECT ID REGEXP STATUS FROM ORDERS'],
    [
      'SELECT s.name FROM salaries s',
      "SELECT S.NAME FROM (SELECT SALARIES.NAME, LEFT(SALARIES.EMAIL, 1) || '***' AS EMAIL FROM SALARIES) AS S",
    ],
  ])('of %s', (sql, printed) => {
    expect(checkSnowflake(sql).sql).toBe(printed);
  });

  test('works out by itself what a policy leaves over where a condition may fail', () => {
    expect(checkReplaced('SELECT id FROM orders WHERE 1 / total > 1').sql).toContain(
      "WHERE 'every' = 'every' LIMIT 9223372036854775807)",
    );
    expect(checkReplaced('SELECT id FROM orders WHERE status IS NULL').sql).not.toContain('LIMIT');
    expect(checkReplaced('SELECT f.value FROM events, LATERAL FLATTEN(INPUT => tags) f').sql).toContain('LIMIT');
  });
});

test('a hidden column is none, though its name is that of a part of a date', () => {
  const salaries = entity('SALARIES', [{ name: 'NAME' }, { name: 'D', hidden: true }]);
  const { tables } = allowedTables([salaries], snowflake);
  const check = (sql: string) => checkSql(sql, { tables });
  for (const sql of ["DATE_TRUNC('year', d)", 'DATE_TRUNC(year, d)', "DATE_TRUNC(d, 'year')"]) {
    expect(refusalBy(check, `SELECT ${sql} FROM salaries`).message).toContain(
      'Column "D" of "SALARIES" cannot be read',
    );
  }
  expect(check('SELECT DATE_TRUNC(d, name) FROM salaries').sql).toMatch(/^SELECT DATE_TRUNC\('d', NAME\) FROM \(/);
});

describe('where the types of columns are known', () => {
  const types = {
    ID: 'NUMBER(38,0)',
    STATUS: 'TEXT',
    TOTAL: 'FLOAT',
    ORDERED_AT: 'TIMESTAMP_NTZ',
    DAY: 'DATE',
    PRICE: 'NUMBER(10,2)',
    DATA: 'VARIANT',
  };
  const tables = typedTables(snowflake, 'ORDERS', types);

  typedConditions(
    { tables, dialect: snowflake },
    [
      "status = 'paid' AND id IN (1, 2) AND total >= 5",
      "day >= DATE '2024-01-31' OR day < current_date - 7",
      'ordered_at > current_timestamp AND NOT status IS NULL',
      "NOT status LIKE 'p%' AND status IS NOT NULL",
    ],
    [
      'id / total > 1',
      'price > 1',
      'id > 1.5',
      'id IN (1, 1.0)',
      'CAST(status AS NUMBER) = 1',
      'total = id',
      'data:a > 1',
      'REGEXP_LIKE(status, status)',
      "day >= DATE '2024-13-31'",
      'YEAR(day) = 2024',
    ],
  );
});

describe('what a refusal says', () => {
  test.each([
    ['SELECT * FROM secrets', 'Table "SECRETS" is not in the semantic layer'],
    ['SELECT * FROM "orders"', 'Table "orders" is not in the semantic layer; did you mean "ORDERS"'],
    ['SELECT * FROM other.main.orders', 'Table "OTHER.MAIN.ORDERS" is not in the semantic layer'],
    ['SELECT * FROM TABLE(f())', 'Table function "F" is not allowed'],
    ['SELECT * FROM orders AT (OFFSET => -60)', 'Earlier versions of a table cannot be read'],
    ['SELECT seq.nextval', 'NEXTVAL changes a sequence'],
    ['SELECT $1 FROM orders', 'Columns cannot be read by their places'],
    ['SELECT * FROM @stage', 'Stages and their files cannot be read'],
  ])('%s', (sql, message) => {
    expect(refusalBy(checkSnowflake, sql).message).toContain(message);
  });

  test.each([
    ["SELECT strftime(ordered_at, '%Y') FROM orders", "TO_CHAR(column, 'YYYY-MM')"],
    ['SELECT * FROM orders PIVOT (SUM(total) FOR status IN (1))', 'SUM(IFF('],
    ['SELECT TOP 5 id FROM orders', 'LIMIT'],
    ['SELECT INTERVAL 1 DAY', "INTERVAL '1 day'"],
    ['SELECT id FROM orders CONNECT BY PRIOR id = id', 'WITH RECURSIVE'],
    ['SELECT count(*) FILTER (WHERE id > 1) FROM orders', 'COUNT_IF'],
    ['SELECT * FROM orders ASOF JOIN customers', 'QUALIFY'],
    ['SELECT * FROM FLATTEN(tags)', 'LATERAL FLATTEN(INPUT => column)'],
  ])('hint of %s', (sql, hint) => {
    expect(refusalBy(checkSnowflake, sql).hint).toContain(hint);
  });
});
