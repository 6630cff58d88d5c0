/** What an export of ten million rows takes of the server's memory, and how fast it is beside the driver alone. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../harness/postgres.ts';
import { startAtlas } from './atlas.ts';
import type { Bench, Row } from './measure.ts';
import { processMemory } from './processes.ts';

const ROWS = Number(process.env.BENCH_EXPORT_ROWS ?? 10_000_000);
/** The unit of /proc/<pid>/stat. */
const TICK_MS = 10;
const SQL = 'SELECT id, customer, amount, status, created_at FROM events';

const CREATE = `CREATE TABLE events AS SELECT n::bigint AS id, (n * 7919::bigint) % 100000 AS customer,
  ((n % 100000) / 100.0)::numeric(12, 2) AS amount, (ARRAY['open', 'closed', 'pending'])[n % 3 + 1] AS status,
  timestamptz '2024-01-01' + n * interval '1 second' AS created_at FROM generate_series(1, ${ROWS}) AS n`;

interface Read {
  /** Rows a second. */
  readonly rate: number;
  readonly processorMs: number;
}

/** What the library alone takes to read the rows, as it does by default. */
async function driverAlone(url: string): Promise<Read> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const query = client.query(new pg.Query({ text: SQL, rowMode: 'array' } as pg.QueryConfig));
  let rows = 0;
  query.on('row', () => {
    rows += 1;
  });
  await new Promise((resolve, reject) => query.on('end', resolve).on('error', reject));
  await client.end();
  const { user, system } = process.cpuUsage(before);
  return { rate: (rows / (performance.now() - startedAt)) * 1_000, processorMs: (user + system) / 1_000 };
}

/** User and system time of the process alone, without those that write files. */
function processorMsOf(id: number): number {
  const fields = readFileSync(`/proc/${id}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly rows: number;
  readonly error: string | null;
}

export const exported: Bench = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'atlas-bench-'));
  const semanticDir = join(dir, 'semantic');
  mkdirSync(join(semanticDir, 'entities'), { recursive: true });
  writeFileSync(join(semanticDir, 'entities', 'events.yml'), 'table: events\n');
  await using postgres = await startPostgres();
  const admin = new pg.Client(postgres.url);
  // Ended by the server's stop where something fails.
  admin.on('error', () => {});
  await admin.connect();
  await admin.query(CREATE);
  await admin.query('VACUUM ANALYZE events');
  await admin.end();
  const env = {
    SVC_DATASOURCE_URL: postgres.url,
    DATABASE_URL: `sqlite:${join(dir, 'atlas.db')}`,
    SVC_EXPORT_URL: `file:${join(dir, 'exports')}`,
  };
  const results: Row[] = [];
  try {
    await using server = await startAtlas({ dir, semanticDir } as Parameters<typeof startAtlas>[0], { env });
    const ask = async (method: string, path: string, body?: object): Promise<Shown> => {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      return (await reply.json()) as Shown;
    };
    await ask('POST', '/api/v1/sql', { sql: `${SQL} LIMIT 10` });
    await sleep(2_000);
    const idle = processMemory(server.pid).rssMb;
    for (const format of ['parquet', 'csv']) {
      const { rate: floor, processorMs: driverMs } = await driverAlone(postgres.url);
      const processorBefore = processorMsOf(server.pid);
      const startedAt = performance.now();
      let state = await ask('POST', '/api/v1/exports', { sql: SQL, format });
      let most = 0;
      while (state.status === 'waiting' || state.status === 'running') {
        await sleep(250);
        most = Math.max(most, processMemory(server.pid).rssMb);
        state = await ask('GET', `/api/v1/exports/${state.id}`);
      }
      const value = (state.rows / (performance.now() - startedAt)) * 1_000;
      if (state.status !== 'finished' || state.rows !== ROWS) throw new Error(`${state.status}: ${state.error}`);
      results.push(
        {
          what: `${ROWS} rows as ${format}: slower than the driver alone`,
          value: floor / value,
          unit: '×',
          target: 1 / 0.6,
        },
        { what: `${ROWS} rows as ${format}: rate`, value, unit: 'rows/s', floor },
        {
          what: `${ROWS} rows as ${format}: the server's processor time`,
          value: processorMsOf(server.pid) - processorBefore,
          unit: 'ms',
          floor: driverMs,
          target: 1 / 0.6,
        },
        { what: `${ROWS} rows as ${format}: memory over idle`, value: most - idle, unit: 'MiB', target: 300 },
      );
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  return results;
};
