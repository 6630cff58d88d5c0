/** Runs a stand-in for a database in a process of its own, whose memory is not that of the tests. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export interface StandInProcess {
  readonly port: number;
  /** Statements that run now. */
  running(): Promise<readonly string[]>;
  /** Ends the server. Safe to call twice. */
  stop(): Promise<void>;
}

/** `module`: the URL of one that calls `serveStandIn`. `script`: what it makes its tables with. */
export async function startStandIn(module: string, script: string): Promise<StandInProcess> {
  const child = fork(new URL(module), [script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const [port] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('The server did not start.'))),
  ])) as [number];
  return {
    port,
    async running() {
      return (await (await fetch(`http://127.0.0.1:${port}/running`)).json()) as string[];
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

interface StandIn {
  readonly port: number;
  running(): readonly string[];
}

/** Answers `GET /running`; whether it did. */
type Instead = (asked: { readonly url: string }, response: ServerResponse) => boolean;

/** Starts the server where `module`, the URL of the caller, is what the process runs, and tells its port. */
export async function serveStandIn(
  module: string,
  start: (script: string, instead: Instead) => Promise<StandIn>,
): Promise<void> {
  if (process.send === undefined || process.argv[1] !== new URL(module).pathname) return;
  const server: StandIn = await start(process.argv[2] ?? '', ({ url }, response) => {
    if (url !== '/running') return false;
    response.end(JSON.stringify(server.running()));
    return true;
  });
  process.send(server.port);
}
