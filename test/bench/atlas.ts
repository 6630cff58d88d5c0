/** The server as it is run in production: a separate process, configured by environment variables alone. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stopped } from './child.ts';
import type { Workspace } from './workspace.ts';

/** The clone that this file is part of. */
export const OWN_TREE = fileURLToPath(new URL('../..', import.meta.url));

export interface RunningAtlas extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** `performance.now()` when the process was started. */
  readonly startedAt: number;
}

export interface AtlasSettings {
  /** Base URL of an OpenAI-compatible server. Without it the offline model answers. */
  readonly modelUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The clone whose server is started: this one, or that of another commit. */
  readonly tree?: string;
}

/** Node's arguments of `npm start` in a clone. */
function startArguments(tree: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const [, ...given] = scripts.start.split(' ');
  return given.map((argument) => (argument === 'bin/atlas.mjs' ? join(tree, argument) : argument));
}

/** Starts `atlas serve` on a free port; resolves when it says where it listens, and stops it with the block. */
export async function startAtlas(workspace: Workspace, settings: AtlasSettings = {}): Promise<RunningAtlas> {
  const { modelUrl, env = {}, tree = OWN_TREE } = settings;
  const model: Record<string, string> =
    modelUrl === undefined
      ? { SVC_PROVIDER: 'offline' }
      : { SVC_PROVIDER: 'openai-compatible', OPENAI_BASE_URL: modelUrl, SVC_MODEL: 'scripted' };
  const log = join(workspace.dir, 'atlas.log');
  const logFile = openSync(log, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, startArguments(tree), {
    cwd: workspace.dir,
    // Nothing else is passed on: variables of the caller's shell must not change what is measured.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      SVC_DATASOURCE_URL: `sqlite:${workspace.databasePath}`,
      SVC_SEMANTIC_DIR: workspace.semanticDir,
      SVC_LOG_LEVEL: 'warn',
      ...model,
      ...env,
    },
    stdio: ['ignore', 'pipe', logFile],
  });
  closeSync(logFile);
  const stdout = child.stdout!;
  for await (const line of createInterface({ input: stdout })) {
    const url = /^Atlas is listening on (\S+)/.exec(line)?.[1];
    if (url === undefined || child.pid === undefined) continue;
    stdout.resume();
    return { url, pid: child.pid, startedAt, [Symbol.asyncDispose]: () => stopped(child) };
  }
  throw new Error(`Atlas ended before it listened:\n${readFileSync(log, 'utf8')}`);
}
