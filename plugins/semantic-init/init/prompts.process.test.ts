/** Tests the questions of `atlas init` on a pseudo terminal, made by the program `script`. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder } from '../../../test/harness/command.ts';
import { type PostgresServer, startPostgres } from '../../../test/harness/postgres.ts';

const BIN = join(import.meta.dirname, '../../../bin/atlas.mjs');
const hasTerminal = process.platform === 'linux' && canRun('script', ['--version']);

function canRun(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(
    'CREATE TABLE orders (id INT PRIMARY KEY); CREATE SCHEMA sales; CREATE TABLE sales.deals (id INT PRIMARY KEY)',
  );
  await client.end();
});
afterAll(() => server.stop());

/** Runs init on a pseudo terminal and presses `keys` once the question is there. */
function onTerminal(
  cwd: string,
  keys: string,
  args = '',
  env: Record<string, string> = {},
): Promise<{ code: number | null; shown: string }> {
  const command = `stty cols 100 rows 30; '${process.execPath}' '${BIN}' init ${args}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...process.env, CI: '', TERM: 'xterm', SVC_DATASOURCE_URL: server.url, ...env },
  });
  let shown = '';
  let isPressed = false;
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    if (isPressed || !shown.includes('Which one')) return;
    isPressed = true;
    setTimeout(() => child.stdin.write(keys), 200);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, shown })));
}

it.skipIf(!hasTerminal)('asks which schema is meant, and reads the one that is chosen', async () => {
  using folder = emptyFolder();
  const { code, shown } = await onTerminal(folder.path, '\u001b[B\r');
  expect([code, shown.includes('Several schemas have tables')]).toEqual([0, true]);
  expect(globSync('semantic/entities/*', { cwd: folder.path })).toEqual(['semantic/entities/deals.yml']);
});

it.skipIf(!hasTerminal)('ends with an error and writes nothing when Ctrl-C answers', async () => {
  using folder = emptyFolder();
  const { code, shown } = await onTerminal(folder.path, '\u0003');
  expect(code).not.toBe(0);
  expect(shown).toContain('Cancelled');
  expect(existsSync(join(folder.path, 'semantic'))).toBe(false);
});

it.skipIf(!hasTerminal).each([
  ['--no-input', {}],
  ['--schema public', {}],
  ['', { CI: 'true' }],
])('asks nothing with %j %j', async (args, env) => {
  using folder = emptyFolder();
  const { code, shown } = await onTerminal(folder.path, '', args, env as Record<string, string>);
  expect([code, shown.includes('Which one')]).toEqual([0, false]);
  expect(globSync('semantic/entities/*', { cwd: folder.path })).toEqual(['semantic/entities/orders.yml']);
});
