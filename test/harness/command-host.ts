/**
 * Runs commands one after another in a process that has loaded their modules: quicker than a process for each. Node loads
 * what they import, unlike in `atlasHere`. Signals, standard input and the log are not theirs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type CommandOptions, emptyFolder, environment, type Finished, PROGRESS } from './command.ts';

export interface CommandHost extends AsyncDisposable {
  atlas(args: readonly string[], options: CommandOptions): Promise<Finished>;
  /** Writes a program for shells, which has its arguments run here in its folder, with its environment. */
  writeProgram(path: string): void;
}

/** What the process is sent; the answer is a `Finished`. */
export interface HostedCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

async function send(socketPath: string, command: HostedCommand): Promise<Finished> {
  const sent = request({ socketPath, path: '/command', method: 'POST' }).end(JSON.stringify(command));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return (await json(response)) as Finished;
}

/** Sends environment, folder and arguments, and prints what the command prints; ends with 22 where that fails. */
const program = (socket: string) => `#!/bin/sh
{ env -0; printf '\\0'; printf '%s\\0' "$PWD" "$@"; } |
  exec curl -sS --fail-with-body --unix-socket '${socket}' --data-binary @- http://host/program
`;

export async function commandHost(): Promise<CommandHost> {
  const folder = emptyFolder();
  const socket = join(folder.path, 'socket');
  const host = fork(join(import.meta.dirname, 'command-host-process.ts'), [socket], { execArgv: [] });
  const exited = once(host, 'exit');
  await Promise.race([
    once(host, 'message'),
    exited.then(() => Promise.reject(new Error('The process of commands did not start.'))),
  ]);
  return {
    async atlas(args, { cwd, env }) {
      const finished = await send(socket, { args, cwd, env: environment(env) });
      return { ...finished, stderr: finished.stderr.replaceAll(PROGRESS, '') };
    },
    writeProgram(path) {
      writeFileSync(path, program(socket));
      chmodSync(path, 0o755);
    },
    async [Symbol.asyncDispose]() {
      host.kill();
      await exited;
      folder[Symbol.dispose]();
    },
  };
}
