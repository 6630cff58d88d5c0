/**
 * Upgrades internal databases that the last release wrote: nothing that its API answered is lost, and a server of that
 * release that still runs beside the new ones finds every table and column that it reads and writes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { expect, it } from 'vitest';
import { emptyFolder } from '../harness/command.ts';
import { startPostgres } from '../harness/postgres.ts';
import { type Answers, answersOf, lostOf, OWNER, RELEASE, startOver } from '../harness/release-database.ts';

const file = (name: string) => readFileSync(join(RELEASE, name), 'utf8');
const ANSWERS = JSON.parse(file('answers.json')) as Readonly<Record<'postgres' | 'sqlite', Answers>>;

async function lostAfterUpgrade(database: string, old: Answers): Promise<string[]> {
  await using server = await startOver(database);
  // With the password of then.
  await server.signIn(OWNER);
  return lostOf(old, await answersOf(server, Object.keys(old)));
}

/** What a server of the release could trip over, by table and name. */
async function schemaOf(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; is: string }>(`
    SELECT table_name || '.' || column_name AS name, udt_name || ' ' || is_nullable AS is
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f', 'c')`);
  return new Map(rows.map(({ name, is }) => [name, is]));
}

/** What is new in a table of the release has to leave its inserts alone: no constraint, no column that needs a value. */
async function demandsOn(client: pg.Client, before: ReadonlyMap<string, string>): Promise<string[]> {
  const tables = new Set([...before.keys()].map((name) => name.split(/[. ]/)[0]));
  const { rows } = await client.query<{ name: string }>(`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'
    UNION ALL SELECT conrelid::regclass || ' ' || conname FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype IN ('u', 'f', 'c')`);
  return rows.map(({ name }) => name).filter((name) => tables.has(name.split(/[. ]/)[0]) && !before.has(name));
}

it('keeps what is stored on PostgreSQL, and what servers of the release need', { timeout: 120_000 }, async () => {
  await using postgres = await startPostgres();
  const connect = async () => {
    const client = new pg.Client(postgres.url);
    // When the test fails, the server stops before its client does.
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const restoring = await connect();
  await restoring.query(file('postgres.sql'));
  await restoring.end();
  const client = await connect();
  const before = await schemaOf(client);
  expect(before.size).toBeGreaterThan(300);
  expect(await lostAfterUpgrade(postgres.url, ANSWERS.postgres)).toEqual([]);
  const after = await schemaOf(client);
  expect([...before].filter(([name, is]) => after.get(name) !== is)).toEqual([]);
  expect(await demandsOn(client, before)).toEqual([]);
  await client.end();
});

it('keeps what is stored in a SQLite file', { timeout: 120_000 }, async () => {
  using folder = emptyFolder();
  const path = join(folder.path, 'atlas.db');
  const db = new Sqlite(path);
  db.exec(file('sqlite.sql'));
  db.close();
  expect(await lostAfterUpgrade(`sqlite:${path}`, ANSWERS.sqlite)).toEqual([]);
});

it('finds what is lost', () => {
  const old = { tasks: [{ id: 1, name: 'a', health: 'good' }], total: 1 };
  expect(lostOf(old, { tasks: [{ id: 1, name: 'a', isNew: true }, {}], total: 1, more: 2 })).toEqual([]);
  expect(lostOf(old, { tasks: [], total: 1 })).toEqual(['.tasks: []']);
  expect(lostOf(old, { tasks: [{ id: 2 }], total: 1 })).toEqual([
    '.tasks[0].id: 1 became 2',
    '.tasks[0].name: "a" became undefined',
  ]);
});
