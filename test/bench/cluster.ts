/**
 * Runs one server and three on one PostgreSQL, with a model and a company's database that take a scripted time, so that
 * waiting is what is measured and not the cores of the machine: questions a second, and thousands of open streams.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { type RunningAtlas, startAtlas } from './atlas.ts';
import { startChild } from './child.ts';
import type { LoadInput, LoadResult } from './load.ts';
import { type Bench, median, type Row } from './measure.ts';
import type { StreamsInput, StreamsResult } from './open-streams.ts';
import { parentOf, treeMemory, treeProcessorMs } from './processes.ts';
import type { ModelInput } from './scripted-model.ts';
import { createWorkspace, tablesOf, type Workspace } from './workspace.ts';

const SERVERS = 3;
const ENTITIES = 50;
/** Of each of the two model calls of a question. */
const MODEL_MS = 2_000;
const DATABASE_MS = 100;
/** Of each server: fewer than the 160 that it runs at once, so that none waits. */
const LOAD = { connections: 150, amount: 750 };
const WARM_UP = { connections: 16, amount: 96 };
const ROUNDS = 3;

const STREAMS = Number(process.env.BENCH_STREAMS ?? 5_000);
/** Of each of the two calls: together longer than it takes to open all of them. */
const STREAM_MODEL_MS = 25_000;

const bodiesOf = ({ layer }: Workspace) => layer.questions.map(({ question }) => JSON.stringify({ question }));

/** The tables of the layer, of which the one that is asked takes its time. */
function slowTables({ model }: Workspace): string {
  const [{ table = '' } = {}] = model.entities;
  return `${tablesOf(model)}
    ALTER TABLE ${table} RENAME TO ${table}_rows;
    CREATE VIEW ${table} AS SELECT r.* FROM ${table}_rows r, (SELECT pg_sleep(${DATABASE_MS / 1_000}) OFFSET 0) AS delay;`;
}

