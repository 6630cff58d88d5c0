/** An engine that Atlas does not know, brought by one folder: questions are answered under guard and row security. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Actor, definePlugin, type PluginEntry } from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { modelOffline } from '../../plugins/model-offline/index.ts';
import { modelOpenai } from '../../plugins/model-openai/index.ts';
import { rowSecurity } from '../../plugins/row-security/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { semanticQuery } from '../../plugins/semantic-query/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { sqlDialects } from '../../plugins/sql-kit/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';
import { datasourceAcorn } from '../fixtures/fifth-dialect/datasource.ts';
import { acorn } from '../fixtures/fifth-dialect/dialect.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { type LayerFolder, layerFolder } from '../harness/layer-folder.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { SqliteFolder } from '../harness/sqlite.ts';

const DATABASE = `
  CREATE TABLE orders (id INTEGER PRIMARY KEY, tenant TEXT, placed TEXT, "Total Amount" REAL, card TEXT);
  INSERT INTO orders VALUES (1, 'oak', '2024-01-05', 10, '4111'), (2, 'oak', '2024-01-20', 5, '4222'),
    (3, 'oak', '2024-02-01', 7, '4333'), (4, 'elm', '2024-02-02', 9999, '4999');
`;
const LAYER = {
  'entities/orders.yml': `table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: placed, type: date }
  - { name: amount, type: number, sql: "\`Total Amount\`" }
  - { name: card, hidden: true }
measures:
  - { name: revenue, type: sum, sql: "{amount}" }
`,
};
const actor: Actor = { id: 'u1', label: 'Una', role: 'analyst', mode: 'test', claims: { tenant: 'oak' } };

let databases: SqliteFolder;
let layer: LayerFolder;
let file: string;
beforeAll(() => {
  databases = new SqliteFolder();
  layer = layerFolder(LAYER);
  file = databases.create('acorn.db', DATABASE);
});
afterAll(() => {
  layer[Symbol.dispose]();
  databases[Symbol.dispose]();
});

const start = (...more: readonly PluginEntry[]) =>
  createTestApp({
    plugins: [
      semanticLayer({ dir: layer.dir }),
      semanticQuery(),
      sqlLimits(),
      sqlGuard(),
      rowSecurity({ column: 'tenant', claim: 'tenant' }),
      datasourceAcorn({ file }),
      agent(),
      ...more,
    ],
  });
const question = (text: string) => ({ turns: [{ role: 'user' as const, text }], surface: 'api' });

describe('an engine that only its own folder knows', () => {
  test('is asked without a model, in its own SQL, for the rows of the tenant', async () => {
    await using app = await start(modelOffline());
    const { data, sql } = await app.get(agent).answer(question('revenue by month'), app.scope({ actor }));
    expect(sql.join()).toContain("cut('month', ");
    expect(data[0]?.rows.map((row) => Object.values(row))).toEqual([
      ['2024-01', 15],
      ['2024-02', 7],
    ]);
  });

  test('is asked by a model, which is told what the engine is called', async () => {
    const plan = { measures: ['orders.revenue'], dimensions: [{ dimension: 'orders.placed', grain: 'quarter' }] };
    await using provider = await startOpenAIServer({
      script: [{ toolCall: { name: 'queryMetrics', args: plan } }, { text: '22 in the first quarter.' }],
    });
    await using app = await start(modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url }));
    const { data } = await app.get(agent).answer(question('Revenue by quarter?'), app.scope({ actor }));
    expect(provider.requests[0]?.instructions).toContain('- default: Acorn DB');
    expect(data[0]?.rows.map((row) => Object.values(row))).toEqual([['2024-Q1', 22]]);
  });

  test('has a guard that reads, refuses and prints as the engine does', async () => {
    await using app = await start(modelOffline());
    const run = (sql: string) => app.runSql({ sql, surface: 'api' }, app.scope({ actor }));
    const { statement, result } = await run('SELECT `Total Amount`, length(placed) FROM orders WHERE abs(id) = 1');
    expect(statement.sql).toContain('SELECT `Total Amount`');
    // What may fail is tried on the tenant's rows only.
    expect(statement.sql).toContain(acorn.optimizationFence);
    expect(result.rows.map((row) => row['Total Amount'])).toEqual([10]);
    await expect(run('SELECT "id" FROM orders')).rejects.toThrow('Double quotes mean nothing here');
    await expect(run("SELECT strftime('%Y', placed) FROM orders")).rejects.toMatchObject({
      code: 'sql_refused',
      hint: "Write cut('month', column).",
    });
    await expect(run('SELECT card FROM orders')).rejects.toThrow('"card"');
    await expect(run('SELECT name FROM sqlite_master')).rejects.toThrow('"sqlite_master"');
    expect((await run('SELECT count(*) AS n FROM orders')).result.rows).toEqual([{ n: 3 }]);
  });

  test('keeps its name to itself: another dialect of that name is refused', async () => {
    const other = definePlugin({
      name: 'datasource-other',
      version: '1.0.0',
      type: 'datasource',
      description: 'Brings a dialect of the same name.',
      setup: (ctx) => ctx.tap(sqlDialects, () => [{ ...acorn }]),
    });
    await using app = await start(modelOffline(), other());
    const asked = app.runSql({ sql: 'SELECT id FROM orders', surface: 'api' }, app.scope({ actor }));
    await expect(asked).rejects.toThrow(
      'Both "datasource-acorn" and "datasource-other" bring an SQL dialect named "acorn".',
    );
  });
});

test('the guide shows the dialect as it is', () => {
  const shown = readFileSync('docs/adding-an-sql-engine.md', 'utf8').split('```ts dialect.ts\n')[1]?.split('```\n')[0];
  const written = readFileSync('test/fixtures/fifth-dialect/dialect.ts', 'utf8');
  expect(shown).toBe(written.replace('../../../plugins/sql-kit/index.ts', 'atlas-query/plugins/sql-kit'));
});
