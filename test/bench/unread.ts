/** Measures what clients cost that ask for 8 MiB and do not read it: memory of the server, and its health meanwhile. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type RunningAtlas, startAtlas } from './atlas.ts';
import { startChild } from './child.ts';
import { send, textOf } from './client.ts';
import type { LoadInput, LoadResult } from './load.ts';
import type { Bench, Row } from './measure.ts';
import { processMemory, treeMemory } from './processes.ts';
import type { UnreadInput, UnreadResult } from './unread-clients.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const CLIENTS = 500;
const DURATION_MS = 40_000;
const SAMPLE_MS = 100;
const SETTLED_AFTER_MS = 10_000;
/** A thousand rows of it are 8 MiB, which is as much as one result may have. */
const CELL_CHARS = 8_200;
/** Questions of each route that come first, so that a server that has just started does not count as grown. */
const WARM_UP = { connections: 4, amount: 200 };

const ROUTES = [
  { name: 'POST /query', path: '/api/v1/query', body: JSON.stringify({ question: 'Show all orders' }) },
  {
    name: 'chat',
    path: '/api/v1/chat',
    body: JSON.stringify({ messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Show all orders' }] }] }),
  },
];

/** All rows of the one table that has any. */
function select({ sql }: Workspace): { readonly table: string; readonly sql: string } {
  const table = /FROM (\w+)/.exec(sql)?.[1] ?? '';
  return { table, sql: `SELECT id, status FROM ${table}` };
}

function setCells(workspace: Workspace, text: string): void {
  const db = new Sqlite(workspace.databasePath);
  db.prepare(`UPDATE ${select(workspace).table} SET status = ?`).run(text);
  db.close();
}

/** Questions that are read, to each route. */
async function warmUp({ url }: RunningAtlas): Promise<void> {
  for (const { path, body } of ROUTES) {
    const input: LoadInput = { url: `${url}${path}`, bodies: [body], ...WARM_UP };
    await using child = await startChild<LoadResult>(new URL('./load.ts', import.meta.url), input);
    if (child.message.failed > 0) throw new Error(`${child.message.failed} questions failed: ${child.message.why}`);
  }
}

interface Memory {
  readonly server: number;
  readonly all: number;
}

const memoryOf = ({ pid }: RunningAtlas): Memory => ({
  server: processMemory(pid).rssMb,
  all: treeMemory(pid).rssMb,
});

/** Samples until `work` ends; the highest of each. */
async function peakDuring(atlas: RunningAtlas, work: Promise<unknown>): Promise<Memory> {
  let peak = memoryOf(atlas);
  const sampling = setInterval(() => {
    const { server, all } = memoryOf(atlas);
    peak = { server: Math.max(peak.server, server), all: Math.max(peak.all, all) };
  }, SAMPLE_MS);
  await work.finally(() => clearInterval(sampling));
  return peak;
}

async function measured(
  workspace: Workspace,
  modelUrl: string,
  { name, path, body }: (typeof ROUTES)[number],
): Promise<Row[]> {
  setCells(workspace, 'open');
  await using atlas = await startAtlas(workspace, { modelUrl });
  await warmUp(atlas);
  setCells(workspace, 'x'.repeat(CELL_CHARS));
  // One client that reads such an answer.
  const agent = new Agent();
  await textOf(await send(agent, `${atlas.url}${path}`, body));
  agent.destroy();
  await sleep(SETTLED_AFTER_MS);
  const before = memoryOf(atlas);
  const input: UnreadInput = { url: atlas.url, path, body, clients: CLIENTS, durationMs: DURATION_MS };
  const running = startChild<UnreadResult>(new URL('./unread-clients.ts', import.meta.url), input);
  const peak = await peakDuring(atlas, running);
  const { healthP50Ms, healthP99Ms, healthMaxMs, healthFailed, statuses } = await (async () => {
    await using child = await running;
    return child.message;
  })();
  await sleep(SETTLED_AFTER_MS);
  const after = memoryOf(atlas);
  const what = `${name} unread by ${CLIENTS}:`;
  const met = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return [
    { what: `${what} server before`, value: before.server, unit: 'MB' },
    { what: `${what} server, beyond that at most`, value: peak.server - before.server, unit: 'MB', target: 200 },
    { what: `${what} server, left afterwards`, value: after.server - before.server, unit: 'MB' },
    { what: `${what} all processes before`, value: before.all, unit: 'MB' },
    { what: `${what} all, beyond that at most`, value: peak.all - before.all, unit: 'MB', target: 200 },
    { what: `${what} health, median`, value: healthP50Ms, unit: 'ms' },
    { what: `${what} health, p99`, value: healthP99Ms, unit: 'ms', target: 250 },
    { what: `${what} health, longest`, value: healthMaxMs, unit: 'ms' },
    { what: `${what} health, failed`, value: healthFailed, unit: 'requests', target: 0 },
    { what: `${what} ${met.join(', ')}`, value: statuses['200'] ?? 0, unit: 'answers' },
  ];
}

export const unread: Bench = async () => {
  using workspace = await createWorkspace(50, 1);
  const { sql } = select(workspace);
  await using model = await startChild<{ url: string }>(new URL('./scripted-model.ts', import.meta.url), { sql });
  const rows: Row[] = [];
  for (const route of ROUTES) rows.push(...(await measured(workspace, model.message.url, route)));
  return rows;
};
