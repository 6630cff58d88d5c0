/** What the internal database adds: audit and conversations to each question, and many conversations to a page. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import knex from 'knex';
import { startPostgres } from '../harness/postgres.ts';
import { type RunningAtlas, startAtlas } from './atlas.ts';
import { startChild } from './child.ts';
import { get, textOf } from './client.ts';
import type { LoadInput, LoadResult } from './load.ts';
import { type Bench, median, type Row } from './measure.ts';
import { treeMemory } from './memory.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const LOAD = { connections: 16, amount: 2_000 };
const LOAD_ROUNDS = 3;
const PAGES = 300;
const MEMORY_QUESTIONS = 10_000;

/** The built-in composition without the plugins named in a variable. */
const CONFIG = `
import { defineConfig } from 'atlas-query';
import { readEnv } from '${new URL('../../config/env.ts', import.meta.url)}';
import { selfHosted } from '${new URL('../../config/presets/self-hosted.ts', import.meta.url)}';
const without = (process.env.BENCH_WITHOUT ?? '').split(',');
export default defineConfig({
  plugins: selfHosted(readEnv(process.env).env).filter(({ definition }) => !without.includes(definition.name)),
});
`;

interface Store {
  readonly name: string;
  url(database: string): string;
}

async function load(input: LoadInput): Promise<LoadResult> {
  await using child = await startChild<LoadResult>(new URL('./load.ts', import.meta.url), input);
  if (child.message.failed > 0) throw new Error(`${child.message.failed} questions failed.`);
  return child.message;
}

async function throughput(workspace: Workspace, modelUrl: string, store: Store): Promise<Row[]> {
  const start = (database: string, without: string) =>
    startAtlas(workspace, { modelUrl, env: { DATABASE_URL: store.url(database), BENCH_WITHOUT: without } });
  await using bare = await start('bare', 'audit,conversations');
  await using audited = await start('audited', 'conversations');
  await using both = await start('both', '');
  const servers = [bare, audited, both];
  const bodies = workspace.layer.questions.map(({ question }) => JSON.stringify({ question }));
  const ask = ({ url }: RunningAtlas, amount: number) =>
    load({ url: `${url}/api/v1/query`, bodies, connections: LOAD.connections, amount });
  for (const server of servers) await ask(server, 500);
  const rates: number[][] = servers.map(() => []);
  for (let round = 0; round < LOAD_ROUNDS; round += 1) {
    for (let turn = 0; turn < servers.length; turn += 1) {
      const index = (round + turn) % servers.length;
      rates[index]?.push((await ask(servers[index]!, LOAD.amount)).requestsPerSecond);
    }
  }
  const [floor = 0, withAudit = 0, withBoth = 0] = rates.map(median);
  const what = `POST /query, ${LOAD.connections} concurrent, ${store.name}`;
  return [
    { what: `${what}: neither audit nor conversations`, value: floor, unit: 'req/s' },
    { what: `${what}: audit`, value: withAudit, unit: 'req/s', atLeast: 0.85 * floor },
    { what: `${what}: audit and conversations`, value: withBoth, unit: 'req/s', atLeast: 0.8 * floor },
  ];
}

/** Memory of a server that has stored many questions and answers. */
async function memory(workspace: Workspace, modelUrl: string, { name, url }: Store): Promise<Row[]> {
  // From changed sources, the first start strips types and saves the result; the compiler for that stays in memory.
  await (await startAtlas(workspace, { modelUrl, env: { DATABASE_URL: url('memory') } }))[Symbol.asyncDispose]();
  await using atlas = await startAtlas(workspace, { modelUrl, env: { DATABASE_URL: url('memory') } });
  const bodies = workspace.layer.questions.map(({ question }) => JSON.stringify({ question }));
  await load({ url: `${atlas.url}/api/v1/query`, bodies, connections: LOAD.connections, amount: MEMORY_QUESTIONS });
  const { rssMb } = treeMemory(atlas.pid);
  return [{ what: `memory of all processes, after 10,000 questions, ${name}`, value: rssMb, unit: 'MB', target: 270 }];
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
  writeFileSync(join(workspace.dir, 'atlas.config.ts'), CONFIG);
  await using model = await startChild<{ url: string }>(new URL('./scripted-model.ts', import.meta.url), {
    sql: workspace.sql,
  });
  await using postgres = await startPostgres();
  const admin = knex({ client: 'pg', connection: postgres.url });
  for (const name of ['bare', 'audited', 'both', 'few', 'many', 'memory'])
    await admin.raw('CREATE DATABASE ??', [name]);
  await admin.destroy();
  const stores: Store[] = [
    { name: 'SQLite', url: (name) => `sqlite:${join(workspace.dir, `${name}.db`)}` },
    { name: 'PostgreSQL', url: (name) => postgres.url.replace(/postgres$/, name) },
  ];
  const rows: Row[] = [];
  for (const one of stores) {
    rows.push(...(await memory(workspace, model.message.url, one)));
    rows.push(...(await throughput(workspace, model.message.url, one)), ...(await pages(workspace, one)));
  }
  return rows;
};
