/**
 * Questions over HTTP with an instant scripted model and PostgreSQL as the company's database, each figure over that of
 * the floor server in the same run: for this clone alone, or in turns with the server of another commit.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { startPostgres } from '../harness/postgres.ts';
import { type AtlasSettings, OWN_TREE, type RunningAtlas, startAtlas } from './atlas.ts';
import { startChild } from './child.ts';
import { send, textOf } from './client.ts';
import type { Exchange } from './floor-server.ts';
import type { LoadInput, LoadResult } from './load.ts';
import { median, percentile, type Row } from './measure.ts';
import { treeMemory, treeProcessorMs } from './processes.ts';
import { scriptOf } from './scripted-model.ts';
import { startTimes } from './start.ts';
import { createWorkspace, tablesOf, type Workspace } from './workspace.ts';

const ENTITIES = 50;
const QUESTIONS = 40;
/** For a trial, a part of all the questions. */
const part = (amount: number) => Math.ceil(amount * Number(process.env.BENCH_PART ?? 1));
/** Questions that each server answers: 10,000 in all. */
const ALONE = { warmUp: part(250), rounds: part(750) };
const CHATS = { warmUp: part(100), rounds: part(400) };
const LOAD = { connections: 16, warmUp: part(500), amount: part(1_600), rounds: 5 };
const STARTS = 7;
const SETTLED_AFTER_MS = 4_000;

export interface Server {
  readonly url: string;
  readonly pid: number;
}

/** What one server did in a run. */
export interface Figures {
  /** Milliseconds of one question while there is no other. */
  readonly aloneMs: number[];
  /** Milliseconds until the first event of a chat answer: the call of a tool. */
  readonly eventMs: number[];
  /** Rates of 16 questions at once, one value a round. */
  readonly perSecond: number[];
  /** Processor time of a question in the same rounds, of all processes of the server. */
  readonly processorMs: number[];
  idleMb: number;
  afterMb: number;
}

export interface Setup extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly floor: Server;
  /** URL of an empty database to store in. */
  store(engine: 'SQLite' | 'PostgreSQL', name: string): Promise<string>;
  /** A server that asks the scripted model and the company's database. */
  start(settings?: AtlasSettings): Promise<RunningAtlas>;
}

const queryBody = (question: string) => JSON.stringify({ question });
const chatBody = (question: string) =>
  JSON.stringify({ messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: question }] }] });

/** What Atlas sends to the model for one question by each route. */
async function capture(workspace: Workspace, env: Readonly<Record<string, string>>) {
  await using model = await startOpenAIServer({ respond: scriptOf(workspace.sql) });
  await using atlas = await startAtlas(workspace, { modelUrl: model.url, env });
  const agent = new Agent();
  const { question } = workspace.layer.questions[0]!;
  const exchange = async (path: string, body: string): Promise<Exchange> => {
    const before = model.requests.length;
    await textOf(await send(agent, `${atlas.url}${path}`, body));
    const [first, second, ...more] = model.requests.slice(before);
    if (first === undefined || second === undefined || more.length > 0) {
      throw new Error(`A question took ${model.requests.length - before} model calls instead of two.`);
    }
    return [first.text, second.text];
  };
  return {
    query: await exchange('/api/v1/query', queryBody(question)),
    chat: await exchange('/api/v1/chat', chatBody(question)),
  };
}

