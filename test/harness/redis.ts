/** Starts the installed Redis for tests, on a free port and without files. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './port.ts';
import { suiteNeeding } from './require.ts';

const INSTALL_REDIS = 'Install redis-server (Debian: apt-get install redis-server).';

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  /** Ends the server with all that it holds. */
  pause(): Promise<void>;
  /** Starts an empty one on the same port. */
  resume(): Promise<void>;
  /** Runs a command of its command line. */
  run(...command: readonly string[]): string;
}

/** `describe`, or its skipped form where Redis is not installed. */
export const describeRedis = () =>
  suiteNeeding('redis', spawnSync('redis-server', ['--version']).status === 0, INSTALL_REDIS);

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  let server: ChildProcess | undefined;
  const kill = () => void server?.kill('SIGKILL');
  process.once('exit', kill);
  const resume = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'pipe'] });
    await ready(server);
  };
  const pause = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    kill();
    await exited;
  };
  await resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    pause,
    resume,
    run: (...command) => spawnSync('redis-cli', ['-p', String(port), ...command], { encoding: 'utf8' }).stdout.trim(),
    async [Symbol.asyncDispose]() {
      process.off('exit', kill);
      await pause();
    },
  };
}

/** Waits until the server says that it takes connections. */
function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    server.stdout?.on('data', (chunk: Buffer) => {
      log = (log + chunk).slice(-4_000);
      if (/Ready to accept connections/.test(log)) resolve();
    });
    server.once('error', (error) => reject(new Error(`Redis did not start: ${error.message}`)));
    server.once('close', (code) => reject(new Error(`Redis ended with ${code}:\n${log}`)));
  });
}
