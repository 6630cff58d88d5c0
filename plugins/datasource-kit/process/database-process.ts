/** The server's end of one database process. It answers one request at a time and is killed to stop a statement. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessErrors } from './file-errors.ts';
import { privateBytes } from './private-memory.ts';
import type { ProcessWatcher } from './process-watcher.ts';
import type { ArrivedRows, Failure, Interrupt, ProcessMessage, WireResult } from './protocol.ts';

/** Declares what runs in the processes of one connection. */
export interface Program {
  /** The module that exports `openEngine`. */
  readonly engine: URL;
  /** Shown for the process by the system. */
  readonly title: string;
  /** Bounds what one statement can take. Linux counts all private memory of the process. */
  readonly memoryLimitKib: number;
  /** Bounds the memory in use by all processes of the connection together, on Linux; missing: nothing does. */
  readonly sharedMemoryMib?: number;
  /** Whether it can stop a statement by itself; otherwise it is killed at once. */
  readonly isInterruptible: boolean;
  /** Whether it gets a folder for temporary files, as its last argument, that goes when the process ends. */
  readonly hasScratchFolder: boolean;
  readonly args: readonly string[];
  readonly errors: ProcessErrors;
}

/** The URL of the module `name` beside the module `of`, with the same ending: `.ts` from sources, `.js` from a build. */
export function moduleBeside(name: string, of: string): URL {
  return new URL(`./${name}${extname(new URL(of).pathname)}`, of);
}

const NODE_OPTIONS = [
  '--max-old-space-size=256',
  '--max-semi-space-size=1',
  // Each thread of the pool keeps memory of its own, 1 MB for one that has compiled.
  '--v8-pool-size=1',
  // Maglev, which Node has since version 24, is fast enough for rows; TurboFan beside it takes 5 MB more.
  ...(Number.parseInt(process.versions.node, 10) >= 24 ? ['--no-opt'] : []),
  '--disable-warning=ExperimentalWarning',
];
const STDERR_KEPT = 2_000;
/** Time to leave by itself before it is killed. */
const END_GRACE_MS = 1_000;

const CHILD = fileURLToPath(moduleBeside('child', import.meta.url));
const COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/atlas', import.meta.url));

/**
 * Environment of a process or a thread that runs a module of its own. Run from sources, it strips types, which costs 16 MB
 * and 50 ms unless the result is cached.
 */
export const CACHED_SOURCES: NodeJS.ProcessEnv = import.meta.url.endsWith('.ts')
  ? { NODE_COMPILE_CACHE: COMPILE_CACHE }
  : {};

/** What the child needs of the environment: no key and no password of the server. */
function childEnvironment(): NodeJS.ProcessEnv {
  const names = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SQLITE_TMPDIR', 'SystemRoot', 'LD_LIBRARY_PATH'];
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(kept), ...CACHED_SOURCES };
}

function start({ engine, title, memoryLimitKib, args }: Program, scratch: readonly string[]): ChildProcess {
  const node = [process.execPath, ...NODE_OPTIONS, `--title=${title}`, CHILD, engine.href, ...args, ...scratch];
  const shell = process.platform !== 'win32' && existsSync('/bin/sh');
  // The shell lowers the limit and becomes the process: same id, nothing left in between.
  const limited = ['/bin/sh', '-c', 'ulimit -d "$0" 2>/dev/null; exec "$@"', String(memoryLimitKib), ...node];
  const [command = process.execPath, ...words] = shell ? limited : node;
  return spawn(command, words, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'json',
    env: childEnvironment(),
    windowsHide: true,
  });
}

/** V8 aborts when its heap is full; the signal depends on the platform. */
function isOutOfMemory(code: number | null, signal: NodeJS.Signals | null): boolean {
  return code === 134 || signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL';
}

export interface Reply {
  readonly value?: unknown;
  readonly failure?: Failure;
  readonly retire: boolean;
}

/** Told of rows before the reply. `true`: the reply has them too; else they are handed on, and more come after it resolves. */
export type Arrived = (rows: ArrivedRows) => true | Promise<void>;

interface Waiting {
  readonly arrived: Arrived;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

export class DatabaseProcess {
  /** Resolves when requests will be answered, rejects when it never will be. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  #waiting: Waiting | undefined;
  /** Rows of the reply that is arriving. */
  #rows: WireResult['rows'][] = [];
  #stderr = '';

  constructor(program: Program, watcher: ProcessWatcher) {
    const scratch = program.hasScratchFolder ? [join(tmpdir(), `${program.title}-${randomUUID()}`)] : [];
    const child = start(program, scratch);
    const { pid } = child;
    this.#child = child;
    if (pid !== undefined) watcher.add(pid);
    const ready = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.exited = exited.promise;

    const gone = (how: string, error = program.errors.crashed) => {
      if (pid !== undefined) watcher.remove(pid);
      for (const folder of scratch) rm(folder, { recursive: true, force: true }).catch(() => {});
      const cause = new Error(`The process ended (${how}). ${this.#stderr.trim()}`.trim());
      ready.reject(cause);
      this.#waiting?.reject(error(cause));
      this.#waiting = undefined;
      exited.resolve();
    };
    child.on('message', (message: ProcessMessage) => {
      if (message.kind === 'ready') {
        ready.resolve();
        return;
      }
      if (message.kind === 'rows') {
        const taken = this.#waiting?.arrived(message);
        if (taken === true) this.#rows.push(message.rows);
        else taken?.then(() => this.#tell({ kind: 'taken' }));
        return;
      }
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.resolve(this.#whole(message));
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    child.on('error', (error) => {
      // Never started; an `error` of a running process is followed by its exit.
      if (pid === undefined) gone(error.message);
    });
    child.once('exit', (code, signal) => {
      gone(
        signal ?? `exit code ${code}`,
        isOutOfMemory(code, signal) ? program.errors.outOfMemory : program.errors.crashed,
      );
    });
    this.ready.catch(() => {});
    child.unref();
    (child.stderr as unknown as { unref?(): void } | null)?.unref?.();
  }

  /** The reply with the rows that came before it. */
  #whole(reply: Reply): Reply {
    if (this.#rows.length === 0) return reply;
    const parts = this.#rows;
    this.#rows = [];
    if (reply.failure !== undefined) return reply;
    const result = reply.value as WireResult;
    const rows = [...parts, result.rows].flat();
    return { ...reply, value: { ...result, rows } };
  }

  /** Memory that it has to itself, in bytes. */
  get privateBytes(): number {
    const { pid } = this.#child;
    return pid === undefined ? 0 : privateBytes(pid);
  }

  /** Rejects when the process ends before it answers. */
  request(request: object, arrived: Arrived): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting = { arrived, resolve, reject };
      // A channel that is already closed is told by `exit`, which follows.
      this.#child.send(request, () => {});
    });
  }

  /** Whether an answer that is awaited keeps the server's process alive. */
  hold(held: boolean): void {
    if (held) this.#child.channel?.ref();
    else this.#child.channel?.unref();
  }

  /** Asks a process that can do so to stop what it runs. */
  interrupt(): void {
    this.#tell({ kind: 'interrupt' });
  }

  #tell(message: Interrupt): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Ends it now, in the middle of a statement too. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Lets it leave. */
  async end(): Promise<void> {
    this.#child.ref();
    if (this.#child.connected) this.#child.disconnect();
    const killing = setTimeout(() => this.kill(), END_GRACE_MS);
    await this.exited;
    clearTimeout(killing);
  }
}
