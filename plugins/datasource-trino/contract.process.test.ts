/** The contract of datasources over the recorded protocol, with DuckDB behind it. */
import { afterAll, beforeAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { startTrinoServer, type TrinoServer } from './fixtures/server.ts';
import { datasourceTrino } from './index.ts';

let server: TrinoServer;
beforeAll(async () => {
  server = await startTrinoServer(`
    CREATE TABLE things (id INTEGER NOT NULL, name VARCHAR);
    INSERT INTO things VALUES (1, 'one'), (2, 'two'), (3, 'three');
    CREATE VIEW names AS SELECT upper(name) AS name FROM things;`);
});
afterAll(() => server?.stop());

datasourceContract('trino', () => ({
  handsRowsOn: true,
  connectionId: 'shop',
  dbType: 'trino',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    datasourceTrino({
      connections: [
        {
          id: 'shop',
          url: broken ? server.url.replace(/:\d+\//, ':1/') : server.url,
          maxConnections: maxConcurrent,
          queueLimit,
        },
      ],
    }),
  tables: ['things'],
  sql: {
    numbers: (count) =>
      count === 0 ? 'SELECT 1 AS n WHERE 1 = 0' : `SELECT n FROM UNNEST(sequence(1, ${count})) AS t (n)`,
    values: `SELECT 42 AS integer, 9007199254740993 AS big, CAST(1.5 AS DOUBLE) AS real, 'grün' AS text, NULL AS nothing,
      X'61746C6173' AS "binary"`,
    integers: `SELECT -9007199254740991 AS least, -9007199254740992 AS below, 9007199254740991 AS most,
      9007199254740992 AS above`,
    text: (bytes) => `SELECT repeat('x', ${bytes}) AS text`,
    many: `SELECT a.n FROM UNNEST(sequence(1, 3200)) AS a (n) CROSS JOIN UNNEST(sequence(1, 3200)) AS b (n)`,
    columns: (count) => `SELECT ${Array.from({ length: count }, (_, n) => `${n + 1} AS c${n + 1}`).join(', ')}`,
    badValue: `SELECT CAST(name || 'hunter2' AS INTEGER) AS n FROM things`,
    sameNames: 'SELECT x.a, y.a FROM (SELECT 1 AS a) AS x CROSS JOIN (SELECT 2 AS a) AS y',
    parameter: 'SELECT ? AS x',
    slow: 'SELECT count(*) AS atlas_slow FROM things',
    invalid: 'SELECT nothing FROM things',
    writes: [
      `INSERT INTO things VALUES (4, 'four')`,
      `WITH x AS (SELECT 1) INSERT INTO things SELECT 4, 'four' FROM x`,
      `UPDATE things SET name = 'x'`,
      'DELETE FROM things',
      'TRUNCATE TABLE things',
      'DROP TABLE things',
      'ALTER TABLE things RENAME TO other',
      'CREATE TABLE other AS SELECT * FROM things',
      'CREATE VIEW other AS SELECT 1',
      'MERGE INTO things USING other ON true WHEN MATCHED THEN DELETE',
      'CALL system.runtime.kill_query()',
      'SET SESSION query_max_run_time = NULL',
      'START TRANSACTION',
      'GRANT SELECT ON things TO USER x',
      `EXECUTE IMMEDIATE 'DELETE FROM things'`,
      'EXPLAIN SELECT 1',
      'SHOW TABLES',
      'USE lake.other',
      '',
    ],
    stacked: 'SELECT 1; DELETE FROM things',
    state: `SELECT count(*) AS n, max(name) AS last FROM things`,
  },
  // Trino has no primary keys.
  described: { table: 'things', columns: ['id', 'name'], primaryKey: [] },
  isWorking: async () => (await server.running()).some((sql) => sql.startsWith('SELECT') && sql.includes('atlas_slow')),
  secrets: ['ada@', '127.0.0.1:1'],
}));

pluginContract('datasource-trino', () => datasourceTrino({ connections: [{ id: 'shop', url: server.url }] }));
