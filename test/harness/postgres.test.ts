import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { freePort } from './port.ts';
import { startPostgres } from './postgres.ts';

it('starts a Postgres that answers, and leaves nothing behind', { timeout: 60_000 }, async () => {
  const server = await startPostgres();
  const client = new pg.Client({ connectionString: server.url });
  // The server ends the connection when it stops.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query(`
    SELECT 1 + 1 AS two, current_setting('server_encoding') AS encoding, current_setting('TimeZone') AS zone,
      current_setting('data_directory') AS folder`);
  expect(rows[0]).toMatchObject({ two: 2, encoding: 'UTF8', zone: 'UTC' });
  expect(existsSync(rows[0].folder)).toBe(true);
  await server.stop();
  await server.stop();
  expect(existsSync(dirname(rows[0].folder))).toBe(false);
  await expect(new pg.Client({ connectionString: server.url }).connect()).rejects.toThrow(/ECONNREFUSED/);
});

it('finds a port that the system gives to no one else', async () => {
  const port = await freePort();
  expect(port).toBeGreaterThan(1_023);
  expect(port).toBeLessThan(32_768);
});
