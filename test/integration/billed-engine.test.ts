/** Tests that an engine which bills statements runs none that nobody has asked for. */
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { datasourceExecute, datasourceList, definePlugin } from '../../kernel/index.ts';
import { agent } from '../../plugins/agent/index.ts';
import { alternativeReadings } from '../../plugins/alternative-readings/index.ts';
import { emptyResults } from '../../plugins/empty-results/index.ts';
import { provenance } from '../../plugins/provenance/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { kitDialect, kitDialects, sqlDialects } from '../../plugins/sql-kit/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { asking } from '../harness/described-results.ts';
import { layerFolder } from '../harness/layer-folder.ts';

const sqlite = await kitDialect('sqlite');
const dialects = await kitDialects();

const ENTITY = 'table: orders\ndimensions: [{ name: status }, { name: ordered_at, type: timestamp }]\n';

async function statementsOf(dbType: string, sql: string, entity: string, question?: string): Promise<string[]> {
  const executed: string[] = [];
  const shop = definePlugin({
    name: 'shop',
    version: '1.0.0',
    type: 'datasource',
    description: 'A table of one order, in SQLite.',
    setup(ctx) {
      const database = new Database(':memory:');
      database.exec(
        "create table orders (status text, ordered_at text, paid_at text); insert into orders values ('sent', '2026-01-02', '2026-03-01')",
      );
      ctx.tap(sqlDialects, () => [{ ...sqlite, name: 'billed', isBilled: true }]);
      ctx.tap(datasourceList, () => [{ id: 'shop', dbType, maskedUrl: 'shop:' }]);
      ctx.tapKey(datasourceExecute, 'shop', (statement) => {
        executed.push(statement.sql);
        const prepared = database.prepare<[], Record<string, unknown>>(statement.sql);
        const columns = prepared.columns().map(({ name }) => name);
        return { columns, rows: prepared.all(), truncated: false, notes: [] };
      });
      ctx.onClose(() => void database.close());
    },
  });
  using layer = layerFolder({ 'entities/orders.yml': entity });
  const plugins = [
    shop(),
    agent(),
    semanticLayer({ dir: layer.dir }),
    emptyResults(),
    provenance(),
    alternativeReadings(),
    asking(),
  ];
  await using app = await createTestApp({ plugins });
  if (question !== undefined) await app.get(asking).readings(sql, question, app.scope());
  else (await app.get(agent).runStatement({ sql, surface: 'api' }, app.scope())).release();
  return executed.slice(1);
}

test.each([
  ["SELECT status FROM orders WHERE status = 'lost'", /LIMIT 1/],
  ['SELECT status FROM orders', /max\("?(?:orders"?\."?)?ordered_at/i],
])('%s', async (sql, more) => {
  expect((await statementsOf('sqlite', sql, ENTITY)).join('\n')).toMatch(more);
  expect(await statementsOf('billed', sql, ENTITY)).toEqual([]);
});

test('another reading of a question is tried where statements are not billed', async () => {
  const entity = ENTITY.replace(' }]', ' }, { name: paid_at, type: timestamp }]');
  const sql = "SELECT COUNT(*) AS n FROM orders WHERE ordered_at < '2026-02-01'";
  const tried = (statements: string[]) => statements.filter((one) => one.includes('paid_at'));
  expect(tried(await statementsOf('sqlite', sql, entity, 'How many before February?'))).toHaveLength(1);
  expect(await statementsOf('billed', sql, entity, 'How many before February?')).toEqual([]);
});

test('whoever declares how new rows have to be has asked for it', async () => {
  const declared = `${ENTITY}freshness: { column: ordered_at, within: 1d }\n`;
  expect(await statementsOf('billed', 'SELECT status FROM orders', declared)).toHaveLength(1);
});

test('BigQuery and Snowflake bill them', () => {
  expect([...dialects.values()].filter(({ isBilled }) => isBilled).map(({ name }) => name)).toEqual([
    'bigquery',
    'snowflake',
  ]);
});
