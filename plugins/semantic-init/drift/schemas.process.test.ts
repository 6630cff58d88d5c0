/** Tests `init` and `diff` on a PostgreSQL database with tables of the same name in two schemas. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyFolder } from '../../../test/harness/command.ts';
import { atlasHere as atlas } from '../../../test/harness/command-here.ts';
import { type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';

let server: PostgresServer;
let client: pg.Client;
let folder: ReturnType<typeof emptyFolder>;
const run = (...args: string[]) => atlas(args, { cwd: folder.path, env: { SVC_DATASOURCE_URL: server.url } });
const path = (name: string) => join(folder.path, 'semantic', name);
const read = (name: string) => readFileSync(path(name), 'utf8');
async function drift(...args: string[]): Promise<[code: number | null, kinds: string[]]> {
  const { code, stdout } = await run('diff', '--json', ...args);
  return [code, JSON.parse(stdout).drift.map(({ kind, table }: Record<string, string>) => `${kind} ${table}`)];
}

beforeAll(async () => {
  server = await startPostgres();
  client = new pg.Client(server.url);
  await client.connect();
  folder = emptyFolder();
  await client.query(`CREATE TABLE customers (id integer PRIMARY KEY, city text);
    CREATE TABLE orders (id integer PRIMARY KEY, total numeric); CREATE SCHEMA archive;
    CREATE TABLE archive.orders (id integer PRIMARY KEY, cleared boolean)`);
});
afterAll(async () => {
  await client?.end();
  await server?.stop();
  folder?.[Symbol.dispose]();
});

it('a second schema adds entities of its own, and nothing of the first is gone', async () => {
  await run('init');
  const before = read('entities/orders.yml');
  const { code, stdout } = await run('init', '--schema', 'archive');
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('Gone from the database')]);
  expect(read('entities/orders.yml')).toBe(before);
  expect(parse(read('entities/archive_orders.yml'))).toMatchObject({
    table: 'orders',
    schema: 'archive',
    name: 'archive_orders',
  });
  expect((await run('init', '--schema', 'archive')).stdout).toContain('; 0 files written,');
  expect((await run('init')).stdout).toContain('; 0 files written,');
  expect((await run('validate', '--offline')).stdout).not.toMatch(/^error/m);
});

it('diff compares both schemas, or the one that is chosen', async () => {
  expect(await drift()).toEqual([0, []]);
  await client.query('CREATE TABLE archive.stock (id integer PRIMARY KEY); ALTER TABLE customers DROP COLUMN city');
  expect(await drift()).toEqual([1, ['column_removed customers', 'table_added archive.stock']]);
  expect(await drift('--schema', 'archive')).toEqual([1, ['table_added archive.stock']]);
  expect(await drift('--schema', 'public')).toEqual([1, ['column_removed customers']]);
});

it('an entity that a person wrote for a table of another schema asks for no more of them', async () => {
  await client.query('CREATE SCHEMA other; CREATE TABLE other.a (id integer); CREATE TABLE other.b (id integer)');
  writeFileSync(path('entities/a.yml'), 'table: a\nschema: other\ndimensions:\n  - name: id\n    type: number\n');
  expect((await drift())[1].filter((one) => one.includes('other'))).toEqual([]);
});

it.each(['../x', 'A', 'a/b'])('diff refuses the source %j', async (source) => {
  expect(await run('diff', '--source', source)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('--source is invalid: expected a name of lower-case letters'),
  });
});
