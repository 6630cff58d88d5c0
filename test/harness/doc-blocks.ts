/** Finds the fenced blocks of a page and runs those for a terminal in a shell. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort } from './port.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface DocBlock {
  /** What stands after the fence: `sh`, `yaml`, `ts`; empty for output. */
  readonly language: string;
  /** The file that the block shows, where the fence names one. */
  readonly file?: string;
  readonly text: string;
}

export function blocksOf(page: string): DocBlock[] {
  const found = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```([a-z]*)(?: (\S+))?[^\n]*\n([\s\S]*?)^```$/gm);
  return Array.from(found, ([, language = '', file, text = '']) => ({
    language,
    ...(file !== undefined && { file }),
    text,
  }));
}

/** Runs blocks as a reader would, in one folder: those that go on serving in a terminal of their own. */
export class DocShell implements AsyncDisposable {
  readonly #folder: string;
  readonly #port: number;
  #server: { readonly pid: number; readonly ended: Promise<unknown> } | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    const bin = join(folder, '.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(
      join(bin, 'npx'),
      `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(ROOT, 'bin/atlas.mjs')}" "$@"\n`,
    );
    chmodSync(join(bin, 'npx'), 0o755);
  }

  static async open(folder: string): Promise<DocShell> {
    return new DocShell(folder, await freePort());
  }

  get url(): string {
    return `http://localhost:${this.#port}`;
  }

  /** Resolves to what the block printed, or to the server's output once it listens. Rejects when a command fails. */
  async run(text: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const serves = /\batlas(?:-query)? (?:(?:serve|demo)\s*$|mcp --transport sse)/.test(text);
    if (serves) await this.#stop();
    const script = `set -e -o pipefail\n${text.replaceAll('http://localhost:3001', this.url).replace(/\bcurl /g, 'curl -fsS ')}`;
    const own = Object.entries(process.env).filter(
      ([name]) => !/^(SVC_|AUTHLIB_|OPENAI_|PORT$|DATABASE_URL$)/.test(name),
    );
    const child = spawn('bash', ['-c', script], {
      cwd: this.#folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...Object.fromEntries(own),
        NO_COLOR: '1',
        PATH: `${join(this.#folder, '.bin')}${delimiter}${process.env.PATH}`,
        PORT: String(this.#port),
        SVC_API_URL: this.url,
        ...env,
      },
    });
    let output = '';
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const listens = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          output += chunk;
          if (/Atlas is listening on/.test(output)) resolve();
        });
      }
    });
    if (serves) this.#server = { pid: child.pid ?? 0, ended };
    const code = await (serves ? Promise.race([ended, listens]) : ended);
    if (code !== 0 && code !== undefined) throw new Error(`The block ended with ${code}:\n${text}\n${output}`);
    return output;
  }

  async #stop(): Promise<void> {
    if (this.#server === undefined) return;
    try {
      process.kill(-this.#server.pid, 'SIGTERM');
    } catch {
      // It is gone.
    }
    await this.#server.ended;
    this.#server = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }
}
