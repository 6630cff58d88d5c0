import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryFolder } from './memory-folder.ts';
import { freePort } from './port.ts';
import { findTool } from './tools.ts';

export interface MariaDbServer {
  /** Connects as `root`, which may do everything, to the database `test`. */
  readonly url: string;
  readonly socket: string;
  /** Ends every connection, the server and its files. Safe to call twice. */
  stop(): Promise<void>;
  /** Kills the server and starts it again over the same files and port. */
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface MariaDbOptions {
  readonly options?: readonly string[];
  /** Keeps its files in memory where the machine has room there: many tables are then made in no time. */
  readonly inMemory?: boolean;
  /** What it encrypts with, in PEM. */
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
}

export const INSTALL_MARIADB = 'Install the package "mariadb-server" of the system.';

const PASSWORD = 'atlas';

/** Path of an installed server: MariaDB before MySQL. */
export const findMariaDb = () => findTool('mariadbd', 'mysqld');

/** The server refuses to run as root; there it runs as its own user or as `nobody`. */
function unprivilegedUser(): { name: string; uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['mysql', 'mariadb', 'nobody'].map((name) => users.find(([user]) => user === name)).find(Boolean);
  return found && { name: String(found[0]), uid: Number(found[2]), gid: Number(found[3]) };
}

/** Initialises a data folder with `root` and its password. */
function initialise(binary: string, data: string, user: readonly string[], env: NodeJS.ProcessEnv): void {
  const isMariaDb = /mariadb/i.test(spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout);
  const options = { encoding: 'utf8', env } as const;
  const common = ['--no-defaults', `--datadir=${data}`, ...user];
  const done = isMariaDb
    ? spawnSync(
        'mariadb-install-db',
        [...common, '--auth-root-authentication-method=normal', '--skip-test-db'],
        options,
      )
    : spawnSync(binary, [...common, '--initialize-insecure'], options);
  if (done.status !== 0) throw new Error(`The data folder was not made:\n${done.stdout}${done.stderr}`.slice(-4_000));
}

/**
 * Starts the installed MariaDB or MySQL on a free port in a temporary folder: about two seconds. Nothing is synced.
 * `options` are options of the server's command line, without their dashes.
 */
export async function startMariaDb({ options = [], inMemory, tls }: MariaDbOptions = {}): Promise<MariaDbServer> {
  const binary = findMariaDb();
  if (binary === undefined) throw new Error(INSTALL_MARIADB);
  const folder = mkdtempSync(join((inMemory && memoryFolder(2 ** 30)) || tmpdir(), 'atlas-mariadb-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const user = unprivilegedUser();
  if (user !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(folder, user.uid, user.gid);
  }
  const asUser = user === undefined ? [] : [`--user=${user.name}`];
  const [data, socket] = [join(folder, 'data'), join(folder, 's')];
  // A server that starts deletes every `#sql…` file of its temporary folder, those of other servers too.
  const env = { ...process.env, TMPDIR: folder };
  let server: ChildProcess | undefined;
  const kill = () => {
    server?.kill('SIGKILL');
    remove();
  };
  try {
    initialise(binary, data, asUser, env);
    const encryption = Object.entries(tls ?? {}).map(([part, text]) => {
      const path = join(folder, `${part}.pem`);
      writeFileSync(path, text);
      return `ssl-${part === 'key' ? 'key' : 'cert'}=${path}`;
    });
    const port = await freePort();
    const start = async () => {
      const args = [`--datadir=${data}`, `--socket=${socket}`, `--port=${port}`, '--bind-address=127.0.0.1'].concat([
        '--skip-log-bin',
        '--innodb-flush-log-at-trx-commit=0',
        '--innodb-buffer-pool-size=32M',
        `--pid-file=${join(folder, 'pid')}`,
      ]);
      const own = [...options, ...encryption].map((option) => `--${option}`);
      server = spawn(binary, ['--no-defaults', ...asUser, ...args, ...own], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      await ready(server);
    };
    await start();
    process.once('exit', kill);
    setUp(socket);
    const end = async (signal: NodeJS.Signals) => {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      server.kill(signal);
      await exited;
    };
    const stop = async () => {
      process.off('exit', kill);
      await end('SIGKILL');
      remove();
    };
    const restart = async () => {
      await end('SIGKILL');
      await start();
    };
    const url = `mysql://root:${PASSWORD}@127.0.0.1:${port}/test`;
    return { url, socket, stop, restart, [Symbol.asyncDispose]: stop };
  } catch (error) {
    kill();
    throw error;
  }
}

function setUp(socket: string): void {
  const client = ['mariadb', 'mysql'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (client === undefined) throw new Error('The command-line client of the server is not installed.');
  const sql = `CREATE DATABASE IF NOT EXISTS test;
    CREATE USER IF NOT EXISTS root@'127.0.0.1' IDENTIFIED BY '${PASSWORD}';
    GRANT ALL PRIVILEGES ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
    ALTER USER root@localhost IDENTIFIED BY '${PASSWORD}';`;
  const done = spawnSync(client, ['--no-defaults', `--socket=${socket}`, '--user=root'], { input: sql });
  if (done.status !== 0) throw new Error(`The server was not set up:\n${done.stderr}`);
}

/** Waits until the server says that it listens. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    const listen = (chunk: Buffer) => {
      log = (log + chunk).slice(-4_000);
      if (/ready for connections/.test(log)) resolve();
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('error', (error) => reject(new Error(`The server did not start: ${error.message}`)));
    child.once('close', (code) => reject(new Error(`The server ended with ${code}:\n${log}`)));
  });
}
