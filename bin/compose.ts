/** What runs here: the composition of a folder, or the built-in one. */
import { existsSync, readdirSync } from 'node:fs';
import { type Env, readEnv } from '../config/env.ts';
import { selfHosted } from '../config/presets/self-hosted.ts';
import { AtlasError, bindPackage, didYouMean, findConfig, loadConfig } from '../kernel/index.ts';
import type { Compose, Composition } from '../plugins/cli-serve/index.ts';
import { createLog } from './log.ts';
import { extension } from './package.ts';

/** After the HTTP server has given requests their time: a stop must be over within ten seconds. */
const DRAIN_MS = 2_000;

/** The plugin to name when a gate is empty. */
const gatePlugins = {
  'auth.resolve': 'authNone()',
  'auth.authorize': 'authRoles()',
  'sql.check': 'sqlGuard()',
  'sql.after': 'sqlLimits()',
};

const entryPoints: ReadonlyMap<string, string> = new Map([
  ['', `../index${extension}`],
  ['kernel', `../kernel/index${extension}`],
  ['testing', `../test/testing${extension}`],
]);

/** `atlas-query/plugins/http` → the file of the running package; `atlas` is what the package was called at first. */
function resolvePackage(specifier: string): string | undefined {
  const entry = /^atlas(?:-query)?(?:$|\/(.*))/.exec(specifier);
  if (entry === null) return undefined;
  const plugin = /^plugins\/([a-z0-9-]+)$/.exec(entry[1] ?? '')?.[1];
  const path = plugin === undefined ? entryPoints.get(entry[1] ?? '') : `../plugins/${plugin}/index${extension}`;
  if (path === undefined) return undefined;
  const url = new URL(path, import.meta.url);
  if (plugin !== undefined && !existsSync(url)) {
    const known = readdirSync(new URL('../plugins/', import.meta.url));
    throw new AtlasError(`There is no plugin "${plugin}"${didYouMean(plugin, known) || '.'}`, {
      code: 'configuration_error',
      reason: 'E_PLUGIN_UNKNOWN',
    });
  }
  return url.href;
}

function auditWarnings({ databaseUrl, logLevel }: Env): string[] {
  if (databaseUrl !== undefined || logLevel === 'debug' || logLevel === 'info') return [];
  return [
    `Nothing is audited: DATABASE_URL is not set, and SVC_LOG_LEVEL=${logLevel} leaves the audit out of the log; set the one, or the other to info.`,
  ];
}

function modelWarnings({ provider, model }: Env): string[] {
  if (provider !== 'openai-compatible' || model !== undefined) return [];
  return ['SVC_MODEL is not set, so the server is asked for the model "default"; set it to the name of a model there.'];
}

export function composePreset(env: Readonly<Record<string, string | undefined>>): Composition {
  const read = readEnv(env);
  return {
    config: { plugins: selfHosted(read.env) },
    options: { log: createLog(read.env.logLevel), gatePlugins, drainMs: DRAIN_MS },
    warnings: [...read.warnings, ...auditWarnings(read.env), ...modelWarnings(read.env)],
  };
}

export const compose: Compose = async ({ cwd, env }) => {
  const path = findConfig(cwd);
  if (path === undefined) return composePreset(env);
  bindPackage(resolvePackage);
  const read = readEnv(env);
  const config = await loadConfig(path);
  return {
    config,
    options: { log: createLog(read.env.logLevel), gatePlugins, drainMs: DRAIN_MS },
    warnings: read.warnings,
  };
};
