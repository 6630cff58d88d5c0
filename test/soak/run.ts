/**
 * `npm run soak -- [minutes]` (10): a real server under clients of every kind, with a database that goes away and
 * comes back. Prints a table, and exits 1 when health is late or something is left over at the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { renderTable } from '../../plugins/cli/index.ts';
import { percentile } from '../bench/measure.ts';
import { treeMemory } from '../bench/processes.ts';
import { emptyFolder } from '../harness/command.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { watchHealth } from './health.ts';
import { CLIENTS, createClients, respond } from './load.ts';
import type { ProbeReport } from './probe.ts';

const BIN = fileURLToPath(new URL('../../bin/atlas.mjs', import.meta.url));
const PROBE = new URL('./probe.ts', import.meta.url).href;
const MB = 1024 * 1024;
/** The database is away for so long. */
const OUTAGE_MS = 5_000;
/** For sessions, database processes and connections that are no longer needed to go. */
const SETTLE_MS = 80_000;
const WARM_UP_SHARE = 0.25;

interface Bound {
  readonly what: string;
  readonly value: number;
  readonly before?: number;
  readonly most?: number;
  readonly unit: string;
}

interface Held extends ProbeReport {
  readonly rssBytes: number;
  readonly descriptors: number;
  readonly children: number;
}

async function createShop(database: PostgresServer): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(`CREATE TABLE orders (id integer PRIMARY KEY, status text, note text);
    INSERT INTO orders SELECT i, (ARRAY['open', 'closed', 'closed'])[1 + i % 3], repeat('x', 500)
    FROM generate_series(1, 1000) AS i`);
  await client.end();
}

async function startServer(cwd: string, env: Readonly<Record<string, string>>) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--expose-gc', '--import', PROBE, BIN, 'serve'], {
    cwd,
    env: { PATH, HOME, PORT: '0', SVC_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let isStopping = false;
  let lastErrors = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    lastErrors = (lastErrors + text).slice(-2_000);
  });
  child.once('exit', (code, signal) => {
    if (isStopping) return;
    process.stderr.write(`${lastErrors}\nThe server ended too early, with ${signal ?? code}.\n`);
    process.exit(1);
  });
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const url = /^Atlas is listening on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    const exited = once(child, 'exit');
    const stop = async () => {
      isStopping = true;
      child.kill('SIGTERM');
      const [code] = await exited;
      return Number(code ?? 1);
    };
    return { child, url, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
  }
  throw new Error('The server ended before it listened.');
}

async function held(child: ChildProcess): Promise<Held> {
  const pid = child.pid as number;
  child.send('report');
  const [report] = (await once(child, 'message')) as [ProbeReport];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(/\s+/).filter(Boolean);
  const rssBytes = treeMemory(pid).rssMb * MB;
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  return { ...report, rssBytes, descriptors, children: children.length };
}

async function outage(database: PostgresServer): Promise<void> {
  await database.pause();
  await sleep(OUTAGE_MS);
  await database.resume();
}

function leftOver(before: Held, after: Held): Bound[] {
  const bytes = (what: string, key: 'heapBytes' | 'externalBytes' | 'rssBytes', more: number): Bound => ({
    what,
    value: after[key] / MB,
    before: before[key] / MB,
    most: before[key] / MB + more,
    unit: 'MB',
  });
  const count = (what: string, key: 'timers' | 'sockets' | 'descriptors' | 'children', more: number): Bound => ({
    what,
    value: after[key],
    before: before[key],
    most: before[key] + more,
    unit: '',
  });
  return [
    bytes('heap after a collection', 'heapBytes', 15),
    bytes('memory outside the heap', 'externalBytes', 10),
    // Pages that the allocator keeps after a busy time are no leak; what objects hold is bounded above.
    bytes('resident memory of all processes', 'rssBytes', 200),
    count('timers', 'timers', 5),
    count('sockets', 'sockets', 5),
    count('descriptors', 'descriptors', 10),
    count('child processes', 'children', 1),
  ];
}

function show(bounds: readonly Bound[]): void {
  const figure = (value: number | undefined) => (value === undefined ? '' : value.toFixed(value % 1 === 0 ? 0 : 1));
  const rows = bounds.map(({ what, value, before, most, unit }) => ({
    what,
    before: figure(before),
    measured: `${figure(value)} ${unit}`.trim(),
    'at most': figure(most),
    kept: most === undefined ? '' : value <= most ? 'yes' : 'NO',
  }));
  const columns = ['what', 'before', 'measured', 'at most', 'kept'];
  process.stdout.write(`${renderTable({ columns, rows }, { color: false, maxRows: 100 })}\n`);
}

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) {
  process.stderr.write('Say for how many minutes: npm run soak -- 10\n');
  process.exit(2);
}
const totalMs = minutes * 60_000;
using folder = emptyFolder();
await using database = await startPostgres();
await using model = await startOpenAIServer({ record: false, respond });
await createShop(database);
await using server = await startServer(folder.path, {
  SVC_DATASOURCE_URL: database.url,
  DATABASE_URL: `sqlite:${join(folder.path, 'internal.db')}`,
  AUTHLIB_SECRET: 'a secret of the soak test, 32 bytes or more',
  SVC_PROVIDER: 'openai-compatible',
  OPENAI_BASE_URL: model.url,
  SVC_MODEL: 'scripted',
});
const { child, url } = server;
const healthOf = watchHealth(url);

const clients = await createClients(url);
const warmUp = clients.start();
await sleep(totalMs * WARM_UP_SHARE);
await warmUp.end();
await sleep(SETTLE_MS);
const before = await held(child);

const load = clients.start();
const restMs = totalMs * (1 - WARM_UP_SHARE);
for (let part = 0; part < 2; part += 1) {
  await sleep(restMs / 3);
  await outage(database);
}
await sleep(Math.max(0, restMs / 3 - 2 * OUTAGE_MS));
await load.end();
const health = await healthOf();
await sleep(SETTLE_MS);
const after = await held(child);

const exitCode = await server.stop();
const served = [...load.counts].sort(([a], [b]) => a.localeCompare(b));
const total = (pattern: RegExp) => served.reduce((sum, [what, n]) => (pattern.test(what) ? sum + n : sum), 0);
const bounds: Bound[] = [
  ...served.map(([what, value]) => ({ what: `${CLIENTS} clients: ${what}`, value, unit: '' })),
  { what: 'answers with 500', value: total(/ 500/), most: 0, unit: '' },
  { what: 'requests without an answer', value: total(/^no answer/), most: 0, unit: '' },
  { what: 'health, median', value: percentile(health.times, 0.5), unit: 'ms' },
  { what: 'health, p99', value: percentile(health.times, 0.99), most: 250, unit: 'ms' },
  { what: 'health, longest', value: health.times.at(-1) ?? Number.NaN, unit: 'ms' },
  { what: 'health, failed', value: health.failures, most: 0, unit: '' },
  ...leftOver(before, after),
  { what: 'exit code of the server', value: exitCode, most: 0, unit: '' },
];
show(bounds);
process.exitCode = bounds.every(({ value, most }) => most === undefined || value <= most) ? 0 : 1;
