/** Honest statements through guard, second check and recorded protocol, with and without row security. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdbShopScript } from '../../test/fixtures/sql/duckdb-shop.ts';
import { snowflakeHonest } from '../../test/fixtures/sql/snowflake-honest.ts';
import { snowflakeHarmless } from '../../test/fixtures/sql/snowflake-hostile.ts';
import { type GuardedShopInit, guardedShop, testGuardedShop } from '../../test/harness/guarded-shop.ts';
import { type Account, startAccount } from './fixtures/account.ts';
import { duckdbAnswers } from './fixtures/duckdb-answers.ts';
import { datasourceSnowflake } from './index.ts';

const TABLES = ['CUSTOMERS', 'ORDERS', 'ORDER_ITEMS', 'GROUP', 'Größe', 'EVENTS', 'ORDER_TOTALS'];
const entity = (table: string, more = '') =>
  `name: e_${table}\ntable: "${table}"\n${more}dimensions:\n  - { name: ID }\n`;
const SALARIES = `table: SALARIES
dimensions:
  - { name: EMPLOYEE_ID, hidden: true }
  - { name: NAME }
  - { name: EMAIL, mask: "LEFT(EMAIL, 1) || '***'" }
  - { name: AMOUNT, hidden: true }
`;

/** Another database. */
const CRM = `ATTACH ':memory:' AS CRM; CREATE SCHEMA CRM.SALES; CREATE TABLE CRM.SALES.LEADS (ID INTEGER, NAME VARCHAR);
  INSERT INTO CRM.SALES.LEADS VALUES (1, 'a'), (2, 'b'), (30, 'c'); CREATE TABLE CRM.SALES.SECRETS (V VARCHAR);`;

let server: Account;
beforeAll(async () => {
  server = await startAccount({ answer: await duckdbAnswers(duckdbShopScript + CRM) });
});
afterAll(() => server?.[Symbol.asyncDispose]());

const init: GuardedShopInit = {
  dbType: 'snowflake',
  layer: {
    ...Object.fromEntries(TABLES.map((table, at) => [`entities/e${at}.yml`, entity(table)])),
    'entities/people.yml': entity('PEOPLE', 'schema: HR\n'),
    'entities/salaries.yml': SALARIES,
    'entities/leads.yml': entity('CRM.SALES.LEADS'),
  },
  tables: [...TABLES, 'HR.PEOPLE', 'SALARIES', 'CRM.SALES.LEADS'],
  tenant: "x\\'y",
  plugin: () => datasourceSnowflake({ connections: [{ id: 'default', url: server.url.replace('/shop?', '/main?') }] }),
};

testGuardedShop(init, {
  honest: snowflakeHonest,
  otherwise: /current_|local|salaries|ANY_VALUE|MODE|LIMIT 1\b|\\\\|\$\$|SAMPLE|small|7 \/ 2/i,
  compared: 80,
  harmless: snowflakeHarmless,
  ran: 15,
  everyRow: { policies: [{ tables: TABLES, condition: "'x\\\\''y' = {claim}", claim: 'tenant' }] },
});

test('a claim decides which rows there are, of texts and numbers', async () => {
  const own = { policies: [{ tables: ['ORDERS'], condition: 'ID <= {claim}', claim: 'id' }] };
  await using shop = await guardedShop(init, own);
  const ids = await shop.guarded('SELECT id AS "n" FROM orders AS o WHERE 1 / o.id > 0 ORDER BY id LIMIT 5 OFFSET 1');
  expect(ids.rows).toEqual([{ n: 2 }, { n: 3 }]);
  expect((await shop.guarded('SELECT count(*) AS "n" FROM orders, customers')).rows).toEqual([{ n: 36 }]);
  const stars = await shop.guarded('SELECT * EXCLUDE (status) RENAME (id AS total_id) FROM orders');
  expect(stars.rows).toHaveLength(3);
});

test('tables of several databases are asked together, each with its own policy', async () => {
  const own = { policies: [{ tables: ['CRM.SALES.LEADS'], condition: 'ID <= {claim}', claim: 'id' }] };
  await using shop = await guardedShop(init, own);
  const sql =
    'SELECT l.name AS "a", o.status AS "b" FROM crm.sales.leads AS l JOIN orders AS o ON o.id = l.id ORDER BY 1';
  expect((await shop.guarded(sql)).rows).toEqual([
    { a: 'a', b: 'open' },
    { a: 'b', b: 'cancelled' },
  ]);
  for (const table of [
    'crm.sales.secrets',
    'sales.leads',
    'leads',
    'other.sales.leads',
    'crm.main.orders',
    '"orders"',
  ]) {
    await expect(shop.guarded(`SELECT * FROM ${table}`)).rejects.toMatchObject({ code: 'sql_refused' });
  }
});
