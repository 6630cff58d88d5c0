import pg from 'pg';
import { expect, it } from 'vitest';
import { definePlugin, type SqlOutcome, sqlSettled } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { createPostgresDatabase } from '../../test/harness/postgres-database.ts';
import { audit } from '../audit/index.ts';
import { datasourcePostgres } from '../datasource-postgres/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { profile } from './index.ts';

const DATABASE = `
  CREATE TABLE events (id bigint PRIMARY KEY, kind text, happened_at timestamptz, secret text);
  INSERT INTO events SELECT n, CASE n % 3 WHEN 0 THEN 'click' ELSE 'view' END,
    timestamptz '2024-01-01 00:00Z' + n * interval '1 minute', 'secret' || n % 2 FROM generate_series(1, 150000) AS n;
  CREATE INDEX ON events (happened_at);
  CREATE SCHEMA sales;
  CREATE TABLE sales."Orders" (id int, "Order Date" date, "State" text);
  INSERT INTO sales."Orders" SELECT n, date '2025-01-01' + n, CASE n % 2 WHEN 0 THEN 'open' ELSE 'closed' END FROM generate_series(1, 40) AS n;
  CREATE VIEW slow AS SELECT 1 AS id, 'x' || pg_sleep(60)::text AS kind;
  ANALYZE;
`;

const LAYER = {
  'entities/events.yml':
    'table: events\ndimensions:\n  - { name: kind }\n  - { name: happened_at, type: timestamp }\n  - { name: secret, hidden: true }\n',
  'entities/orders.yml': `table: sales.Orders
name: orders
dimensions:
  - { name: order_date, sql: '"Order Date"', type: date }
  - { name: state, sql: '"State"' }
`,
  'entities/slow.yml': 'table: slow\ntype: view\ndimensions:\n  - { name: kind }\n',
  'entities/zero.yml': 'table: nowhere\ndimensions:\n  - { name: kind }\n',
};

it('measures large tables by estimates and indexes, and goes on where one takes too long', async () => {
  const url = await createPostgresDatabase();
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query(DATABASE);
  await admin.end();
  using layer = layerFolder(LAYER);
  const outcomes: SqlOutcome[] = [];
  const observer = definePlugin({
    name: 'observer',
    version: '1.0.0',
    type: 'core',
    description: 'Sees statements.',
    setup: (ctx) => void ctx.tap(sqlSettled, (outcome) => void outcomes.push(outcome)),
  });
  await using app = await createTestApp({
    plugins: [
      internalDb({ url: await createPostgresDatabase() }),
      semanticLayer({ dir: layer.dir, checkIntervalMs: 0, watchIntervalMs: 0 }),
      profile({ statementTimeoutMs: 2_000 }),
      sqlLimits(),
      sqlGuard(),
      audit(),
      datasourcePostgres({ connections: [{ id: 'default', url }] }),
      observer(),
    ],
  });
  const api = app.get(semanticLayer);
  expect(await app.get(profile).measure()).toBe(true);
  const text = await api.contextFor(await api.modelFor(null), 'events', { maxBytes: 16_384 });
  expect(text).toContain('## events (about 150,000 rows)');
  expect(text).toContain('- kind (string); e.g. click, view');
  expect(text).toContain('- happened_at (timestamp); from 2024-01-01 to 2024-04-14');
  expect(text).toContain('about 40 rows');
  expect(text).toMatch(/- order_date \(date\) = .*; from 2025-01-02 to 2025-02-10/);
  expect(text).toMatch(/- state \(string\) = .*; e\.g\. closed, open/);
  expect(text).not.toContain('secret');
  const failed = outcomes.filter(({ status }) => status !== 'succeeded');
  expect(failed.map(({ error, request }) => [request.sql, (error as { code?: string }).code])).toEqual([
    ['SELECT "kind" FROM "slow" LIMIT 1000', 'sql_timeout'],
  ]);
  const audited = () =>
    app
      .get(internalDb)
      .run<object[]>((db) => db('audit_log').distinct('user_id', 'user_label', 'auth_mode', 'surface'));
  const system = { user_id: null, user_label: 'system', auth_mode: 'system', surface: 'profile' };
  await expect.poll(audited).toEqual([system]);
});
