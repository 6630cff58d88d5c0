import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import mysql from 'mysql2/promise';
import { expect, it } from 'vitest';
import { findMariaDb, INSTALL_MARIADB, startMariaDb } from './mariadb.ts';
import { suiteNeeding } from './require.ts';

suiteNeeding(
  'mysql',
  findMariaDb() !== undefined,
  INSTALL_MARIADB,
)('MariaDB', () => {
  it('starts, starts again over the same files, and leaves nothing behind', { timeout: 120_000 }, async () => {
    const server = await startMariaDb();
    const ask = async (sql: string) => {
      const connection = await mysql.createConnection(server.url);
      const [rows] = await connection.query(sql);
      await connection.end();
      return rows;
    };
    expect(await ask('SELECT @@tmpdir AS folder')).toEqual([{ folder: dirname(server.socket) }]);
    await ask('CREATE TABLE kept (id int)');
    await server.restart();
    expect(await ask('SELECT count(*) AS n FROM kept')).toEqual([{ n: 0 }]);
    await server.stop();
    await server.stop();
    expect(existsSync(dirname(server.socket))).toBe(false);
    await expect(mysql.createConnection(server.url)).rejects.toThrow(/ECONNREFUSED/);
  });
});
