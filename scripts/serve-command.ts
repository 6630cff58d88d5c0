/** Runs a command that serves, in a process group that can be stopped as a whole. */
import { spawn } from 'node:child_process';

/** `url` resolves to what the server prints once it accepts requests. */
export function serve(command: string, cwd: string): { readonly url: Promise<string>; stop(): void } {
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
  return {
    url,
    stop: () => {
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
    },
  };
}
