/** Tests what `init` and `diff` say of tables that a PostgreSQL login may not read. */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';
import { type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';

let server: PostgresServer;
let client: pg.Client;
let folder: ReturnType<typeof emptyFolder>;
const run = (...args: string[]) => {
  const url = server.url.replace('postgres:atlas@', 'reader:x@');
  return atlas(args, { cwd: folder.path, env: { SVC_DATASOURCE_URL: url } });
};

beforeAll(async () => {
  server = await startPostgres();
  client = new pg.Client(server.url);
  await client.connect();
  folder = emptyFolder();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'orders', 'salaries']) {
    await client.query(`CREATE TABLE ${name} (id integer PRIMARY KEY); INSERT INTO ${name} VALUES (1), (2)`);
  }
  await client.query(`CREATE ROLE reader LOGIN PASSWORD 'x'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
    REVOKE SELECT ON orders, salaries FROM reader`);
});
afterAll(async () => {
  await client?.end();
  await server?.stop();
  folder?.[Symbol.dispose]();
});

it('names them, writes no entity for them, and diff leaves them out', async () => {
  const written = await run('init');
  expect(written).toMatchObject({
    code: 0,
    stderr: [
      'Left out: orders: the login has no right to read it',
      'Left out: salaries: the login has no right to read it\n',
    ].join('\n'),
  });
  expect(written.stdout).toContain('Read 8 tables');
  expect(globSync('entities/*', { cwd: join(folder.path, 'semantic') })).toHaveLength(8);
  const compared = await run('diff');
  expect(compared.code).toBe(0);
  expect(compared.stderr).toContain('Left out, as it cannot be read: orders: the login has no right to read it');
});

it('does not report one as gone that the layer has', async () => {
  await client.query('REVOKE SELECT ON a FROM reader');
  const { code, stdout, stderr } = await run('diff');
  expect([code, stdout]).toEqual([0, expect.stringContaining('no difference')]);
  expect(stderr).toContain('Left out, as it cannot be read: a: the login has no right to read it');
});

it('beyond a fifth nothing is written, and a denied table is known by its name', async () => {
  using other = emptyFolder();
  const url = server.url.replace('postgres:atlas@', 'reader:x@');
  const init = (...args: string[]) => atlas(['init', ...args], { cwd: other.path, env: { SVC_DATASOURCE_URL: url } });
  expect(await init()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('3 of 10 tables could not be read, so nothing was written.'),
  });
  expect((await init('--tables', 'orders')).stderr).toContain(
    'Left out: orders: the login has no right to read it\n1 of 1 tables could not be read',
  );
  expect(existsSync(join(other.path, 'semantic'))).toBe(false);
  expect((await init('--force')).code).toBe(0);
});
