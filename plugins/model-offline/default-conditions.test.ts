/** A layer with a default condition: the offline model answers about all rows, and the answer says so. */
import { expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { agent } from '../agent/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { semanticQuery } from '../semantic-query/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { modelOffline } from './index.ts';

it('insists on a question about all rows, and notes it', async () => {
  using folder = layerFolder({
    'entities/orders.yml': `
table: orders
dimensions: [{ name: id, type: number, primary_key: true }, { name: deleted_at, type: timestamp, nullable: true }]
segments: [{ name: not_deleted, sql: deleted_at IS NULL, default: true, synonyms: [kept] }]
`,
  });
  using databases = new SqliteFolder();
  const path = databases.create(
    'shop.db',
    `CREATE TABLE orders (id INTEGER PRIMARY KEY, deleted_at TEXT);
     INSERT INTO orders VALUES (1, NULL), (2, NULL), (3, '2025-01-01 00:00:00');`,
  );
  await using app = await createTestApp({
    plugins: [
      semanticLayer({ dir: folder.dir }),
      semanticQuery(),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${path}` }] }),
      modelOffline(),
      agent(),
    ],
  });
  const ask = (text: string) => app.get(agent).answer({ turns: [{ role: 'user', text }], surface: 'api' }, app.scope());
  const all = await ask('How many orders are there?');
  expect(all.data.at(-1)?.rows.map((row) => Object.values(row))).toEqual([[3]]);
  expect(all.notes).toMatchObject([{ code: 'default_condition_unused' }]);
  const kept = await ask('How many kept orders are there?');
  expect(kept.data.at(-1)?.rows.map((row) => Object.values(row))).toEqual([[2]]);
  expect(kept.notes).toEqual([]);
});
