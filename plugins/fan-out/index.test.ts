/** A statement over repeated rows is answered with an objection once in a question, and runs when it comes again. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentTool, type ToolRun, toolsCollect } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { type LayerFolder, layerFolder } from '../../test/harness/layer-folder.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { agent, notesOf } from '../agent/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { fanOut } from './index.ts';

const databases = new SqliteFolder();
let folder: LayerFolder;
let app: TestApp;

beforeAll(async () => {
  folder = layerFolder({
    'entities/orders.yml': `
table: orders
dimensions: [{ name: id, type: number, primary_key: true }, { name: total, type: number }]
`,
    'entities/items.yml': `
table: items
dimensions: [{ name: id, type: number, primary_key: true }, { name: order_id, type: number }]
joins: [{ target: orders, relationship: many_to_one, on: { from: order_id, to: id } }]
`,
  });
  const path = databases.create(
    'shop.db',
    `CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER); CREATE TABLE items (id INTEGER PRIMARY KEY, order_id INTEGER);
     INSERT INTO orders VALUES (1, 10), (2, 20); INSERT INTO items VALUES (1, 1), (2, 1), (3, 2);`,
  );
  app = await createTestApp({
    plugins: [
      semanticLayer({ dir: folder.dir }),
      fanOut(),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${path}` }] }),
      agent(),
    ],
  });
});
afterAll(async () => {
  await app?.close();
  folder?.[Symbol.dispose]();
  databases[Symbol.dispose]();
});

it('the model is told once, and may insist', async () => {
  const scope = app.scope();
  const question = { turns: [{ role: 'user', text: 'How much was sold?' }], surface: 'api' } as const;
  const tools = await app.call(toolsCollect, question, scope);
  const tool = tools.map(({ value }) => value).find(({ name }: AgentTool) => name === 'executeSQL')!;
  const run: ToolRun = { scope, question, memory: new Map() };
  const sql = 'SELECT SUM(o.total) AS total FROM orders o JOIN items i ON i.order_id = o.id';
  await expect(tool.run({ sql }, run)).rejects.toMatchObject({
    reason: 'E_QUERY_QUESTIONABLE',
    message: 'SUM(o.total) adds each row of orders once for every row of items that it is joined to.',
  });
  expect(notesOf(run.memory).list).toEqual([]);
  expect((await tool.run({ sql }, run)).forModel).toMatchObject({ rows: [{ total: 40 }] });
  expect(notesOf(run.memory).list).toMatchObject([{ code: 'rows_repeated' }]);
  const right = 'SELECT SUM(total) AS total FROM orders WHERE id IN (SELECT order_id FROM items)';
  const fresh = { ...run, memory: new Map<string, unknown>() };
  expect((await tool.run({ sql: right }, fresh)).forModel).toMatchObject({ rows: [{ total: 30 }] });
  expect(notesOf(fresh.memory).list).toEqual([]);
});
