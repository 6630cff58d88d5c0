import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { datasourceContract, pluginContract, processIsWorking } from 'atlas-query/testing';
import { afterAll } from 'vitest';
import { datasourceArchive } from './datasource-archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'archive-'));
const path = join(folder, 'shop.db');
const database = new DatabaseSync(path);
database.exec(`CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  INSERT INTO things (name) VALUES ('one'), ('two'), ('three');`);
database.close();
afterAll(() => rmSync(folder, { recursive: true }));

const count = (from: string) => `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c ${from}) SELECT`;

pluginContract('datasource-archive', () =>
  datasourceArchive({ connections: [{ id: 'shop', url: `archive:${path}` }] }),
);

datasourceContract('archive', () => ({
  connectionId: 'shop',
  dbType: 'sqlite',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    datasourceArchive({
      connections: [
        { id: 'shop', url: `archive:${broken ? `${path}.gone` : path}`, maxProcesses: maxConcurrent, queueLimit },
      ],
    }),
  tables: ['things'],
  sql: {
    numbers: (rows) => `${count(`WHERE n < ${rows}`)} n FROM c WHERE n <= ${rows}`,
    values: `SELECT 42 AS integer, 9007199254740993 AS big, 1.5 AS real, 'grün' AS text, NULL AS "nothing",
      x'61746c6173' AS "binary"`,
    integers: `SELECT -9007199254740991 AS least, -9007199254740992 AS below, 9007199254740991 AS most,
      9007199254740992 AS above`,
    text: (bytes) => `SELECT replace(printf('%${bytes}s', ''), ' ', 'x') AS text`,
    many: `${count('WHERE n < 10000000')} n FROM c`,
    columns: (columns) => `SELECT ${Array.from({ length: columns }, (_, n) => `${n + 1} AS c${n + 1}`).join(', ')}`,
    badValue: `SELECT json_extract('{}', name || 'hunter2') FROM things`,
    sameNames: 'SELECT 1 AS a, 2 AS a',
    parameter: 'SELECT ? AS x',
    slow: `${count('')} count(*) FROM c`,
    invalid: 'SELECT nothing FROM things',
    writes: [
      `INSERT INTO things (name) VALUES ('four')`,
      `WITH x AS (SELECT 1) INSERT INTO things (name) SELECT 'four' FROM x RETURNING id`,
      'DELETE FROM things',
      'DROP TABLE things',
      'CREATE TEMP TABLE other (id INTEGER)',
      'PRAGMA query_only = OFF',
      `ATTACH '${path}.other' AS other`,
      `VACUUM INTO '${path}.copy'`,
      `SELECT load_extension('x')`,
    ],
    stacked: 'SELECT 1; DELETE FROM things',
    state: 'SELECT count(*) AS n, group_concat(name) AS names FROM things',
  },
  described: { table: 'things', columns: ['id', 'name'], primaryKey: ['id'] },
  isWorking: () => processIsWorking('archive-engine'),
  secrets: [folder],
}));
