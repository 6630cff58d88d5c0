import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { datasourcePostgres } from './index.ts';

let server: PostgresServer;
let admin: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`CREATE TABLE things (id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL);
    INSERT INTO things (name) VALUES ('one'), ('two'), ('three')`);
}, 120_000);
afterAll(async () => {
  await admin.end();
  await server.stop();
});

datasourceContract('postgres', () => ({
  connectionId: 'shop',
  dbType: 'postgres',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    datasourcePostgres({
      connections: [
        {
          id: 'shop',
          url: broken ? server.url.replace(/:\d+\/postgres$/, ':1/postgres') : server.url,
          maxConnections: maxConcurrent,
          queueLimit,
        },
      ],
    }),
  tables: ['public.things'],
  sql: {
    numbers: (count) => `SELECT n::int FROM generate_series(1, ${count}) AS n ORDER BY n`,
    values: `SELECT 42 AS integer, 9007199254740993 AS big, 1.5 AS real, 'grün' AS text, NULL AS nothing, '\\x61746c6173'::bytea AS binary`,
    text: (bytes) => `SELECT repeat('x', ${bytes}) AS text`,
    integers:
      'SELECT -9007199254740991 AS least, -9007199254740992 AS below, 9007199254740991 AS most, 9007199254740992 AS above',
    columns: (count) => `SELECT ${Array.from({ length: count }, (_, n) => `${n + 1} AS c${n + 1}`).join(', ')}`,
    many: 'SELECT n FROM generate_series(1, 10000000) AS n',
    badValue: `SELECT (name || 'hunter2')::int FROM things`,
    sameNames: 'SELECT 1 AS a, 2 AS a',
    parameter: 'SELECT $1 AS x',
    slow: 'SELECT count(*) FROM generate_series(1, 100000000000) AS atlas_slow',
    invalid: 'SELECT nothing FROM things',
    writes: [
      `INSERT INTO things (name) VALUES ('four')`,
      `WITH x AS (INSERT INTO things (name) VALUES ('four') RETURNING id) SELECT * FROM x`,
      'UPDATE things SET name = upper(name)',
      'DELETE FROM things',
      'TRUNCATE things',
      'DROP TABLE things',
      'CREATE TABLE other (id int)',
      'CREATE TEMP TABLE other (id int)',
      'SELECT * INTO other FROM things',
      'SELECT * INTO TEMP other FROM things',
      'SELECT * FROM things FOR UPDATE',
      `SELECT nextval('things_id_seq')`,
      `SELECT setval('things_id_seq', 100)`,
      'SELECT lo_create(4711)',
      'COMMIT',
      'ROLLBACK',
      'SET search_path = pg_catalog',
      'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
      'SET TRANSACTION READ WRITE',
      'RESET ALL',
      'LISTEN things',
      `PREPARE x AS SELECT 1`,
      `DECLARE c CURSOR FOR SELECT 1`,
      `COPY things TO '/tmp/atlas-things'`,
      'COPY things TO STDOUT',
      'COPY things FROM STDIN',
      `DO $$ BEGIN PERFORM 1; END $$`,
      'VACUUM things',
      'LOCK TABLE things',
      '',
    ],
    stacked: 'SELECT 1; DELETE FROM things',
    state: `SELECT count(*) AS n, string_agg(name, ',' ORDER BY id) AS names,
      (SELECT last_value FROM things_id_seq) AS next FROM things`,
  },
  described: { table: 'things', columns: ['id', 'name'], primaryKey: ['id'] },
  isWorking: async () => {
    const { rowCount } = await admin.query(
      `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%atlas_slow%' AND pid <> pg_backend_pid()`,
    );
    return rowCount !== 0;
  },
  secrets: ['atlas@', ':atlas', '127.0.0.1:1'],
}));

pluginContract('datasource-postgres', () => datasourcePostgres({ connections: [{ id: 'shop', url: server.url }] }));
