/**
 * Ends the database processes when the server is gone. An idle one notices by itself that its channel closed; one that
 * runs a statement is inside native code and notices nothing. So a shell of about one megabyte holds a pipe to the
 * server, keeps the list of process ids, and kills them when the pipe breaks, which it does however the server ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

const SCRIPT = `trap '' INT TERM HUP
pids=
while read -r line; do pids=$line; done
[ -z "$pids" ] || kill -9 $pids 2>/dev/null`;

/** On Windows the system's job object ends a process's children with it. */
export class ProcessWatcher {
  readonly #shell = process.platform === 'win32' ? undefined : '/bin/sh';
  readonly #pids = new Set<number>();
  #process: ChildProcess | undefined;

  add(pid: number): void {
    this.#pids.add(pid);
    this.#tell();
  }

  remove(pid: number): void {
    if (this.#pids.delete(pid)) this.#tell();
  }

  /** Once every watched process has ended. */
  close(): void {
    this.#pids.clear();
    this.#tell();
    this.#process?.stdin?.end();
    this.#process = undefined;
  }

  #tell(): void {
    if (this.#process === undefined && this.#pids.size > 0) this.#start();
    this.#process?.stdin?.write(`${[...this.#pids].join(' ')}\n`);
  }

  #start(): void {
    if (this.#shell === undefined) return;
    const started = spawn(this.#shell, ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], env: {} });
    // Without a shell (a bare container image) the container's own end takes the processes along.
    const forget = () => {
      if (this.#process === started) this.#process = undefined;
    };
    started.on('error', forget).on('exit', forget);
    // Without file descriptors left it has no pipe; the next process to watch tries again.
    const stdin = started.stdin as Writable | null | undefined;
    stdin?.on('error', () => {});
    started.unref();
    (stdin as { unref?(): void } | null | undefined)?.unref?.();
    this.#process = started;
  }
}
