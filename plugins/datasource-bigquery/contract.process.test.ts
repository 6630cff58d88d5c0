/** The contract of datasources over the recorded protocol, with DuckDB behind it. */
import { afterAll, beforeAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { urlOf } from './fixtures/api.ts';
import { type BigqueryServer, startBigqueryServer } from './fixtures/server.ts';
import { datasourceBigquery } from './index.ts';

let server: BigqueryServer;
beforeAll(async () => {
  server = await startBigqueryServer(`
    CREATE TABLE things (id INTEGER NOT NULL, name VARCHAR);
    INSERT INTO things VALUES (1, 'one'), (2, 'two'), (3, 'three');
    CREATE VIEW names AS SELECT upper(name) AS name FROM things;`);
});
afterAll(() => server?.stop());

datasourceContract('bigquery', () => ({
  handsRowsOn: true,
  connectionId: 'shop',
  dbType: 'bigquery',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    datasourceBigquery({
      connections: [
        { id: 'shop', url: broken ? urlOf(1, 'lake/main') : server.url, maxConnections: maxConcurrent, queueLimit },
      ],
    }),
  tables: ['things'],
  sql: {
    numbers: (count) =>
      count === 0 ? 'SELECT 1 AS n FROM things WHERE 1 = 0' : `SELECT n FROM UNNEST(GENERATE_ARRAY(1, ${count})) AS n`,
    values: `SELECT 42 AS integer, 9007199254740993 AS big, CAST(1.5 AS FLOAT64) AS real, 'grün' AS text, NULL AS nothing,
      b'atlas' AS \`binary\``,
    integers: `SELECT -9007199254740991 AS least, -9007199254740992 AS below, 9007199254740991 AS most,
      9007199254740992 AS above`,
    text: (bytes) => `SELECT REPEAT('x', ${bytes}) AS text`,
    many: `SELECT a AS n FROM UNNEST(GENERATE_ARRAY(1, 3200)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 3200)) AS b`,
    columns: (count) => `SELECT ${Array.from({ length: count }, (_, n) => `${n + 1} AS c${n + 1}`).join(', ')}`,
    badValue: `SELECT CAST(name || 'hunter2' AS INT64) AS n FROM things`,
    sameNames: 'SELECT x.a, y.a FROM (SELECT 1 AS a) AS x CROSS JOIN (SELECT 2 AS a) AS y',
    parameter: 'SELECT ? AS x',
    slow: 'SELECT COUNT(*) AS atlas_slow FROM things',
    invalid: 'SELECT nothing FROM things',
    writes: [
      `INSERT INTO things VALUES (4, 'four')`,
      `WITH x AS (SELECT 1) INSERT INTO things SELECT 4, 'four' FROM x`,
      `UPDATE things SET name = 'x' WHERE true`,
      'DELETE FROM things WHERE true',
      'TRUNCATE TABLE things',
      'DROP TABLE things',
      'ALTER TABLE things RENAME TO other',
      'CREATE TABLE other AS SELECT * FROM things',
      'CREATE TEMP FUNCTION f() AS (1); SELECT f()',
      'MERGE INTO things USING other ON true WHEN MATCHED THEN DELETE',
      'CALL BQ.ABORT_SESSION()',
      'DECLARE x INT64 DEFAULT 1',
      'BEGIN TRANSACTION',
      "EXPORT DATA OPTIONS (uri = 'gs://x/*') AS SELECT 1",
      'GRANT `roles/bigquery.dataViewer` ON TABLE things TO "user:x@example.com"',
      `EXECUTE IMMEDIATE 'DELETE FROM things WHERE true'`,
      'ASSERT EXISTS (SELECT 1)',
      'SET @@dataset_id = "other"',
      '',
    ],
    stacked: 'SELECT 1; DELETE FROM things WHERE true',
    state: 'SELECT COUNT(*) AS n, MAX(name) AS last FROM things',
    read: ({ name }) => `SELECT * FROM \`${name}\``,
  },
  described: { table: 'things', columns: ['id', 'name'], primaryKey: [] },
  isWorking: async () => (await server.running()).some((sql) => sql.includes('atlas_slow')),
  secrets: ['127.0.0.1', server.url.slice(12, 60), 'PRIVATE KEY'],
}));

pluginContract('datasource-bigquery', () => datasourceBigquery({ connections: [{ id: 'shop', url: server.url }] }));
