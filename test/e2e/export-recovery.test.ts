/** An export whose server is killed is run again from its beginning, and one whose server stops as well. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { emptyFolder, type RunningServer, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';

const ROWS = 2_000_000;
const SQL = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${ROWS}) SELECT n FROM c`;

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'after %s',
  async (signal) => {
    using folder = emptyFolder();
    createFleet(folder.path);
    const files = join(folder.path, 'exports');
    const options = {
      cwd: folder.path,
      env: { ...FLEET, SVC_PROVIDER: 'offline', DATABASE_URL: 'sqlite:atlas.db', SVC_EXPORT_URL: 'file:exports' },
    };
    const ask = async ({ url }: RunningServer, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = body && { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(url + path, init)).json()) as {
        id: string;
        status: string;
        rows: number;
        url: string;
      };
    };
    const first = await serve(options);
    const { id } = await ask(first, '/api/v1/exports', { sql: SQL, format: 'csv' });
    const partials = () => readdirSync(files).filter((name) => name.endsWith('.partial'));
    await vi.waitFor(() => expect(partials()).toHaveLength(1), 20_000);
    const [left] = partials();
    process.kill(first.pid, signal);
    await first.ended;
    await using second = await serve(options);
    expect((await ask(second, `/api/v1/exports/${id}`)).status).not.toBe('finished');
    let state = await ask(second, `/api/v1/exports/${id}`);
    while (state.status === 'waiting' || state.status === 'running') {
      await sleep(500);
      state = await ask(second, `/api/v1/exports/${id}`);
    }
    expect(state).toMatchObject({ status: 'finished', rows: ROWS });
    const { pathname, search } = new URL(state.url, second.url);
    const text = await (await fetch(second.url + pathname + search)).text();
    expect([text.slice(0, 9), text.split('\r\n').length, text.slice(-9)]).toEqual([
      'n\r\n1\r\n2\r\n',
      ROWS + 2,
      `${ROWS}\r\n`,
    ]);
    expect(readdirSync(files).filter((name) => name !== left)).toHaveLength(1);
    expect(partials()).toEqual([]);
  },
  180_000,
);
