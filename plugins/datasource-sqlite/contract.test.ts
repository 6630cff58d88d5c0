import { afterAll } from 'vitest';
import { datasourceContract } from '../../test/contract/datasource.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { processIsWorking } from '../../test/harness/database-processes.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { datasourceSqlite } from './index.ts';

const folder = new SqliteFolder();
const path = folder.create(
  'shop.db',
  `CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
   INSERT INTO things (name) VALUES ('one'), ('two'), ('three');`,
);
afterAll(() => folder[Symbol.dispose]());

datasourceContract('sqlite', () => ({
  handsRowsOn: true,
  connectionId: 'shop',
  dbType: 'sqlite',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    datasourceSqlite({
      connections: [
        {
          id: 'shop',
          url: `sqlite:${broken ? `${folder.path}/missing.db` : path}`,
          ...(maxConcurrent === undefined ? {} : { maxProcesses: maxConcurrent }),
          ...(queueLimit === undefined ? {} : { queueLimit }),
        },
      ],
    }),
  tables: ['things'],
  sql: {
    numbers: (count) =>
      `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${count}) SELECT n FROM c WHERE n <= ${count}`,
    values: `SELECT 42 AS integer, 9007199254740993 AS big, 1.5 AS real, 'grün' AS text, NULL AS "nothing", x'61746c6173' AS "binary"`,
    text: (bytes) => `SELECT replace(printf('%${bytes}s', ''), ' ', 'x') AS text`,
    integers:
      'SELECT -9007199254740991 AS least, -9007199254740992 AS below, 9007199254740991 AS most, 9007199254740992 AS above',
    columns: (count) => `SELECT ${Array.from({ length: count }, (_, n) => `${n + 1} AS c${n + 1}`).join(', ')}`,
    many: 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10000000) SELECT n FROM c',
    badValue: `SELECT json_extract('{}', name || 'hunter2') FROM things`,
    sameNames: 'SELECT 1 AS a, 2 AS a',
    parameter: 'SELECT ? AS x',
    slow: 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c',
    invalid: 'SELECT nothing FROM things',
    writes: [
      `INSERT INTO things (name) VALUES ('four')`,
      `WITH x AS (SELECT 1) INSERT INTO things (name) SELECT 'four' FROM x RETURNING id`,
      'UPDATE things SET name = upper(name)',
      'DELETE FROM things',
      'DROP TABLE things',
      'CREATE TABLE other (id INTEGER)',
      'CREATE TEMP TABLE other (id INTEGER)',
      'PRAGMA user_version = 7',
      'PRAGMA query_only = OFF',
      '/* reads */ PRAGMA journal_mode = WAL',
      'VACUUM',
      `VACUUM INTO '${folder.path}/copy.db'`,
      `ATTACH '${folder.path}/other.db' AS other`,
      'BEGIN IMMEDIATE',
      `SELECT load_extension('x')`,
    ],
    stacked: 'SELECT 1; DELETE FROM things',
    state: 'SELECT count(*) AS n, group_concat(name) AS names FROM things',
  },
  described: { table: 'things', columns: ['id', 'name'], primaryKey: ['id'] },
  isWorking: () => processIsWorking('atlas-sqlite'),
  secrets: [folder.path, path],
}));

pluginContract('datasource-sqlite', () => datasourceSqlite({ connections: [{ id: 'shop', url: `sqlite:${path}` }] }));
