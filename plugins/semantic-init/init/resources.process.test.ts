/** Tests what `atlas init` takes of the machine and of a database server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { startPostgres } from '../../../test/harness/postgres.ts';

const BIN = fileURLToPath(new URL('../../../bin/atlas.mjs', import.meta.url));
const MAX_KIB = 250 * 1024;

/** Most memory, in KiB, and most connections of one `init`. */
async function initTakes(url: string, client: pg.Client): Promise<{ peak: number; connections: number }> {
  using folder = emptyFolder();
  // As a clone starts the Node that it brings.
  const child = spawn(process.execPath, ['--max-semi-space-size=16', BIN, 'init'], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, SVC_DATASOURCE_URL: url },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  let [peak, connections] = [0, 0];
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has just ended.
    }
    const { rows } = await client.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    connections = Math.max(connections, rows[0].n);
  }
  expect((await ended)[0]).toBe(0);
  return { peak, connections };
}

it('init on PostgreSQL stays below 250 MB and takes at most eight connections', { timeout: 120_000 }, async () => {
  await using server = await startPostgres();
  const client = new pg.Client(server.url);
  await client.connect();
  for (let table = 0; table < 30; table += 1) {
    await client.query(`CREATE TABLE t${table} (id integer PRIMARY KEY, kind text, amount numeric, on_day date);
      INSERT INTO t${table} SELECT n, chr(97 + n % 5), n, date '2025-01-01' + n % 90 FROM generate_series(1, 2000) n`);
  }
  // The first start after a change of the code strips types, which takes some 20 MB more.
  await initTakes(server.url, client);
  const { peak, connections } = await initTakes(server.url, client);
  await client.end();
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThanOrEqual(MAX_KIB);
  expect(connections).toBeGreaterThan(0);
  expect(connections).toBeLessThanOrEqual(8);
});
