import mysql2 from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../../test/harness/mariadb.ts';
import { suiteNeeding } from '../../../test/harness/require.ts';
import { kitDialect } from '../../sql-kit/index.ts';
import { checkSql } from '../check.ts';
import { allowedTables } from '../layer-tables.ts';

const mysql = await kitDialect('mysql');

const words = [...mysql.keywords.keys()];
const { tables } = allowedTables([entity('words', [])], mysql);
const print = (sql: string) => checkSql(sql, { tables }).sql;
const uses = (word: string) => [
  `SELECT ${word}, a, -${word}, ${word} + 1 AS x, sum(${word}) FROM words GROUP BY ${word} ORDER BY ${word} DESC LIMIT 1`,
  `SELECT words.${word} FROM words WHERE a < ${word} AND ${word} IN (1, 2) AND NOT ${word} OR ${word} IS NULL OR ${word} BETWEEN 0 AND ${word}`,
  `SELECT CASE ${word} WHEN 1 THEN ${word} ELSE ${word} END AS y FROM words JOIN words u USING (${word})`,
  `SELECT 1 AS ${word}, a ${word} FROM words`,
  `SELECT 1 ${word}`,
  `SELECT ${word}.a FROM words AS ${word} WHERE ${word}.a > 0`,
  `SELECT 1 FROM words ${word} WHERE a > 0`,
  `SELECT 1 FROM words JOIN words ${word} ON ${word}.a = words.a`,
  `WITH ${word} AS (SELECT 1 AS a) SELECT a FROM ${word}`,
];

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('words on a real server', () => {
  let server: MariaDbServer;
  let db: mysql2.Connection;
  const run = async (sql: string) => {
    const [rows, fields] = await db.query({ sql, rowsAsArray: true });
    return { rows, columns: fields?.map(({ name }) => name) };
  };
  beforeAll(async () => {
    server = await startMariaDb();
    db = await mysql2.createConnection(server.url);
    const columns = words.map((word, index) => `\`${word}\` int DEFAULT ${index}`);
    await run(`CREATE TABLE words (a int, ${columns.join(', ')})`);
    await run('INSERT INTO words (a) VALUES (1)');
  }, 120_000);
  afterAll(async () => {
    await db?.end();
    await server?.stop();
  });

  test('are names wherever the server takes them for one', async () => {
    let read = 0;
    for (const word of words.filter((word) => !/^CURRENT_(?:ROLE|USER)$/.test(word))) {
      for (const sql of uses(word)) {
        const expected = await run(sql).catch(() => undefined);
        if (expected === undefined) continue;
        expect(await run(print(sql)), sql).toEqual(expected);
        read += 1;
      }
    }
    expect(read).toBeGreaterThan(800);
  });
});

describe('words', () => {
  test.each('VIRTUAL FUNCTION SYSTEM LATERAL GROUPING EMPTY OFFSET RETURNING STATS_PERSISTENT'.split(' '))(
    'that only one of the servers reserves are names: %s',
    (word) => {
      for (const sql of uses(word)) expect(print(sql)).toContain(`\`${word}\``);
    },
  );

  test('that are names still mean what they mean', () => {
    expect(print('SELECT max(a) OVER w FROM words WINDOW w AS (ORDER BY a)')).toContain('WINDOW w AS (ORDER BY a)');
    expect(print('SELECT a FROM words, LATERAL (SELECT words.a AS b) AS x')).toContain('LATERAL (SELECT');
    expect(print('SELECT a FROM words ORDER BY a LIMIT 2 OFFSET 1')).toContain('LIMIT 2 OFFSET 1');
    expect(() => print('SELECT a FROM words w FULL JOIN words u USING (a)')).toThrow('There is no FULL JOIN here');
    expect(() => print('SELECT a FROM words FULL OUTER JOIN words u USING (a)')).toThrow('There is no FULL JOIN here');
    for (const name of ['DATABASE', 'SCHEMA', 'CURRENT_USER', 'SYSTEM_USER', 'ROWNUM', 'RAISE', 'GET', 'SYSTEM']) {
      expect(() => print(`SELECT ${name}()`), name).toThrow();
    }
    expect(() => print('SELECT CURRENT_ROLE FROM words')).toThrow('tells about the session');
  });
});
