/** The server as it is run in production: a separate process, configured by environment variables alone. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stopped } from './child.ts';
import type { Workspace } from './workspace.ts';

const BIN = fileURLToPath(new URL('../../bin/atlas.mjs', import.meta.url));

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
}

/** Starts `atlas serve` on a free port; resolves when it says where it listens, and stops it with the block. */
export async function startAtlas(workspace: Workspace, settings: AtlasSettings = {}): Promise<RunningAtlas> {
  const { modelUrl, env = {} } = settings;
  const model: Record<string, string> =
    modelUrl === undefined
      ? { SVC_PROVIDER: 'offline' }
      : { SVC_PROVIDER: 'openai-compatible', OPENAI_BASE_URL: modelUrl, SVC_MODEL: 'scripted' };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [BIN, 'serve'], {
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
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Atlas is listening on (\S+)/.exec(line)?.[1];
    if (url === undefined || child.pid === undefined) continue;
    child.stdout.resume();
    return { url, pid: child.pid, startedAt, [Symbol.asyncDispose]: () => stopped(child) };
  }
  throw new Error('Atlas ended before it listened.');
}
