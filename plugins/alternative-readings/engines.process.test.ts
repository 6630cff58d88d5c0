/** Tries other readings on real engines, of statements and of plans: the same words on each. */
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import type { PluginEntry } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { asking } from '../../test/harness/described-results.ts';
import { DuckdbFolder } from '../../test/harness/duckdb.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { createPostgresDatabase } from '../../test/harness/postgres-database.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { agent } from '../agent/index.ts';
import { datasourceDuckdb } from '../datasource-duckdb/index.ts';
import { datasourcePostgres } from '../datasource-postgres/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { modelOffline } from '../model-offline/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { semanticQuery } from '../semantic-query/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { alternativeReadings } from './index.ts';

const SALES = `
  CREATE TABLE sales (id integer PRIMARY KEY, region varchar(10), order_date date, paid_at timestamp, paid_on date, amount integer);
  INSERT INTO sales VALUES (1, 'north', '2024-05-02', '2024-05-03 10:00:00', '2024-05-03', 10),
    (2, 'south', '2024-05-30', '2024-06-02 10:00:00', '2024-06-02', 20), (3, 'north', '2024-04-30', '2024-05-31 23:00:00', '2024-05-31', 40)`;
const LAYER = {
  'entities/sales.yml': `table: sales
type: fact
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: region, sample_values: [north, south], unique_count: 2 }
  - { name: order_date, type: date }
  - { name: paid_at, type: timestamp }
  - { name: paid_on, type: date }
  - { name: amount, type: number }
measures: [{ name: turnover, type: sum, sql: amount, format: currency EUR }]
`,
};

const files = { sqlite: new SqliteFolder(), duckdb: new DuckdbFolder() };
const layer = layerFolder(LAYER);
afterAll(() => {
  for (const folder of [files.sqlite, files.duckdb, layer]) folder[Symbol.dispose]();
});

const ENGINES: readonly (readonly [string, () => Promise<PluginEntry>])[] = [
  [
    'sqlite',
    async () =>
      datasourceSqlite({ connections: [{ id: 'shop', url: `sqlite:${files.sqlite.create('s.db', SALES)}` }] }),
  ],
  [
    'duckdb',
    async () =>
      datasourceDuckdb({
        connections: [{ id: 'shop', url: `duckdb:${await files.duckdb.create('s.duckdb', SALES)}` }],
      }),
  ],
  [
    'postgres',
    async () => {
      const url = await createPostgresDatabase();
      const client = new pg.Client(url);
      await client.connect();
      await client.query(SALES);
      await client.end();
      return datasourcePostgres({ connections: [{ id: 'shop', url }] });
    },
  ],
];

describe.each(ENGINES)('on %s', (_, datasource) => {
  test('a statement of a model and a plan have the same readings', async () => {
    await using app = await createTestApp({
      plugins: [
        semanticLayer({ dir: layer.dir }),
        semanticQuery(),
        sqlLimits(),
        sqlGuard(),
        await datasource(),
        modelOffline(),
        agent(),
        alternativeReadings({ timeoutMs: 4_000 }),
        asking(),
      ],
    });
    const { readings } = app.get(asking);
    await readings('SELECT 1 AS n', '', app.scope());
    const grouped = await readings(
      "SELECT s.region, sum(s.amount) AS total FROM sales s WHERE s.order_date BETWEEN '2024-05-01' AND '2024-05-31' GROUP BY s.region ORDER BY 1",
      'How much by region in May 2024?',
      app.scope(),
    );
    expect(grouped?.text).toBe('By paid on instead of order date: north 50.00 EUR.');
    const question = { turns: [{ role: 'user', text: 'Turnover in May 2024' }], surface: 'api' } as const;
    const { text } = await app.get(agent).answer(question, app.scope());
    expect(text).toContain('By order date 30.00 EUR, by paid at 50.00 EUR, by paid on 50.00 EUR.');
  });
});
