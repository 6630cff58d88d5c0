/** Tests `atlas init` on databases of a realistic size: the layer it writes answers questions correctly. */
import { globSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyFolder, serve } from '../../test/harness/command.ts';
import { atlasHere as atlas } from '../../test/harness/command-here.ts';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { LIBRARY, QUESTIONS } from './library.fixture.ts';

const root = join(import.meta.dirname, '../..');

interface Engine {
  readonly url: string;
  /** All numbers of a result. */
  numbers(sql: string): Promise<number[]>;
}

function sqlite(folder: string): Engine {
  const db = new Sqlite(join(folder, 'library.db'));
  db.exec(LIBRARY.join('\n'));
  return {
    url: 'sqlite:library.db',
    numbers: async (sql) => db.prepare(sql).raw().all().flat().map(Number),
  };
}

let server: PostgresServer;
let client: pg.Client;
beforeAll(async () => {
  server = await startPostgres();
  client = new pg.Client(server.url);
  await client.connect();
  await client.query(LIBRARY.join('\n'));
});
afterAll(async () => {
  await client.end();
  await server.stop();
});

const postgres = (): Engine => ({
  url: server.url,
  numbers: async (sql) => (await client.query({ text: sql, rowMode: 'array' })).rows.flat().map(Number),
});

const snapshot = (folder: string) =>
  Object.fromEntries(
    globSync('semantic/**/*.yml', { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );

const rounded = (numbers: readonly number[]) =>
  numbers.map((number) => Math.round(number * 1e6) / 1e6).sort((a, b) => a - b);

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
])('init on %s', (_, engineIn) => {
  it('writes a layer that answers questions correctly, the same bytes each time', async () => {
    using folder = emptyFolder();
    const engine = engineIn(folder.path);
    const env = { SVC_DATASOURCE_URL: engine.url };
    const first = await atlas(['init'], { cwd: folder.path, env });
    expect(first).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/Read 15 tables; 2\d files written, 0 unchanged in semantic\./),
    });
    const before = snapshot(folder.path);
    const again = await atlas(['init'], { cwd: folder.path, env });
    expect(again.stdout).toMatch(/; 0 files written, 2\d unchanged/);
    expect(snapshot(folder.path)).toEqual(before);

    await using running = await serve({ cwd: folder.path, env });
    for (const { question, sql } of QUESTIONS) {
      const asked = await atlas(['query', question, '--json'], { cwd: folder.path, env: { SVC_API_URL: running.url } });
      const { answer, data } = JSON.parse(asked.stdout || '{}') as {
        answer: string;
        data: { rows: Record<string, unknown>[] }[];
      };
      const found = (data ?? []).flatMap(({ rows }) => rows.map((row) => Number(Object.values(row).at(-1))));
      expect(rounded(found), `${question}: ${answer}`).toEqual(rounded(await engine.numbers(sql)));
    }
    expect(running.stderr()).not.toContain('Warning');
  });
});

