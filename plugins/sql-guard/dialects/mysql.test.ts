import mysql2 from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mysqlHonest, mysqlRelevance } from '../../../test/fixtures/sql/mysql-honest.ts';
import { mysqlHarmless, mysqlHostile } from '../../../test/fixtures/sql/mysql-hostile.ts';
import { checkMysql, mysqlShop } from '../../../test/fixtures/sql/mysql-shop.ts';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { hostileStatements } from '../../../test/harness/hostile-statements.ts';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../../test/harness/mariadb.ts';
import { suiteNeeding } from '../../../test/harness/require.ts';
import { DEFAULT_LIMITS, kitDialect, parseStatement, printSelect } from '../../sql-kit/index.ts';
import { checkSql } from '../check.ts';
import { allowedTables } from '../layer-tables.ts';

const mysql = await kitDialect('mysql');

hostileStatements(checkMysql, [mysqlHostile], 150);

describe('the print', () => {
  test.each([
    ['select  count(*)  as n from orders where total>5', 'SELECT count(*) AS n FROM orders WHERE total > 5'],
    ['SELECT "it\'s" AS x', "SELECT 'it''s' AS x"],
    ["SELECT 'a\\\\b' AS x", "SELECT 'a\\\\b' AS x"],
    ['SELECT a || b && c AS x FROM orders', 'SELECT a OR b AND c AS x FROM orders'],
    ['SELECT `order` FROM orders', 'SELECT `order` FROM orders'],
    ['SELECT total+1 FROM orders', 'SELECT total + 1 AS `total+1` FROM orders'],
    ['SELECT NOT a = 1 AS x FROM orders', 'SELECT NOT (a = 1) AS x FROM orders'],
    ['SELECT id FROM orders LIMIT 3, 5', 'SELECT id FROM orders LIMIT 5 OFFSET 3'],
    ['SELECT a RLIKE b AS x FROM orders', 'SELECT a REGEXP b AS x FROM orders'],
    ['SELECT id -- x\nFROM orders # y\n/* z */', 'SELECT id FROM orders'],
    [
      "SELECT doc->'$.a' AS a, doc->>'$.b' AS b FROM orders",
      "SELECT doc -> '$.a' AS a, doc ->> '$.b' AS b FROM orders",
    ],
    ["SELECT 1 MEMBER OF('[1]') AS x", "SELECT 1 MEMBER OF ('[1]') AS x"],
    ['VALUES ROW(1, 2), ROW(3, 4)', 'VALUES ROW(1, 2), ROW(3, 4)'],
    ['TABLE orders', 'SELECT * FROM orders'],
    ['SELECT id FROM orders, LATERAL (SELECT 1) AS x (a)', 'SELECT id FROM orders, LATERAL (SELECT 1) AS x (a)'],
  ])('of %s', (sql, printed) => {
    expect(checkMysql(sql).sql).toBe(printed);
  });
});

