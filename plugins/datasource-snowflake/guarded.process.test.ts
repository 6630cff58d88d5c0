/**
 * Honest statements through guard, second check and recorded protocol, with and without row security: they say the same as
 * when they are run as they were written, where DuckDB, which is behind the protocol, understands them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasourceExecute } from '../../kernel/index.ts';
import { duckdbShopScript } from '../../test/fixtures/sql/duckdb-shop.ts';
import { snowflakeHonest } from '../../test/fixtures/sql/snowflake-honest.ts';
import { snowflakeHarmless } from '../../test/fixtures/sql/snowflake-hostile.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { createTestApp } from '../../test/testing.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
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

async function start(policies: Parameters<typeof rowSecurity>[0] | undefined) {
  const layer = layerFolder({
    ...Object.fromEntries(TABLES.map((table, at) => [`entities/e${at}.yml`, entity(table)])),
    'entities/people.yml': entity('PEOPLE', 'schema: HR\n'),
    'entities/salaries.yml': SALARIES,
    'entities/leads.yml': entity('CRM.SALES.LEADS'),
  });
  const url = server.url.replace('/shop?', '/main?');
  const app = await createTestApp({
    plugins: [
      semanticLayer({ dir: layer.dir }),
      sqlGuard(),
      ...(policies === undefined ? [] : [rowSecurity(policies)]),
      datasourceSnowflake({ connections: [{ id: 'default', url }] }),
    ],
  });
  const actor = { id: 's', label: 's', role: 'analyst', mode: 'test', claims: { tenant: "x\\'y", id: 3 } } as const;
  return {
    async guarded(sql: string) {
      return (await app.runSql({ sql, surface: 'test' }, app.scope({ actor }))).result;
    },
    /** As it was written; `undefined` where DuckDB does not understand it. */
    async plain(sql: string) {
      const connection = { id: 'default', dbType: 'snowflake', maskedUrl: '' };
      const tables = [...TABLES, 'HR.PEOPLE', 'SALARIES', 'CRM.SALES.LEADS'];
      const statement = { connection, requested: sql, sql, params: [], surface: 'test', tables };
      return app.callKey(datasourceExecute, 'default', statement, app.scope({ actor }), 10_000).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      layer[Symbol.dispose]();
    },
  };
}

const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(Object.values(row))).sort();
/** Moments, what is masked, rows without an order, samples, and texts that DuckDB reads in another way. */
const OTHERWISE = /current_|local|salaries|ANY_VALUE|MODE|LIMIT 1\b|\\\\|\$\$|SAMPLE|small|7 \/ 2/i;

const all = { policies: [{ tables: TABLES, condition: "'x\\\\''y' = {claim}", claim: 'tenant' }] };

test.each([
  ['the guard', undefined],
  ['row security that shows every row', all],
])('statements say the same under %s', { timeout: 120_000 }, async (_, policies) => {
  await using shop = await start(policies);
  let compared = 0;
  for (const sql of snowflakeHonest.filter((text) => !OTHERWISE.test(text))) {
    const plain = await shop.plain(sql);
    if (plain === undefined) continue;
    compared += 1;
    const { rows } = await shop.guarded(sql);
    expect(inOrder(rows), sql).toEqual(inOrder(plain.rows));
  }
  expect(compared).toBeGreaterThan(80);
});

test('what is hidden stays hidden', async () => {
  await using shop = await start(undefined);
  let ran = 0;
  for (const sql of snowflakeHarmless) {
    const result = await shop.guarded(sql).catch(() => undefined);
    ran += result === undefined ? 0 : 1;
    expect(JSON.stringify(result?.rows.map(Object.values) ?? []), sql).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
  }
  expect(ran).toBeGreaterThan(15);
});

test('a claim decides which rows there are, of texts and numbers', async () => {
  const own = { policies: [{ tables: ['ORDERS'], condition: 'ID <= {claim}', claim: 'id' }] };
  await using shop = await start(own);
  const ids = await shop.guarded('SELECT id AS "n" FROM orders AS o WHERE 1 / o.id > 0 ORDER BY id LIMIT 5 OFFSET 1');
  expect(ids.rows).toEqual([{ n: 2 }, { n: 3 }]);
  expect((await shop.guarded('SELECT count(*) AS "n" FROM orders, customers')).rows).toEqual([{ n: 36 }]);
  const stars = await shop.guarded('SELECT * EXCLUDE (status) RENAME (id AS total_id) FROM orders');
  expect(stars.rows).toHaveLength(3);
});

test('tables of several databases are asked together, each with its own policy', async () => {
  const own = { policies: [{ tables: ['CRM.SALES.LEADS'], condition: 'ID <= {claim}', claim: 'id' }] };
  await using shop = await start(own);
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
