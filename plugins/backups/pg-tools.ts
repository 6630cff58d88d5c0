/** Runs the command-line tools of PostgreSQL: everything secret is in their environment, nothing in their arguments. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AtlasError } from '../../kernel/index.ts';
import type { DatabaseTarget } from '../internal-db/index.ts';
import { withoutCredentials } from '../redaction-kit/index.ts';

export type PostgresServer = Extract<DatabaseTarget, { dialect: 'postgres' }>['server'];
export type Tool = 'pg_dump' | 'pg_restore' | 'psql';

const ERROR_LENGTH = 1_000;

export interface RunningTool {
  readonly child: ChildProcess;
  /** Rejects when the tool cannot be started or ends with an error. */
  readonly done: Promise<void>;
}

export interface ToolsInit {
  readonly server: PostgresServer;
  /** Where the tools are; `undefined`: on PATH. */
  readonly dir: string | undefined;
  /** A private folder that lasts as long as the tools run; certificates are put there. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Certificates and keys of the URL as files, which is all that the tools take. */
function tlsSettings({ tls, plainAllowed }: PostgresServer, folder: string): Record<string, string> {
  if (tls === undefined) return { PGSSLMODE: 'disable' };
  if (tls.passphrase !== undefined) {
    throw new AtlasError('The tools of PostgreSQL cannot be given the password of the TLS key in DATABASE_URL.', {
      code: 'configuration_error',
      hint: 'Use a key without a password.',
    });
  }
  const verified = tls.checkServerIdentity === undefined ? 'verify-full' : 'verify-ca';
  const files = { PGSSLROOTCERT: tls.ca, PGSSLCERT: tls.cert, PGSSLKEY: tls.key };
  const settings: Record<string, string> = {
    PGSSLMODE: tls.rejectUnauthorized === true ? verified : plainAllowed ? 'prefer' : 'require',
  };
  if (tls.rejectUnauthorized === true && tls.ca === undefined) settings.PGSSLROOTCERT = 'system';
  for (const [name, content] of Object.entries(files)) {
    if (content === undefined) continue;
    settings[name] = join(folder, name.toLowerCase());
    writeFileSync(settings[name], String(content), { mode: 0o600 });
  }
  return settings;
}

function environment({ server, folder }: ToolsInit, database: string, options: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? '',
    LC_ALL: 'C',
    PGHOST: server.host,
    PGPORT: String(server.port),
    PGUSER: server.user,
    PGPASSWORD: server.password,
    PGPASSFILE: '/dev/null',
    PGDATABASE: database,
    PGAPPNAME: server.applicationName,
    PGCONNECT_TIMEOUT: '10',
    PGOPTIONS: options,
    ...(server.channelBinding && { PGCHANNELBINDING: 'require' }),
    ...tlsSettings(server, folder),
  };
}

function missing(tool: Tool): AtlasError {
  return new AtlasError(`The program ${tool} of PostgreSQL was not found.`, {
    code: 'configuration_error',
    reason: 'E_BACKUP_TOOLS',
    hint: 'Install the client tools of the version of your server, or set SVC_BACKUP_TOOLS_DIR to the folder where they are.',
  });
}

/** Starts a tool. `options`: settings of its connection, such as `-c lock_timeout=1000`. */
export function startTool(
  init: ToolsInit,
  tool: Tool,
  args: readonly string[],
  { database = init.server.database, options = '' }: { readonly database?: string; readonly options?: string } = {},
): RunningTool {
  const path = init.dir === undefined ? tool : join(init.dir, tool);
  const child = spawn(path, args, { env: environment(init, database, options), signal: init.signal });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(0, ERROR_LENGTH);
  });
  const done = new Promise<void>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? missing(tool) : error));
    child.once('close', (code) => {
      if (code === 0) return resolve();
      const why = withoutCredentials(said.trim().replaceAll(/\s*\n\s*/g, ' ')) || `it ended with ${code}`;
      reject(new AtlasError(`${tool} failed: ${why.replace(/\.?$/, '.')}`, { reason: 'E_BACKUP_TOOL' }));
    });
  });
  // Whoever waits for something else first must not leave it unhandled.
  done.catch(() => {});
  child.stdin.on('error', () => {});
  return { child, done };
}

/** Major version of the tools. */
export async function toolsVersion(init: ToolsInit): Promise<number> {
  const { child, done } = startTool(init, 'pg_dump', ['--version']);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  await done;
  return Number(/ (\d+)/.exec(text)?.[1] ?? 0);
}
