/** Honest statements through guard, second check and recorded protocol, with and without row security. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdbShopScript } from '../../test/fixtures/sql/duckdb-shop.ts';
import { trinoHonest } from '../../test/fixtures/sql/trino-honest.ts';
import { trinoHarmless } from '../../test/fixtures/sql/trino-hostile.ts';
import { type GuardedShopInit, guardedShop, testGuardedShop } from '../../test/harness/guarded-shop.ts';
import { type Coordinator, startCoordinator } from './fixtures/coordinator.ts';
import { duckdbAnswers } from './fixtures/duckdb-answers.ts';
import { datasourceTrino } from './index.ts';

const TABLES = ['customers', 'orders', 'order_items', 'group', 'Größe', 'events'];
const entity = (table: string, more = '') =>
  `name: e_${table}\ntable: ${table}\n${more}dimensions:\n  - { name: id }\n`;
const SALARIES = `table: salaries
dimensions:
  - { name: employee_id, hidden: true }
  - { name: name }
  - { name: email, mask: "substr(email, 1, 1) || '***'" }
  - { name: amount, hidden: true }
`;

/** Another catalog. */
const CRM = `ATTACH ':memory:' AS crm; CREATE SCHEMA crm.sales; CREATE TABLE crm.sales.leads (id INTEGER, name VARCHAR);
  INSERT INTO crm.sales.leads VALUES (1, 'a'), (2, 'b'), (30, 'c'); CREATE TABLE crm.sales.secrets (v VARCHAR);`;

let server: Coordinator;
beforeAll(async () => {
  server = await startCoordinator({ answer: await duckdbAnswers(duckdbShopScript + CRM) });
});
afterAll(() => server?.[Symbol.asyncDispose]());

const init: GuardedShopInit = {
  dbType: 'trino',
  layer: {
    ...Object.fromEntries(TABLES.map((table, at) => [`entities/e${at}.yml`, entity(table)])),
    'entities/totals.yml': entity('order_totals', 'type: view\n'),
    'entities/people.yml': entity('people', 'schema: hr\n'),
    'entities/salaries.yml': SALARIES,
    'entities/leads.yml': entity('crm.sales.leads'),
  },
  tables: [...TABLES, 'order_totals', 'hr.people', 'salaries', 'crm.sales.leads'],
  tenant: 'x',
  plugin: () => datasourceTrino({ connections: [{ id: 'default', url: server.url.replace(/shop$/, 'main') }] }),
};

testGuardedShop(init, {
  honest: trinoHonest,
  otherwise: /now\(\)|current_|local|salaries|OVER \(ORDER BY total\)|LIMIT 1\b|x'61 74'|U&'/i,
  compared: 90,
  harmless: trinoHarmless,
  ran: 12,
  everyRow: { policies: [{ tables: [...TABLES, 'order_totals'], condition: "'x' = {claim}", claim: 'tenant' }] },
});

test('a claim decides which rows there are, of texts and numbers', async () => {
  const own = { policies: [{ tables: ['orders'], condition: 'id <= {claim}', claim: 'id' }] };
  await using shop = await guardedShop(init, own);
  const ids = await shop.guarded('SELECT id FROM orders AS o WHERE 1 / o.id > 0 ORDER BY id OFFSET 1 LIMIT 5');
  expect(ids.rows).toEqual([{ id: 2 }, { id: 3 }]);
  expect((await shop.guarded('SELECT count(*) AS n FROM orders, customers')).rows).toEqual([{ n: 36 }]);
});

test('tables of several catalogs are asked together, each with its own policy', async () => {
  const own = { policies: [{ tables: ['crm.sales.leads'], condition: 'id <= {claim}', claim: 'id' }] };
  await using shop = await guardedShop(init, own);
  const sql = 'SELECT l.name, o.status FROM crm.sales.leads AS l JOIN orders AS o ON o.id = l.id ORDER BY 1';
  expect((await shop.guarded(sql)).rows).toEqual([
    { name: 'a', status: 'open' },
    { name: 'b', status: 'cancelled' },
  ]);
  for (const table of ['crm.sales.secrets', 'sales.leads', 'leads', 'other.sales.leads', 'crm.main.orders']) {
    await expect(shop.guarded(`SELECT * FROM ${table}`)).rejects.toMatchObject({ code: 'sql_refused' });
  }
});
