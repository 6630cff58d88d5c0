/** What many stored conversations add to a page of them. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import knex from 'knex';
import { startPostgres } from '../harness/postgres.ts';
import { type RunningAtlas, startAtlas } from './atlas.ts';
import { get, textOf } from './client.ts';
import { type Bench, median, type Row } from './measure.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const PAGES = 300;

interface Store {
  readonly name: string;
  url(database: string): string;
}

/** Stores so many conversations without a user, as the server's own tables have them. */
async function fill(url: string, count: number): Promise<void> {
  const isSqlite = url.startsWith('sqlite:');
  const db = knex({
    client: isSqlite ? 'better-sqlite3' : 'pg',
    connection: isSqlite ? { filename: url.slice('sqlite:'.length) } : url,
    useNullAsDefault: true,
  });
  const at = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
  const common = { user_id: '', org_id: '', title: 'How many orders are there?', surface: 'api', starred: false };
  const rows = Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    ...common,
    created_at: at(index),
    updated_at: at(index),
  }));
  await db.batchInsert('conversations', rows, 500);
  await db('conversation_counts').insert({ user_id: '', org_id: '', total: count, starred: 0 });
  await db.destroy();
}

async function pages(workspace: Workspace, store: Store): Promise<Row[]> {
  const agent = new Agent({ keepAlive: true });
  const start = async (name: string, count: number) => {
    const url = store.url(name);
    // The first start makes the tables.
    await (await startAtlas(workspace, { env: { DATABASE_URL: url } }))[Symbol.asyncDispose]();
    await fill(url, count);
    return startAtlas(workspace, { env: { DATABASE_URL: url } });
  };
  await using few = await start('few', 100);
  await using many = await start('many', 100_000);
  const timed = async ({ url }: RunningAtlas) => {
    const startedAt = performance.now();
    await textOf(await get(agent, `${url}/api/v1/conversations`));
    return performance.now() - startedAt;
  };
  const times: [number[], number[]] = [[], []];
  for (let round = -100; round < PAGES; round += 1) {
    const [a, b] = [await timed(few), await timed(many)];
    if (round < 0) continue;
    times[0].push(a);
    times[1].push(b);
  }
  agent.destroy();
  return [
    {
      what: `GET /conversations, 100,000 against 100, ${store.name}`,
      value: median(times[1]),
      unit: 'ms',
      floor: median(times[0]),
      target: 3,
    },
  ];
}

export const store: Bench = async () => {
  using workspace = await createWorkspace(50, 40);
  await using postgres = await startPostgres();
  const admin = knex({ client: 'pg', connection: postgres.url });
  for (const name of ['few', 'many']) await admin.raw('CREATE DATABASE ??', [name]);
  await admin.destroy();
  const stores: Store[] = [
    { name: 'SQLite', url: (name) => `sqlite:${join(workspace.dir, `${name}.db`)}` },
    { name: 'PostgreSQL', url: (name) => postgres.url.replace(/postgres$/, name) },
  ];
  const rows: Row[] = [];
  for (const one of stores) rows.push(...(await pages(workspace, one)));
  return rows;
};
