/** Starts a real PgBouncer that pools transactions: statements of one client come from changing connections. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './port.ts';
import { findTool } from './tools.ts';

export const INSTALL_PGBOUNCER = 'Install the package "pgbouncer" of the system.';

export const findPgBouncer = () => findTool('pgbouncer');

export interface Pooler extends AsyncDisposable {
  /** Leads through the pooler to the database of the server's URL. */
  readonly url: string;
}

export async function startPgBouncer(program: string, serverUrl: string): Promise<Pooler> {
  const server = new URL(serverUrl);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'atlas-pgbouncer-'));
  // It refuses to run as root, and is then another user who reads its files.
  chmodSync(folder, 0o755);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users.txt'),
    pool_mode: 'transaction',
    default_pool_size: 5,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(settings.auth_file, `"${server.username}" "${server.password}"\n`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]\n* = host=${server.hostname} port=${server.port}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  const child = spawn(program, [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      log += chunk;
      if (log.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`PgBouncer ended with ${code}:\n${log}`)));
  });
  server.port = String(port);
  return {
    url: server.href,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
