import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datasourceExecute } from 'atlas-query';
import { createTestApp, datasourceContract, pluginContract, processIsWorking } from 'atlas-query/testing';
import { afterAll, expect, it } from 'vitest';
import { templateDatasource } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'template-datasource-'));
writeFileSync(join(folder, 'things.ndjson'), '{"id":1,"name":"one"}\n{"id":2,"name":"two"}\n{"id":3,"name":"three"}\n');
afterAll(() => rmSync(folder, { recursive: true }));

const at = (path: string) => templateDatasource({ connections: [{ id: 'files', url: `json:${path}` }] });
const count = (from: string) => `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c ${from}) SELECT`;

pluginContract('template-datasource', () => templateDatasource());

datasourceContract('template-datasource', () => ({
  connectionId: 'files',
  dbType: 'sqlite',
  plugin: ({ broken, maxConcurrent, queueLimit }) =>
    templateDatasource({
      connections: [
        { id: 'files', url: `json:${broken ? `${folder}-gone` : folder}`, maxProcesses: maxConcurrent, queueLimit },
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
      `ATTACH '${folder}/other.db' AS other`,
      `VACUUM INTO '${folder}/copy.db'`,
      `SELECT load_extension('x')`,
    ],
    stacked: 'SELECT 1; DELETE FROM things',
    state: 'SELECT count(*) AS n, group_concat(name) AS names FROM things',
  },
  described: { table: 'things', columns: ['id', 'name'], primaryKey: [] },
  isWorking: () => processIsWorking('template-datasource'),
  secrets: [folder],
}));

/** The rows of a statement over the files of a folder. */
async function rowsOf(path: string, sql: string, table: string) {
  await using app = await createTestApp({ plugins: [at(path)] });
  const connection = { id: 'files', dbType: 'sqlite', maskedUrl: '' };
  const statement = { connection, requested: sql, sql, params: [], surface: 'test', tables: [table] };
  return (await app.callKey(datasourceExecute, 'files', statement, app.scope())).rows;
}

it('reads lists and lines, and keeps the digits of large numbers', async () => {
  writeFileSync(join(folder, 'list.json'), '[{"big": 9007199254740993, "tags": ["a"]}, {"big": null, "more": true}]');
  expect(await rowsOf(folder, 'SELECT * FROM list', 'list')).toEqual([
    { big: '9007199254740993', tags: '["a"]', more: null },
    { big: null, tags: null, more: 1 },
  ]);
});

it('says which line is not JSON', async () => {
  const bad = mkdtempSync(join(tmpdir(), 'template-datasource-bad-'));
  writeFileSync(join(bad, 'rows.ndjson'), '{"id":1}\n{"id":\n');
  await expect(rowsOf(bad, 'SELECT * FROM rows', 'rows')).rejects.toThrow('rows, line 2 is not JSON');
  rmSync(bad, { recursive: true });
});