describe('what may be seen of a table', () => {
  test('goes by the name that the statement gives it', () => {
    expect(checkMysql('SELECT s.name FROM salaries AS s, salaries').sql).toBe(
      "SELECT s.name FROM (SELECT s.name, concat(left(s.email, 1), '***') AS email FROM salaries AS s) AS s, " +
        "(SELECT salaries.name, concat(left(salaries.email, 1), '***') AS email FROM salaries) AS salaries",
    );
  });

  test.each([
    ['SELECT s.name FROM customers AS c LEFT JOIN salaries AS s ON s.name = c.name', true],
    ['SELECT row_number() OVER (ORDER BY name) AS n FROM salaries', true],
    ['SELECT left(name, 1) AS n FROM salaries', false],
  ])('is worked out by itself where MariaDB would mix it up: %s', (sql, isSeparate) => {
    expect(/FROM salaries(?: AS s)? LIMIT 18446744073709551615\)/.test(checkMysql(sql).sql)).toBe(isSeparate);
  });
});

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('on a real server', () => {
  let server: MariaDbServer;
  let db: mysql2.Connection;
  beforeAll(async () => {
    server = await startMariaDb();
    db = await mysql2.createConnection(server.url);
    for (const statement of mysqlShop) await db.query(statement);
  }, 120_000);
  afterAll(async () => {
    await db?.end();
    await server?.stop();
  });

  async function run(sql: string) {
    const [rows, fields] = await db.query<mysql2.RowDataPacket[][]>({ sql, rowsAsArray: true });
    return { columns: fields.map(({ name }) => name), rows };
  }

  describe('honest statements', () => {
    test('are many and different', () => {
      expect(new Set(mysqlHonest).size).toBe(mysqlHonest.length);
      expect(mysqlHonest.length).toBeGreaterThanOrEqual(120);
    });

    test.each([...mysqlHonest, ...mysqlRelevance])('%s', async (sql) => {
      const { sql: printed } = checkMysql(sql);
      const original = await run(sql);
      const result = await run(printed);
      expect(result.rows).toEqual(original.rows);
      if (!/--|\/\*|#/.test(sql)) expect(result.columns).toEqual(original.columns);
      if (!sql.includes('salaries')) expect(checkMysql(printed).sql).toBe(printed);
    });
  });

  test.each(mysqlHarmless)('harmless: %s', async (sql) => {
    expect(JSON.stringify((await run(checkMysql(sql).sql)).rows)).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
  });

  test('operators bind as the server has them', async () => {
    const infix = '+ - * / DIV MOD % ^ & | << >> = <=> <> < >= AND OR XOR || &&'.split(' ');
    const tests = ['LIKE 1', 'NOT REGEXP 2', 'IS NULL', 'IS NOT TRUE', 'IN (1, 2)', 'BETWEEN 1 AND 2', 'SOUNDS LIKE 1'];
    const signs = ['', '', '', '-', '!', 'NOT ', '~', 'BINARY '];
    const pick = generator(11);
    const operators = new Set(['chain', 'like', 'between', 'in', 'prefix', 'form']);
    let compared = 0;
    for (let turn = 0; turn < 1500; turn += 1) {
      let text = `${pick(signs)}${pick(['0', '1', '2', '3'])}`;
      let hasTest = false;
      for (let length = 1 + pick([0, 1, 2, 3]); length > 0; length -= 1) {
        // Two tests side by side are refused: servers do not agree on them.
        const isTest: boolean = !hasTest && pick([false, false, true]);
        hasTest ||= isTest;
        text += isTest ? ` ${pick(tests)}` : ` ${pick(infix)} ${pick(signs.slice(0, 5))}${pick(['0', '1', '2', '3'])}`;
      }
      const sql = `SELECT ${text} AS v`;
      const original = await run(sql).catch(() => undefined);
      if (original === undefined) continue;
      const tree = parseStatement(sql, mysql, DEFAULT_LIMITS);
      const explicit = JSON.parse(JSON.stringify(tree), (_, value) =>
        operators.has(value?.kind) ? { kind: 'row', at: 0, items: [value] } : value,
      );
      expect(await run(printSelect(explicit, mysql)), sql).toEqual(original);
      expect(await run(printSelect(tree, mysql)), sql).toEqual(original);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(700);
  }, 60_000);
});

describe("the connection's database", () => {
  const layer = [
    entity('orders', []),
    entity('salaries', [{ name: 'name' }, { name: 'pay', hidden: true }], { schema: 'Shop' }),
  ];
  const checkIn = (database: string, sql: string) => {
    const { tables } = allowedTables(layer, mysql.forConnection!({ schema: database, maskedUrl: '' }));
    return checkSql(sql, { tables }).sql;
  };

  test('may be named before its tables', () => {
    expect(checkIn('Shop', 'SELECT Shop.orders.id FROM Shop.orders')).toBe('SELECT orders.id FROM orders');
    expect(checkIn('Shop', 'SELECT * FROM salaries')).toBe(checkIn('Shop', 'SELECT * FROM Shop.salaries'));
    expect(checkIn('Shop', 'WITH orders AS (SELECT 1) SELECT * FROM Shop.orders')).toContain('FROM Shop.orders');
  });

  test('is no other', () => {
    expect(() => checkIn('Shop', 'SELECT * FROM shop.orders')).toThrow('Table "shop.orders"');
    expect(() => checkIn('', 'SELECT * FROM Shop.orders')).toThrow('Table "Shop.orders"');
    expect(() => checkIn('Other', 'SELECT * FROM salaries')).toThrow('Table "salaries"');
    expect(() => checkIn('Shop', 'SELECT pay FROM Shop.salaries')).toThrow('cannot be read');
  });
});

/** Draws the same things in every run. */
function generator(seed: number) {
  let state = seed;
  return <T>(choices: readonly T[]): T => {
    state = (state * 48271) % 2147483647;
    return choices[state % choices.length]!;
  };
}