/** Questions a second of all servers together. */
async function rateOf(servers: readonly RunningAtlas[], bodies: readonly string[], load = LOAD): Promise<number> {
  const rates = await Promise.all(
    servers.map(async ({ url }) => {
      const input: LoadInput = { url: `${url}/api/v1/query`, bodies, ...load };
      await using child = await startChild<LoadResult>(new URL('./load.ts', import.meta.url), input);
      if (child.message.failed > 0) throw new Error(`${child.message.failed} questions failed: ${child.message.why}`);
      return child.message.requestsPerSecond;
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

export const cluster: Bench = async () => {
  await using stack = new AsyncDisposableStack();
  const workspace = stack.use(await createWorkspace(ENTITIES, 40));
  const postgres = stack.use(await startPostgres({ max_connections: '200' }));
  for (const [database, sql] of [
    ['postgres', 'CREATE DATABASE company'],
    ['postgres', 'CREATE DATABASE store'],
    ['company', slowTables(workspace)],
  ] as const) {
    const client = new pg.Client(postgres.url.replace(/postgres$/, database));
    await client.connect();
    await client.query(sql);
    await client.end();
  }
  const modelAfter = async (afterMs: number) => {
    const input: ModelInput = { sql: workspace.sql, afterMs };
    return stack.use(await startChild<{ url: string }>(new URL('./scripted-model.ts', import.meta.url), input)).message
      .url;
  };
  const startServers = (modelUrl: string, env: Readonly<Record<string, string>> = {}) =>
    Promise.all(
      Array.from({ length: SERVERS }, () =>
        startAtlas(workspace, {
          modelUrl,
          env: {
            SVC_DATASOURCE_URL: postgres.url.replace(/postgres$/, 'company'),
            DATABASE_URL: postgres.url.replace(/postgres$/, 'store'),
            ...env,
          },
        }),
      ),
    );
  return [
    ...(await rateRows(await startServers(await modelAfter(MODEL_MS)), bodiesOf(workspace), postgres)),
    ...(await streamRows(
      await startServers(await modelAfter(STREAM_MODEL_MS), { SVC_MAX_RUNNING: '4096' }),
      workspace,
    )),
  ];
};

/** What the servers and PostgreSQL have spent so far. */
interface Spent {
  readonly serverMs: number;
  /** Of both databases. */
  readonly postgresMs: number;
  readonly commits: number;
  readonly walBytes: number;
  readonly storedBytes: number;
}

async function spentBy(servers: readonly RunningAtlas[], store: pg.Client): Promise<Spent> {
  // What backends have counted is added up once a second at most.
  await sleep(1_500);
  const { rows } = await store.query<Record<'commits' | 'wal' | 'stored' | 'pid', string>>(
    `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, pg_database_size(current_database()) AS stored,
      pg_backend_pid() AS pid`,
  );
  const { commits, wal, stored, pid } = rows[0]!;
  return {
    serverMs: servers.reduce((sum, server) => sum + treeProcessorMs(server.pid), 0),
    postgresMs: treeProcessorMs(parentOf(Number(pid))),
    commits: Number(commits),
    walBytes: Number(wal),
    storedBytes: Number(stored),
  };
}

async function rateRows(
  servers: readonly RunningAtlas[],
  bodies: readonly string[],
  postgres: PostgresServer,
): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  for (const server of servers) stack.use(server);
  const one: number[] = [];
  const all: number[] = [];
  await rateOf(servers, bodies, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1) {
    one.push(await rateOf([servers[round % SERVERS]!], bodies));
    all.push(await rateOf(servers, bodies));
  }
  const store = new pg.Client(postgres.url.replace(/postgres$/, 'store'));
  await store.connect();
  stack.defer(() => store.end());
  const before = await spentBy(servers, store);
  await rateOf(servers, bodies);
  const after = await spentBy(servers, store);
  const each = (figure: keyof Spent) => (after[figure] - before[figure]) / (LOAD.amount * SERVERS);
  const [single, together] = [median(one), median(all)];
  return [
    { what: 'questions a second, one server', value: single, unit: '/s' },
    {
      what: `questions a second, ${SERVERS} servers`,
      value: together,
      unit: '/s',
      floor: single,
      atLeast: 2.4 * single,
    },
    { what: 'processor time of a server for one question', value: each('serverMs'), unit: 'ms' },
    { what: 'processor time of PostgreSQL for one question', value: each('postgresMs'), unit: 'ms' },
    { what: 'commits in the internal database for one question', value: each('commits'), unit: '' },
    { what: 'write-ahead log of one question', value: each('walBytes') / 1_024, unit: 'KB' },
    { what: 'stored of one question', value: each('storedBytes') / 1_024, unit: 'KB' },
  ];
}

async function streamRows(servers: readonly RunningAtlas[], { layer }: Workspace): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  for (const server of servers) stack.use(server);
  await sleep(2_000);
  const memory = () => servers.map(({ pid }) => treeMemory(pid).rssMb);
  const idle = memory();
  const peak = [...idle];
  const sampling = setInterval(() => {
    for (const [index, mb] of memory().entries()) peak[index] = Math.max(peak[index]!, mb);
  }, 1_000);
  const input: StreamsInput = {
    urls: servers.map(({ url }) => url),
    questions: layer.questions.map(({ question }) => question),
    streams: STREAMS,
  };
  await using child = await startChild<StreamsResult>(new URL('./open-streams.ts', import.meta.url), input);
  clearInterval(sampling);
  const { mostOpen, complete, healthP99Ms } = child.message;
  const grown = Math.max(...peak.map((mb, index) => mb - idle[index]!));
  return [
    { what: `streams open at once over ${SERVERS} servers`, value: mostOpen, unit: '', atLeast: STREAMS },
    { what: 'of them answered whole', value: complete, unit: '', atLeast: STREAMS },
    { what: 'memory of a server beyond idle meanwhile', value: grown, unit: 'MB' },
    {
      what: 'memory of one open stream',
      value: (grown * 1_024) / (STREAMS / SERVERS),
      unit: 'KB',
    },
    { what: 'health meanwhile, p99', value: healthP99Ms, unit: 'ms' },
  ];
}
