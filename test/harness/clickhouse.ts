/** Starts a ClickHouse for tests: the embedded one of the package `chdb`, behind a server that speaks its protocol. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrontOptions } from './clickhouse-front.ts';
import { freePort } from './port.ts';

export const INSTALL_CHDB =
  'Run "npm install --prefix FOLDER --no-save chdb@3.4.0", which takes 560 MB, and set ATLAS_CHDB=FOLDER.';

/** The folder in whose `node_modules` the embedded server is. */
export function findChdb(): string | undefined {
  const folder = process.env.ATLAS_CHDB;
  return folder !== undefined && existsSync(join(folder, 'node_modules', 'chdb')) ? folder : undefined;
}

const PASSWORD = 'hunter2-atlas';

export interface ClickhouseServer {
  /** Connects as the user "default" to the database "default". */
  readonly url: string;
  readonly port: number;
  readonly password: string;
  /** Statements that run now. */
  running(): Promise<readonly string[]>;
  /** Ends the server and its files. Safe to call twice. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const FRONT = new URL('./clickhouse-front.ts', import.meta.url);

/** About two seconds. `script`: statements that make the tables. */
export async function startClickhouse(
  script: readonly string[],
  { ignoresClose = false }: Pick<FrontOptions, 'ignoresClose'> = {},
): Promise<ClickhouseServer> {
  const packages = findChdb();
  if (packages === undefined) throw new Error(INSTALL_CHDB);
  const folder = mkdtempSync(join(tmpdir(), 'atlas-clickhouse-'));
  const port = await freePort();
  const options: FrontOptions = { packages, folder, port, password: PASSWORD, script, ignoresClose };
  const front = fork(FRONT, [JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: [] });
  const stop = async () => {
    if (front.exitCode === null && front.signalCode === null) {
      const exited = once(front, 'exit');
      // It ends its engines first.
      front.kill('SIGTERM');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  await Promise.race([
    once(front.stdout as NodeJS.ReadableStream, 'data'),
    once(front, 'exit').then(() => Promise.reject(new Error('The server did not start.'))),
  ]);
  return {
    url: `clickhouse://default:${PASSWORD}@127.0.0.1:${port}/default`,
    port,
    password: PASSWORD,
    async running() {
      const response = await fetch(`http://127.0.0.1:${port}/running`);
      return (await response.json()) as string[];
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
