/** Runs the command line in a child process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Lines that say how far long work is, which only come on a slow machine. */
export const PROGRESS = /^[A-Z][a-z ]+(?:: \d+(?: of \d+)?| …)\n/gm;

const BIN = join(import.meta.dirname, '../../bin/atlas.mjs');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  /** The executable. Default: that of this repository. */
  readonly bin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How many descriptors the process may have. */
  readonly descriptors?: number;
  /** What the process reads from standard input; default: nothing. */
  readonly input?: string;
}

/** The machine's own variables without any of Atlas, so that a test says all it depends on. */
export function environment(env: CommandOptions['env']): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(SVC_|AUTHLIB_|OPENAI_|PORT$|DATABASE_URL$)/.test(name),
  );
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...env };
}

function launch(args: readonly string[], options: CommandOptions): ChildProcess {
  const command = [process.execPath, options.bin ?? BIN, ...args];
  const limited = ['/bin/sh', '-c', `ulimit -n ${options.descriptors}; exec "$@"`, 'sh', ...command];
  const [file = '', ...rest] = options.descriptors === undefined ? command : limited;
  return spawn(file, rest, {
    cwd: options.cwd,
    env: environment(options.env),
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}

/** Runs a command to its end. */
export function atlas(args: readonly string[], options: CommandOptions): Promise<Finished> {
  const child = launch(args, options);
  child.stdin?.end(options.input);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr: stderr.replaceAll(PROGRESS, '') })),
  );
}

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly stderr: () => string;
  /** Resolves to the exit code when the process ends, by itself or not. */
  readonly ended: Promise<number | null>;
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `serve`, or another command that goes on serving, and waits for its URL. */
export async function serve(options: CommandOptions, args: readonly string[] = ['serve']): Promise<RunningServer> {
  const child = launch(args, { ...options, env: { PORT: '0', ...options.env } });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    let stdout = '';
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
      const found = /Atlas is listening on (http:\/\/\S+)/.exec(stdout)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then((code) => reject(new Error(`atlas ${args.join(' ')} ended with ${code}: ${stderr}`)));
  });
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return {
    url,
    pid: child.pid ?? 0,
    stderr: () => stderr,
    ended,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

/** An empty folder that goes away at the end of the block. */
export function emptyFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'atlas-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
