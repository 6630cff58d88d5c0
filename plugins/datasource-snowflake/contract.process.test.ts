/** The contract of datasources over the recorded protocol, with DuckDB behind it. */
import { afterAll, beforeAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { type SnowflakeServer, startSnowflakeServer } from './fixtures/server.ts';
import { datasourceSnowflake } from './index.ts';

let server: SnowflakeServer;
beforeAll(async () => {
  server = await startSnowflakeServer(`
    CREATE TABLE THINGS (ID INTEGER PRIMARY KEY, NAME VARCHAR);
    INSERT INTO THINGS VALUES (1, 'one'), (2, 'two'), (3, 'three');
    CREATE TABLE NUMBERS AS SELECT range AS N FROM range(1, 3201);
    CREATE VIEW NAMES AS SELECT upper(NAME) AS NAME FROM THINGS;`);
});
afterAll(() => server?.stop());

const numbers = (count: number) => `SELECT N AS "n" FROM NUMBERS WHERE N <= ${count} ORDER BY N`;

datasourceContract('snowflake', () => ({
  handsRowsOn: true,
  connectionId: 'shop',
  dbType: 'snowflake',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    datasourceSnowflake({
      connections: [
        {
          id: 'shop',
          url: broken ? server.url.replace(/port=\d+/, 'port=1') : server.url,
          maxConnections: maxConcurrent,
          queueLimit,
        },
      ],
    }),
  tables: ['THINGS', 'NUMBERS'],
  sql: {
    numbers,
    values: `SELECT 42 AS "integer", 9007199254740993 AS "big", CAST(1.5 AS FLOAT) AS "real", 'grün' AS "text",
      NULL AS "nothing", X'61746C6173' AS "binary"`,
    integers: `SELECT -9007199254740991 AS "least", -9007199254740992 AS "below", 9007199254740991 AS "most",
      9007199254740992 AS "above"`,
    text: (bytes) => `SELECT REPEAT('x', ${bytes}) AS "text"`,
    many: 'SELECT A.N AS "n" FROM NUMBERS AS A CROSS JOIN NUMBERS AS B',
    columns: (count) => `SELECT ${Array.from({ length: count }, (_, n) => `${n + 1} AS "c${n + 1}"`).join(', ')}`,
    badValue: `SELECT CAST(NAME || 'hunter2' AS INTEGER) AS N FROM THINGS`,
    sameNames: 'SELECT X.A, Y.A FROM (SELECT 1 AS A) AS X CROSS JOIN (SELECT 2 AS A) AS Y',
    parameter: 'SELECT ? AS "x"',
    slow: 'SELECT COUNT(*) AS "atlas_slow" FROM THINGS',
    invalid: 'SELECT NOTHING FROM THINGS',
    writes: [
      `INSERT INTO THINGS VALUES (4, 'four')`,
      `WITH X AS (SELECT 1) INSERT INTO THINGS SELECT 4, 'four' FROM X`,
      `UPDATE THINGS SET NAME = 'x'`,
      'DELETE FROM THINGS',
      'TRUNCATE TABLE THINGS',
      'DROP TABLE THINGS',
      'ALTER TABLE THINGS RENAME TO OTHER',
      'CREATE TABLE OTHER AS SELECT * FROM THINGS',
      'CREATE OR REPLACE VIEW OTHER AS SELECT 1',
      'MERGE INTO THINGS USING OTHER ON TRUE WHEN MATCHED THEN DELETE',
      'CALL P()',
      "ALTER SESSION SET TIMEZONE = 'UTC'",
      'BEGIN',
      'GRANT SELECT ON THINGS TO ROLE X',
      `EXECUTE IMMEDIATE 'DELETE FROM THINGS'`,
      'EXPLAIN SELECT 1',
      'SHOW TABLES',
      'USE ROLE ACCOUNTADMIN',
      'COPY INTO @~ FROM THINGS',
      'SHOW TABLES ->> DELETE FROM THINGS',
      '',
    ],
    stacked: 'SELECT 1; DELETE FROM THINGS',
    state: 'SELECT COUNT(*) AS N, MAX(NAME) AS LAST FROM THINGS',
  },
  described: { table: 'THINGS', columns: ['ID', 'NAME'], primaryKey: ['ID'] },
  isWorking: async () => (await server.running()).some((sql) => sql.startsWith('SELECT') && sql.includes('atlas_slow')),
  secrets: ['hunter2', '127.0.0.1'],
}));

pluginContract('datasource-snowflake', () => datasourceSnowflake({ connections: [{ id: 'shop', url: server.url }] }));
