import { afterAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { DuckdbFolder, duckdbIsWorking } from '../../test/harness/duckdb.ts';
import { datasourceDuckdb } from './index.ts';

const folder = new DuckdbFolder();
const path = await folder.create(
  'shop.duckdb',
  `CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
   INSERT INTO things VALUES (1, 'one'), (2, 'two'), (3, 'three');`,
);
afterAll(() => folder[Symbol.dispose]());

datasourceContract('duckdb', () => ({
  handsRowsOn: true,
  connectionId: 'shop',
  dbType: 'duckdb',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    datasourceDuckdb({
      connections: [
        {
          id: 'shop',
          url: `duckdb:${broken ? `${folder.path}/missing.duckdb` : path}`,
          threads: 1,
          ...(maxConcurrent === undefined ? {} : { maxProcesses: maxConcurrent }),
          ...(queueLimit === undefined ? {} : { queueLimit }),
        },
      ],
    }),
  tables: ['things'],
  sql: {
    numbers: (count) => `SELECT n FROM generate_series(1, ${count}) g(n) ORDER BY n`,
    values: `SELECT 42 AS integer, 9007199254740993 AS big, 1.5 AS real, 'grün' AS text, NULL AS "nothing", 'atlas'::BLOB AS "binary"`,
    text: (bytes) => `SELECT repeat('x', ${bytes}) AS text`,
    integers:
      'SELECT -9007199254740991 AS least, -9007199254740992 AS below, 9007199254740991 AS most, 9007199254740992 AS above',
    columns: (count) => `SELECT ${Array.from({ length: count }, (_, n) => `${n + 1} AS c${n + 1}`).join(', ')}`,
    many: 'SELECT range AS n FROM range(10000000)',
    badValue: `SELECT (name || 'hunter2')::INTEGER AS n FROM things`,
    sameNames: 'SELECT 1 AS a, 2 AS a',
    parameter: 'SELECT ? AS x',
    slow: 'SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3',
    invalid: 'SELECT nothing FROM things',
    writes: [
      `INSERT INTO things VALUES (4, 'four')`,
      `INSERT INTO things VALUES (4, 'four') RETURNING id`,
      'UPDATE things SET name = upper(name)',
      'DELETE FROM things',
      'TRUNCATE things',
      'DROP TABLE things',
      'CREATE TABLE other (id INTEGER)',
      'CREATE TEMP TABLE other (id INTEGER)',
      'CREATE VIEW v AS SELECT 1',
      'CREATE MACRO f(a) AS a',
      "SET TimeZone = 'Asia/Tokyo'",
      'SET threads = 4',
      'RESET memory_limit',
      'SET VARIABLE x = 1',
      'PRAGMA disable_optimizer',
      'CHECKPOINT',
      `COPY things TO '${folder.path}/copy.csv'`,
      `EXPORT DATABASE '${folder.path}/export'`,
      `ATTACH '${folder.path}/other.duckdb' AS other`,
      'INSTALL httpfs',
      'LOAD httpfs',
      'BEGIN TRANSACTION',
      `SELECT * FROM read_text('/etc/hostname')`,
      `SELECT * FROM read_csv('${folder.path}/x.csv')`,
      `SELECT * FROM '${folder.path}/x.parquet'`,
      'SELECT * FROM duckdb_settings()',
      'CALL pragma_version()',
      'EXPLAIN ANALYZE SELECT 1',
    ],
    stacked: 'SELECT 1; DELETE FROM things',
    state: 'SELECT count(*) AS n, string_agg(name ORDER BY id) AS names FROM things',
  },
  described: { table: 'things', columns: ['id', 'name'], primaryKey: ['id'] },
  isWorking: duckdbIsWorking,
  secrets: [folder.path, path],
}));

pluginContract('datasource-duckdb', () => datasourceDuckdb({ connections: [{ id: 'shop', url: `duckdb:${path}` }] }));