/** The scripted model, the company's database on PostgreSQL, and the floor server over both. */
export async function setUp(): Promise<Setup> {
  await using stack = new AsyncDisposableStack();
  const workspace = stack.use(await createWorkspace(ENTITIES, QUESTIONS));
  const postgres = stack.use(await startPostgres({ max_connections: '300' }));
  const newDatabase = async (name: string, sql = ''): Promise<string> => {
    const url = postgres.url.replace(/postgres$/, name);
    for (const [target, statement] of [
      [postgres.url, `CREATE DATABASE ${name}`],
      [url, sql],
    ]) {
      const client = new pg.Client(target);
      await client.connect();
      await client.query(statement ?? '');
      await client.end();
    }
    return url;
  };
  const databaseUrl = await newDatabase('company', tablesOf(workspace.model));
  const { message: model } = stack.use(
    await startChild<{ url: string }>(new URL('./scripted-model.ts', import.meta.url), { sql: workspace.sql }),
  );
  // As it is by default: each question is logged.
  const common = { SVC_DATASOURCE_URL: databaseUrl, SVC_LOG_LEVEL: 'info' };
  const bodies = await capture(workspace, common);
  const { message: floor } = stack.use(
    await startChild<Server>(new URL('./floor-server.ts', import.meta.url), {
      modelUrl: model.url,
      databaseUrl,
      ...bodies,
    }),
  );
  const all = stack.move();
  return {
    workspace,
    floor,
    store: async (engine, name) =>
      engine === 'SQLite' ? `sqlite:${join(workspace.dir, `${name}.db`)}` : newDatabase(name),
    start: async ({ env, ...settings } = {}) =>
      all.use(await startAtlas(workspace, { modelUrl: model.url, ...settings, env: { ...common, ...env } })),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Lets the servers take turns in changing order, so that a busy moment hits all of them. */
async function inTurns(
  servers: readonly Server[],
  { warmUp, rounds }: { readonly warmUp: number; readonly rounds: number },
  turn: (server: Server, index: number, round: number) => Promise<void>,
): Promise<void> {
  for (let round = -warmUp; round < rounds; round += 1) {
    for (let place = 0; place < servers.length; place += 1) {
      const next = (Math.abs(round) + place) % servers.length;
      // Back and forth, so that no server always comes after the same one.
      const index = round % 2 === 0 ? next : servers.length - 1 - next;
      await turn(servers[index]!, index, round);
    }
  }
}

async function load({ url }: Server, bodies: readonly string[], amount: number): Promise<number> {
  const input: LoadInput = { url: `${url}/api/v1/query`, bodies, connections: LOAD.connections, amount };
  await using child = await startChild<LoadResult>(new URL('./load.ts', import.meta.url), input);
  if (child.message.failed > 0) throw new Error(`${child.message.failed} questions failed: ${child.message.why}`);
  return child.message.requestsPerSecond;
}

/** Rate and processor time of every server with 16 questions at once. */
export async function measureLoad({ workspace }: Setup, servers: readonly Server[], figures: readonly Figures[]) {
  const bodies = workspace.layer.questions.map(({ question }) => queryBody(question));
  await inTurns(servers, { warmUp: 1, rounds: LOAD.rounds }, async (server, index, round) => {
    if (round < 0) return void (await load(server, bodies, LOAD.warmUp));
    const before = treeProcessorMs(server.pid);
    figures[index]?.perSecond.push(await load(server, bodies, LOAD.amount));
    figures[index]?.processorMs.push((treeProcessorMs(server.pid) - before) / LOAD.amount);
  });
}

export const noFigures = (): Figures => ({
  aloneMs: [],
  eventMs: [],
  perSecond: [],
  processorMs: [],
  idleMb: 0,
  afterMb: 0,
});

async function measureAll(setup: Setup, servers: readonly Server[]): Promise<Figures[]> {
  const figures = servers.map(noFigures);
  const agent = new Agent({ keepAlive: true });
  const { questions } = setup.workspace.layer;
  const questionOf = (round: number) => questions[Math.abs(round) % questions.length]!.question;
  await sleep(SETTLED_AFTER_MS);
  for (const [index, { pid }] of servers.entries()) figures[index]!.idleMb = treeMemory(pid).rssMb;
  await inTurns(servers, ALONE, async ({ url }, index, round) => {
    const startedAt = performance.now();
    await textOf(await send(agent, `${url}/api/v1/query`, queryBody(questionOf(round))));
    if (round >= 0) figures[index]?.aloneMs.push(performance.now() - startedAt);
  });
  await inTurns(servers, CHATS, async ({ url }, index, round) => {
    const startedAt = performance.now();
    let eventMs = 0;
    const response = await send(agent, `${url}/api/v1/chat`, chatBody(questionOf(round)));
    await textOf(response, (text) => {
      if (eventMs === 0 && text.includes('data: ')) eventMs = performance.now() - startedAt;
    });
    if (round >= 0) figures[index]?.eventMs.push(eventMs);
  });
  agent.destroy();
  await measureLoad(setup, servers, figures);
  await sleep(SETTLED_AFTER_MS);
  for (const [index, { pid }] of servers.entries()) figures[index]!.afterMb = treeMemory(pid).rssMb;
  return figures;
}

function rowsOf(floor: Figures, [none, sqlite, postgres]: readonly [Figures, Figures, Figures]): Row[] {
  const alone = (what: string, own: Figures, target: number, share = 0.5): Row => ({
    what: `one question, ${what}`,
    value: percentile(own.aloneMs, share),
    unit: 'ms',
    floor: percentile(floor.aloneMs, share),
    target,
  });
  const atOnce = `${LOAD.connections} at once`;
  const processor = (what: string, own: Figures): Row => ({
    what: `${atOnce}, processor time a question, ${what}`,
    value: median(own.processorMs),
    unit: 'ms',
    floor: median(floor.processorMs),
  });
  const rate = (what: string, own: Figures, base: Figures, part: number): Row => ({
    what: `${atOnce}, ${what}`,
    value: median(own.perSecond),
    unit: '/s',
    floor: median(base.perSecond),
    atLeast: part * median(base.perSecond),
  });
  const memory = (what: string, value: number, target: number): Row => ({
    what: `memory, ${what}`,
    value,
    unit: 'MB',
    target,
  });
  return [
    { ...processor('nothing stored', none), target: 2.8 },
    processor('stored on SQLite', sqlite),
    processor('stored on PostgreSQL', postgres),
    rate('nothing stored', none, floor, 0.6),
    rate('stored on SQLite, against nothing stored', sqlite, none, 0.95),
    rate('stored on PostgreSQL, against nothing stored', postgres, none, 0.88),
    alone('p50', none, 1.8),
    alone('p95', none, 2.2, 0.95),
    alone('stored on SQLite, p50', sqlite, 2.6),
    alone('stored on PostgreSQL, p50', postgres, 2.8),
    {
      what: 'chat, first event, after that of the floor server',
      value: median(none.eventMs) - median(floor.eventMs),
      unit: 'ms',
      target: 1.5,
    },
    memory('idle', none.idleMb, 150),
    memory('after 10,000 questions', none.afterMb, 230),
    memory('after 10,000 questions, stored on SQLite', sqlite.afterMb, 250),
    memory('after 10,000 questions, stored on PostgreSQL', postgres.afterMb, 250),
  ];
}

/** Starts of every clone in turns; the first of each is not counted: it may have to strip types. */
async function startRows({ workspace }: Setup, trees: readonly string[]): Promise<Row[][]> {
  const runs: Awaited<ReturnType<typeof startTimes>>[][] = trees.map(() => []);
  for (let run = -1; run < STARTS; run += 1) {
    for (const [index, tree] of trees.entries()) {
      const times = await startTimes(workspace, { tree });
      if (run >= 0) runs[index]?.push(times);
    }
  }
  return runs.map((times) => [
    { what: 'start, processor time', value: median(times.map(({ processorMs }) => processorMs)), unit: 'ms' },
    { what: 'start to health', value: median(times.map(({ healthMs }) => healthMs)), unit: 'ms' },
    { what: 'start to the first answer', value: median(times.map(({ answerMs }) => answerMs)), unit: 'ms' },
  ]);
}

/** The rows of every clone. */
async function measureTrees(trees: readonly string[]): Promise<Row[][]> {
  await using setup = await setUp();
  const starts = await startRows(setup, trees);
  const servers: Server[] = [setup.floor];
  for (const [index, tree] of trees.entries()) {
    servers.push(await setup.start({ tree }));
    for (const engine of ['SQLite', 'PostgreSQL'] as const) {
      const DATABASE_URL = await setup.store(engine, `store_${index}`);
      servers.push(await setup.start({ tree, env: { DATABASE_URL } }));
    }
  }
  const [floor, ...figures] = (await measureAll(setup, servers)) as [Figures, ...Figures[]];
  return trees.map((_, index) => {
    const [none, sqlite, postgres] = figures.slice(3 * index) as [Figures, Figures, Figures];
    return [...rowsOf(floor, [none, sqlite, postgres]), ...starts[index]!];
  });
}

export async function query(): Promise<Row[]> {
  return (await measureTrees([OWN_TREE]))[0]!;
}

/** Over the floor where there is one. */
const overFloor = ({ value, floor = 1 }: Row) => value / floor;

/** The same for this clone and another commit's, or a folder with such a clone: `floor` is what the other has. */
export async function against(commit: string): Promise<Row[]> {
  if (existsSync(join(commit, 'bin/atlas.mjs'))) return compare(commit);
  const id = execFileSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: OWN_TREE, encoding: 'utf8' });
  const folder = mkdtempSync(join(tmpdir(), 'atlas-against-'));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    run('git', 'clone', '--quiet', '--shared', '--no-checkout', OWN_TREE, '.');
    run('git', 'checkout', '--quiet', '--detach', id.trim());
    run('npm', 'ci', '--no-audit', '--no-fund');
    return await compare(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(other: string): Promise<Row[]> {
  const [own = [], others = []] = await measureTrees([OWN_TREE, other]);
  return own.map((row, index) => ({
    what: row.what,
    value: overFloor(row),
    unit: row.floor === undefined ? row.unit : '× floor',
    floor: overFloor(others[index]!),
  }));
}