describe('init', () => {
  it('hides credentials and writes no personal values', async () => {
    using folder = emptyFolder();
    const { url } = sqlite(folder.path);
    await atlas(['init', '--tables', 'members,branches'], { cwd: folder.path, env: { SVC_DATASOURCE_URL: url } });
    expect(globSync('semantic/entities/*', { cwd: folder.path })).toHaveLength(2);
    const { dimensions, joins } = parse(readFileSync(join(folder.path, 'semantic/entities/members.yml'), 'utf8'));
    expect(dimensions).toContainEqual({ name: 'password_hash', type: 'string', nullable: true, hidden: true });
    const all = { nullable: true, null_count: 0 };
    expect(dimensions).toContainEqual({ name: 'email', type: 'string', ...all, unique_count: 120 });
    expect(dimensions).toContainEqual({
      name: 'status',
      type: 'string',
      ...all,
      unique_count: 2,
      sample_values: ['active', 'blocked'],
    });
    expect(dimensions).toContainEqual(expect.objectContaining({ name: 'joined_on', type: 'date' }));
    expect(dimensions).toContainEqual({
      name: 'branch_id',
      type: 'number',
      ...all,
      unique_count: 4,
      references: 'branches.id',
    });
    expect(joins).toEqual([{ target: 'branches', relationship: 'many_to_one', on: [{ from: 'branch_id', to: 'id' }] }]);
  });

  it('sums amounts under plain names, but neither flags nor floor numbers', async () => {
    using folder = emptyFolder();
    const db = new Sqlite(join(folder.path, 'hotel.db'));
    db.exec(`CREATE TABLE invoices (id INTEGER PRIMARY KEY, total_amount REAL, tax REAL, is_paid INT, floor INT);
      INSERT INTO invoices VALUES (1, 10, 2, 0, 3), (2, 20, 4, 1, 4)`);
    db.close();
    await atlas(['init'], { cwd: folder.path, env: { SVC_DATASOURCE_URL: 'sqlite:hotel.db' } });
    const { measures } = parse(readFileSync(join(folder.path, 'semantic/entities/invoices.yml'), 'utf8'));
    expect(measures.map(({ name }: { name: string }) => name)).toEqual([
      'invoice_count',
      'invoice_total_amount',
      'average_total_amount',
      'total_tax',
      'average_tax',
    ]);
  });

  it('handles names of every kind, and tables that refer to each other twice', async () => {
    using folder = emptyFolder();
    const db = new Sqlite(join(folder.path, 'odd.db'));
    db.exec(`CREATE TABLE "Order Details" (id INTEGER PRIMARY KEY, "Unit Price" REAL, "group" TEXT, größe TEXT);
      CREATE TABLE airports (code TEXT PRIMARY KEY, city TEXT);
      CREATE TABLE flights (id INTEGER PRIMARY KEY, from_code TEXT REFERENCES airports, to_code TEXT REFERENCES airports, seats INT);
      CREATE VIEW full_flights AS SELECT * FROM flights WHERE seats = 0;
      CREATE TABLE empty (id INTEGER PRIMARY KEY, at DATETIME);
      INSERT INTO "Order Details" VALUES (1, 2.5, 'a', 'x'), (2, 3.5, 'a', 'y');`);
    db.close();
    const env = { SVC_DATASOURCE_URL: 'sqlite:odd.db' };
    expect(await atlas(['init'], { cwd: folder.path, env })).toMatchObject({ code: 0, stderr: '' });
    const { joins } = parse(readFileSync(join(folder.path, 'semantic/entities/flights.yml'), 'utf8'));
    expect(joins.map(({ name }: { name: string }) => name).sort()).toEqual(['from_code', 'to_code']);
    await using running = await serve({ cwd: folder.path, env });
    const asked = await atlas(['query', 'What is the average unit price by group?', '--json'], {
      cwd: folder.path,
      env: { SVC_API_URL: running.url },
    });
    expect(JSON.parse(asked.stdout).data[0].rows).toEqual([{ group: 'a', average_unit_price: 3 }]);
    const report = (await (await fetch(`${running.url}/api/health`)).json()) as { checks: Record<string, unknown> };
    expect(report.checks.semanticLayer).toMatchObject({ status: 'ok', entityCount: 5, problemCount: 0 });
  });

  it.each([
    [{}, [], 'There is no database to read. Set SVC_DATASOURCE_URL'],
    [{ SVC_DATASOURCE_URL: 'sqlite:nowhere.db' }, [], 'the database file "nowhere.db" does not exist'],
    [
      { SVC_DATASOURCE_URL: 'sqlite:library.db' },
      ['--tables', 'loan'],
      'There is no table "loan"; did you mean `loans`?',
    ],
    [
      { SVC_DATASOURCE_URL: 'sqlite:library.db' },
      ['--schema', 'sales'],
      'The schema "sales" has no table that this login may read.',
    ],
    [
      { SVC_DATASOURCE_URL: 'sqlite:empty.db' },
      [],
      'The database has no table that this login may read. Check the name of the database in the URL, and the rights',
    ],
    [{ SVC_DATASOURCE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/x' }, [], 'Connection failed'],
  ])('%j %j is one sentence, and nothing is written', async (env, args, message) => {
    using folder = emptyFolder();
    sqlite(folder.path);
    writeFileSync(join(folder.path, 'empty.db'), '');
    const { code, stdout, stderr } = await atlas(['init', ...args], {
      cwd: folder.path,
      env: env as Record<string, string>,
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/hunter2|node:internal/);
    expect(statSync(join(folder.path, 'semantic'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("does not overwrite the demo's layer", async () => {
    using folder = emptyFolder();
    sqlite(folder.path);
    symlinkSync(join(root, 'semantic'), join(folder.path, 'semantic'));
    const { code, stderr } = await atlas(['init'], {
      cwd: folder.path,
      env: { SVC_DATASOURCE_URL: 'sqlite:library.db' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain("is the demo's and is not overwritten. Choose another folder with SVC_SEMANTIC_DIR");
  });

  it('writes nothing when more than a fifth of the tables cannot be read, unless forced', async () => {
    using folder = emptyFolder();
    const env = { SVC_DATASOURCE_URL: server.url };
    await client.query('CREATE SCHEMA broken; SET search_path = broken');
    await client.query(
      'CREATE TABLE a (id INT); CREATE FUNCTION f() RETURNS INT LANGUAGE sql AS $$ SELECT 1/0 $$; CREATE VIEW b AS SELECT f() AS x',
    );
    await client.query('RESET search_path');
    const stopped = await atlas(['init', '--schema', 'broken'], { cwd: folder.path, env });
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('1 of 2 tables could not be read, so nothing was written.');
    const forced = await atlas(['init', '--schema', 'broken', '--force'], { cwd: folder.path, env });
    expect(forced.stdout).toContain('Read 1 table; 2 files written');
    expect(parse(readFileSync(join(folder.path, 'semantic/entities/a.yml'), 'utf8'))).toMatchObject({
      schema: 'broken',
    });
  });
});
