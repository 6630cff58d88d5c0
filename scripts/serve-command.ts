/** Runs a command that serves, in a process group that can be stopped as a whole. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** `url` resolves to what the server prints once it accepts requests, `stop` once all of the group have ended. */
export function serve(command: string, cwd: string): { readonly url: Promise<string>; stop(): Promise<void> } {
  const server = spawn('sh', ['-c', command], {
    cwd,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const url = new Promise<string>((resolve, reject) => {
    server.stdout.on('data', (chunk) => {
      const found = /http:\/\/\S+/.exec(String(chunk));
      if (found !== null) resolve(found[0]);
    });
    server.on('exit', (code) => reject(new Error(`"${command}" ended with ${code}.`)));
  });
  // All of them hold standard output.
  const closed = once(server, 'close');
  return {
    url,
    async stop() {
      if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM');
      await closed;
    },
  };
}
