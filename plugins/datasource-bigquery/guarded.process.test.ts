/** Honest statements through guard, dry run and recorded protocol, with and without row security. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bigqueryHonest } from '../../test/fixtures/sql/bigquery-honest.ts';
import { bigqueryHarmless } from '../../test/fixtures/sql/bigquery-hostile.ts';
import { duckdbShopScript } from '../../test/fixtures/sql/duckdb-shop.ts';
import { type GuardedShopInit, guardedShop, testGuardedShop } from '../../test/harness/guarded-shop.ts';
import { type Api, startApi, urlOf } from './fixtures/api.ts';
import { duckdbAnswers } from './fixtures/duckdb-answers.ts';
import { datasourceBigquery } from './index.ts';

const TABLES = ['customers', 'orders', 'order_items', 'group', 'Größe', 'events'];
const entity = (table: string, more = '') =>
  `name: e_${table.replaceAll(/\W/g, '_')}\ntable: ${table}\n${more}dimensions:\n  - { name: id }\n`;
const SALARIES = `table: salaries
dimensions:
  - { name: employee_id, hidden: true }
  - { name: name }
  - { name: email, mask: "CONCAT(SUBSTR(email, 1, 1), '***')" }
  - { name: amount, hidden: true }
`;

/** Another project. */
const CRM = `ATTACH ':memory:' AS "crm-1"; CREATE SCHEMA "crm-1".sales;
  CREATE TABLE "crm-1".sales.leads (id INTEGER, name VARCHAR);
  INSERT INTO "crm-1".sales.leads VALUES (1, 'a'), (2, 'b'), (30, 'c'); CREATE TABLE "crm-1".sales.secrets (v VARCHAR);`;

let server: Api;
beforeAll(async () => {
  server = await startApi(await duckdbAnswers(duckdbShopScript + CRM));
});
afterAll(() => server?.[Symbol.asyncDispose]());

const init: GuardedShopInit = {
  dbType: 'bigquery',
  layer: {
    ...Object.fromEntries(TABLES.map((table, at) => [`entities/e${at}.yml`, entity(table)])),
    'entities/totals.yml': entity('order_totals', 'type: view\n'),
    'entities/people.yml': entity('people', 'schema: hr\n'),
    'entities/salaries.yml': SALARIES,
    'entities/leads.yml': entity('crm-1.sales.leads'),
  },
  tables: [...TABLES, 'order_totals', 'hr.people', 'salaries', 'crm-1.sales.leads'],
  tenant: "x'\\",
  plugin: () => datasourceBigquery({ connections: [{ id: 'default', url: urlOf(server.port, 'lake/main') }] }),
};

testGuardedShop(init, {
  honest: bigqueryHonest,
  otherwise: /CURRENT_|salaries|OVER \(ORDER BY total\)|ORDER BY total\)|TABLESAMPLE|ANY_VALUE|UUID/i,
  compared: 70,
  harmless: bigqueryHarmless,
  ran: 12,
  everyRow: { policies: [{ tables: [...TABLES, 'order_totals'], condition: "'x\\'\\\\' = {claim}", claim: 'tenant' }] },
});

test('a claim decides which rows there are, and is bound beside the statement', async () => {
  const own = { policies: [{ tables: ['orders'], condition: 'id <= {claim}', claim: 'id' }] };
  await using shop = await guardedShop(init, own);
  const ids = await shop.guarded('SELECT id FROM orders AS o WHERE 1 / o.id > 0 ORDER BY id LIMIT 5 OFFSET 1');
  expect(ids.rows).toEqual([{ id: 2 }, { id: 3 }]);
  expect((await shop.guarded('SELECT COUNT(*) AS n FROM orders, customers')).rows).toEqual([{ n: 36 }]);
  expect(server.asked.findLast(({ url }) => url === 'lake/queries')?.body).toMatchObject({
    parameterMode: 'POSITIONAL',
    queryParameters: [{ parameterType: { type: 'INT64' }, parameterValue: { value: '3' } }],
  });
});

test('tables of several projects are asked together, each with its own policy', async () => {
  const own = { policies: [{ tables: ['crm-1.sales.leads'], condition: 'id <= {claim}', claim: 'id' }] };
  await using shop = await guardedShop(init, own);
  const sql = 'SELECT l.name, o.status FROM crm-1.sales.leads AS l JOIN orders AS o ON o.id = l.id ORDER BY 1';
  expect((await shop.guarded(sql)).rows).toEqual([
    { name: 'a', status: 'open' },
    { name: 'b', status: 'cancelled' },
  ]);
  for (const table of ['crm-1.sales.secrets', 'sales.leads', 'leads', 'other.sales.leads', 'crm-1.main.orders']) {
    await expect(shop.guarded(`SELECT * FROM ${table}`)).rejects.toMatchObject({ code: 'sql_refused' });
  }
});

test('arrays are read of the rows that a policy shows', async () => {
  const own = { policies: [{ tables: ['events'], condition: 'id < {claim}', claim: 'id' }] };
  await using shop = await guardedShop(init, own);
  const { rows } = await shop.guarded('SELECT e.id, tag FROM events AS e, e.tags AS tag ORDER BY tag');
  expect(rows).toEqual([
    { id: 1, tag: 'a' },
    { id: 1, tag: 'b' },
  ]);
});
