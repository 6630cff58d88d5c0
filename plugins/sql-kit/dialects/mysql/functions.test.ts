/** The lists of functions and keywords against those of a server. */
import mysql2 from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findMariaDb, INSTALL_MARIADB, type MariaDbServer, startMariaDb } from '../../../../test/harness/mariadb.ts';
import { suiteNeeding } from '../../../../test/harness/require.ts';
import { mysqlFunctions, mysqlRefusedFunctions, mysqlSubstitutes } from './functions.ts';
import { mysqlKeywords } from './keywords.ts';

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('the lists of a real server', () => {
  let server: MariaDbServer;
  let db: mysql2.Connection;
  const run = async (sql: string) => {
    const [rows] = await db.query({ sql, rowsAsArray: true });
    return { rows: rows as unknown[][] };
  };
  beforeAll(async () => {
    server = await startMariaDb();
    db = await mysql2.createConnection(server.url);
  }, 60_000);
  afterAll(async () => {
    await db.end();
    await server.stop();
  });

  test('every function of the server is either allowed or refused', async () => {
    const { rows } = await run('SELECT DISTINCT lower(FUNCTION) FROM information_schema.SQL_FUNCTIONS');
    const unknown = rows
      .map(([name]) => String(name))
      .filter((name) => !mysqlFunctions.has(name) && !mysqlRefusedFunctions.has(name));
    expect(unknown).toEqual([]);
  });

  test('every word that the server reserves is in quotes as a name', async () => {
    const { rows } = await run(
      "SELECT DISTINCT upper(WORD) FROM information_schema.KEYWORDS WHERE WORD REGEXP '^[A-Za-z_]+$'",
    );
    const misread: string[] = [];
    for (const word of rows.map(([name]) => String(name)).filter((name) => !mysqlKeywords.has(name))) {
      await run(`SELECT 1 AS ${word}, x.${word} FROM (SELECT 1 AS ${word}) AS x ORDER BY ${word}`).catch(() =>
        misread.push(word),
      );
    }
    expect(misread).toEqual([]);
  });
});

describe('the lists', () => {
  test('have each function once', () => {
    expect([...mysqlFunctions].filter((name) => mysqlRefusedFunctions.has(name))).toEqual([]);
    expect([...mysqlSubstitutes.keys()].filter((name) => mysqlFunctions.has(name))).toEqual([]);
  });
});
