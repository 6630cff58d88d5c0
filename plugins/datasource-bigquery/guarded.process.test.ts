/**
 * Honest statements through guard, dry run and recorded protocol, with and without row security: they say the same as when
 * they are run as they were written, where DuckDB, which is behind the protocol, understands them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasourceExecute } from '../../kernel/index.ts';
import { bigqueryHonest } from '../../test/fixtures/sql/bigquery-honest.ts';
import { bigqueryHarmless } from '../../test/fixtures/sql/bigquery-hostile.ts';
import { duckdbShopScript } from '../../test/fixtures/sql/duckdb-shop.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { createTestApp } from '../../test/testing.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
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

async function start(policies: Parameters<typeof rowSecurity>[0] | undefined) {
  const layer = layerFolder({
    ...Object.fromEntries(TABLES.map((table, at) => [`entities/e${at}.yml`, entity(table)])),
    'entities/totals.yml': entity('order_totals', 'type: view\n'),
    'entities/people.yml': entity('people', 'schema: hr\n'),
    'entities/salaries.yml': SALARIES,
    'entities/leads.yml': entity('crm-1.sales.leads'),
  });
  const app = await createTestApp({
    plugins: [
      semanticLayer({ dir: layer.dir }),
      sqlGuard(),
      ...(policies === undefined ? [] : [rowSecurity(policies)]),
      datasourceBigquery({ connections: [{ id: 'default', url: urlOf(server.port, 'lake/main') }] }),
    ],
  });
  const actor = { id: 's', label: 's', role: 'analyst', mode: 'test', claims: { tenant: "x'\\", id: 3 } } as const;
  return {
    async guarded(sql: string) {
      return (await app.runSql({ sql, surface: 'test' }, app.scope({ actor }))).result;
    },
    /** As it was written; `undefined` where DuckDB does not understand it. */
    async plain(sql: string) {
      const connection = { id: 'default', dbType: 'bigquery', maskedUrl: '' };
      const tables = [...TABLES, 'order_totals', 'hr.people', 'salaries', 'crm-1.sales.leads'];
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
/** Moments, what is masked, samples and rows without an order. */
const OTHERWISE = /CURRENT_|salaries|OVER \(ORDER BY total\)|ORDER BY total\)|TABLESAMPLE|ANY_VALUE|UUID/i;

const all = { policies: [{ tables: [...TABLES, 'order_totals'], condition: "'x\\'\\\\' = {claim}", claim: 'tenant' }] };

test.each([
  ['the guard', undefined],
  ['row security that shows every row', all],
])('statements say the same under %s', { timeout: 120_000 }, async (_, policies) => {
  await using shop = await start(policies);
  let compared = 0;
  for (const sql of bigqueryHonest.filter((text) => !OTHERWISE.test(text))) {
    const plain = await shop.plain(sql);
    if (plain === undefined) continue;
    compared += 1;
    const { rows } = await shop.guarded(sql);
    expect(inOrder(rows), sql).toEqual(inOrder(plain.rows));
  }
  expect(compared).toBeGreaterThan(70);
});

test('what is hidden stays hidden', async () => {
  await using shop = await start(undefined);
  let ran = 0;
  for (const sql of bigqueryHarmless) {
    const result = await shop.guarded(sql).catch(() => undefined);
    ran += result === undefined ? 0 : 1;
    expect(JSON.stringify(result?.rows.map(Object.values) ?? []), sql).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
  }
  expect(ran).toBeGreaterThan(12);
});

test('a claim decides which rows there are, and is bound beside the statement', async () => {
  const own = { policies: [{ tables: ['orders'], condition: 'id <= {claim}', claim: 'id' }] };
  await using shop = await start(own);
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
  await using shop = await start(own);
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
  await using shop = await start(own);
  const { rows } = await shop.guarded('SELECT e.id, tag FROM events AS e, e.tags AS tag ORDER BY tag');
  expect(rows).toEqual([
    { id: 1, tag: 'a' },
    { id: 1, tag: 'b' },
  ]);
});
