/** The life of database processes: how many there are, how they end, and what outlives what. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseProcesses } from '../../test/harness/database-processes.ts';
import { memoryPeak } from '../../test/harness/memory.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { type FileDatabase, ProcessWatcher } from '../datasource-kit/index.ts';
import { sqliteConnection } from './connection.ts';

const MIB = 1024 * 1024;
const SLOW = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c';
const folder = new SqliteFolder();
const path = folder.create('shop.db', 'CREATE TABLE t (a); INSERT INTO t VALUES (1)');
afterAll(() => folder[Symbol.dispose]());

let watcher: ProcessWatcher;
let connection: FileDatabase;
const open = (memoryLimitMb: number) =>
  sqliteConnection(
    {
      id: 'shop',
      url: `sqlite:${path}`,
      maxProcesses: 3,
      memoryLimitMb,
      queueLimit: 1_000,
      acquireTimeoutMs: 10_000,
      idleTimeoutMs: 1_000,
    },
    '/',
    watcher,
  );
beforeEach(() => {
  watcher = new ProcessWatcher();
  // Above what the system lets one process have.
  connection = open(8_192);
});
afterEach(async () => {
  await connection.close();
  watcher.close();
});

const run = (sql: string, signal?: AbortSignal) =>
  connection.execute(
    { connection: connection.info, requested: sql, sql, params: [], surface: 'test', tables: ['t'] },
    signal,
  );

describe.runIf(process.platform === 'linux')('database processes', () => {
  it('start with the first statement, and one is enough for one statement after the other', async () => {
    await connection.health();
    expect(databaseProcesses()).toHaveLength(0);
    for (let count = 0; count < 50; count += 1) await run('SELECT * FROM t');
    expect(databaseProcesses()).toHaveLength(1);
  });

  it('are added for long statements up to the limit, and all end with the connection', async () => {
    const cancel = new AbortController();
    const slow = Array.from({ length: 4 }, () => run(SLOW, cancel.signal).catch((error: unknown) => error));
    await vi.waitFor(() => expect(databaseProcesses()).toHaveLength(3), 15_000);
    await sleep(300);
    expect(databaseProcesses()).toHaveLength(3);
    cancel.abort();
    await Promise.all(slow);
    await connection.close();
    expect(databaseProcesses()).toHaveLength(0);
  });

  it('end when they have idled, except one', async () => {
    const long =
      'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5000000) SELECT count(*) FROM c';
    const running = Promise.all(Array.from({ length: 3 }, () => run(long)));
    await vi.waitFor(() => expect(databaseProcesses().length).toBeGreaterThan(1), { timeout: 15_000, interval: 10 });
    await running;
    await vi.waitFor(() => expect(databaseProcesses()).toHaveLength(1), 30_000);
    expect((await run('SELECT * FROM t')).rows).toHaveLength(1);
  });

  it('do not see the environment of the server', async () => {
    vi.stubEnv('SVC_ENCRYPTION_KEY', 'very-secret');
    await run('SELECT 1');
    vi.unstubAllEnvs();
    const [id] = databaseProcesses();
    expect(readFileSync(`/proc/${id}/environ`, 'latin1')).not.toContain('very-secret');
  });

  it('that are killed fail their statement with a sentence, and the next one runs', async () => {
    // A process that is killed before it is ready has been no database yet.
    await run('SELECT * FROM t');
    const failed = run(SLOW).catch((error: unknown) => error);
    await sleep(300);
    expect(databaseProcesses()).toHaveLength(1);
    for (const id of databaseProcesses()) process.kill(id, 'SIGKILL');
    expect(await failed).toMatchObject({ code: 'sql_failed', message: expect.stringContaining('process ended') });
    expect((await run('SELECT * FROM t')).rows).toHaveLength(1);
  });

  it('ignore the signals that ask the server to stop', async () => {
    await run('SELECT 1');
    const [id] = databaseProcesses();
    process.kill(id ?? 0, 'SIGINT');
    process.kill(id ?? 0, 'SIGTERM');
    await sleep(100);
    expect((await run('SELECT * FROM t')).rows).toHaveLength(1);
    expect(databaseProcesses()).toEqual([id]);
  });

  it('have bounded memory: a huge value is an error, and the next statement runs', async () => {
    await expect(run('SELECT length(hex(zeroblob(450000000))) AS n')).rejects.toMatchObject({
      reason: 'E_SQLITE_MEMORY',
    });
    await expect(run('SELECT hex(zeroblob(250000000)) AS text')).rejects.toMatchObject({ reason: 'E_SQLITE_MEMORY' });
    expect((await run('SELECT * FROM t')).rows).toHaveLength(1);
  });

  it('are replaced when their statement cannot be cancelled', async () => {
    await run('SELECT 1');
    const before = databaseProcesses();
    await expect(run('SELECT zeroblob(400000000) AS b')).rejects.toMatchObject({ reason: 'E_SQLITE_MEMORY' });
    expect((await run('SELECT * FROM t')).rows).toHaveLength(1);
    expect(databaseProcesses()).not.toEqual(before);
  });

  it('are replaced after a large value has grown their memory', async () => {
    await run('SELECT 1');
    const before = databaseProcesses();
    const { rows, truncated } = await run("SELECT replace(hex(zeroblob(50000000)), '0', 'x') AS text");
    expect(String(rows[0]?.text)).toHaveLength(65_536);
    expect(truncated).toBe(true);
    await run('SELECT 1');
    expect(databaseProcesses()).not.toEqual(before);
  });

  it('that gather more than they may are ended, and the next statement runs', async () => {
    connection = open(128);
    const endless = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)';
    for (const greedy of [
      `${endless} SELECT length(group_concat(hex(zeroblob(5000)))) FROM c`,
      `${endless} SELECT length(json_group_array(hex(zeroblob(5000)))) FROM c, t`,
      `WITH RECURSIVE c(n, x) AS (SELECT 1, 'abc' UNION ALL SELECT n + 1, x || x FROM c WHERE n < 28) SELECT sum(length(x)) FROM c`,
    ]) {
      await run('SELECT 1');
      const peak = await memoryPeak(() => expect(run(greedy)).rejects.toMatchObject({ reason: 'E_SQLITE_MEMORY' }));
      expect(peak.treeBytes, greedy).toBeLessThan(200 * MIB);
      expect((await run('SELECT * FROM t')).rows).toHaveLength(1);
    }
  });

  it('share their memory: the largest is ended, the others run on', async () => {
    connection = open(128);
    const gather = (count: number) =>
      run(
        `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${count})
         SELECT length(group_concat(hex(zeroblob(5000)))) AS n FROM c`,
      );
    const cancel = new AbortController();
    const slow = run(SLOW, cancel.signal);
    await vi.waitFor(() => expect(databaseProcesses()).toHaveLength(1), 15_000);
    await expect(gather(1_000_000)).rejects.toMatchObject({ reason: 'E_SQLITE_MEMORY' });
    expect((await gather(4_000)).rows).toEqual([{ n: 4_000 * 10_001 - 1 }]);
    cancel.abort();
    await expect(slow).rejects.toMatchObject({ code: 'sql_cancelled' });
  });

  it('do not outlive a server that is killed in the middle of a statement', async () => {
    const script = `
      const { sqliteConnection } = await import(${JSON.stringify(new URL('./connection.ts', import.meta.url).href)});
      const { ProcessWatcher } = await import(${JSON.stringify(new URL('../datasource-kit/index.ts', import.meta.url).href)});
      const options = { id: 'shop', url: ${JSON.stringify(`sqlite:${path}`)}, maxProcesses: 1, memoryLimitMb: 128, queueLimit: 1, acquireTimeoutMs: 9000, idleTimeoutMs: 1_000 };
      const connection = sqliteConnection(options, '/', new ProcessWatcher());
      const ask = (sql) => connection.execute({ connection: connection.info, requested: sql, sql, params: [], surface: 'test', tables: [] });
      await ask('SELECT 1');
      void ask(${JSON.stringify(SLOW)});
      setTimeout(() => console.log('running'), 200);`;
    const server = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(server.stdout, 'data');
    const ids = databaseProcesses(server.pid);
    expect(ids).toHaveLength(1);
    server.kill('SIGKILL');
    const alive = (id: number) =>
      readFileSync(`/proc/${id}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .charAt(0) !== 'Z';
    await vi.waitFor(() => expect(() => ids.some(alive)).toThrow('ENOENT'), 15_000);
  });
});
