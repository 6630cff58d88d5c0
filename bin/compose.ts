/** Loads the composition of a folder, or builds the built-in one. */
import { existsSync, readdirSync } from 'node:fs';
import { type Env, readEnv } from '../config/env.ts';
import { selfHosted } from '../config/presets/self-hosted.ts';
import { type AtlasConfig, AtlasError, type CreateAppOptions, didYouMean, type PluginEntry } from '../kernel/index.ts';
import type { Compose, Composition, ImportFrom } from '../plugins/cli/index.ts';
import { withoutCredentials } from '../plugins/redaction-kit/index.ts';
import { bindPackage, findConfig, importFor, loadConfig } from './load-config.ts';
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

/** Resolves `atlas-query/plugins/http` to the file of the running package; `atlas` was the package's first name. */
function resolvePackage(specifier: string): string | undefined {
  const entry = /^atlas(?:-query)?(?:$|\/(.*))/.exec(specifier);
  if (entry === null) return undefined;
  const [, folder = '', name = ''] = /^(plugins|presets)\/([a-z0-9-]+)$/.exec(entry[1] ?? '') ?? [];
  const path = folder === 'plugins' ? pluginPath(name) : folder === 'presets' ? presetPath(name) : undefined;
  const found = path ?? entryPoints.get(entry[1] ?? '');
  return found === undefined ? undefined : new URL(found, import.meta.url).href;
}

function pluginPath(name: string): string {
  const path = `../plugins/${name}/index${extension}`;
  return exists(path) ? path : unknown('plugin', name, filesOf('../plugins/'));
}

function presetPath(name: string): string {
  const path = `../config/presets/${name}${extension}`;
  return exists(path) ? path : unknown('preset', name, filesOf('../config/presets/'));
}

const exists = (path: string) => existsSync(new URL(path, import.meta.url));
const filesOf = (folder: string) =>
  readdirSync(new URL(folder, import.meta.url)).map((file) => file.replace(/\..*/, ''));

function unknown(kind: string, name: string, known: readonly string[]): never {
  throw new AtlasError(`There is no ${kind} "${name}"${didYouMean(name, known) || '.'}`, {
    code: 'configuration_error',
    reason: `E_${kind.toUpperCase()}_UNKNOWN`,
  });
}

function auditWarnings({ internalDb, logLevel }: Env): string[] {
  if (internalDb.url !== undefined || logLevel === 'debug' || logLevel === 'info') return [];
  return [
    `Nothing is audited: DATABASE_URL is not set, and SVC_LOG_LEVEL=${logLevel} leaves the audit out of the log; set the one, or the other to info.`,
  ];
}

function appOptions({ logLevel }: Env): CreateAppOptions {
  return { log: createLog(logLevel), redact: withoutCredentials, gatePlugins, drainMs: DRAIN_MS };
}

export function composePreset(env: Readonly<Record<string, string | undefined>>): Composition {
  const read = readEnv(env);
  return {
    config: { plugins: selfHosted(read.env) },
    options: appOptions(read.env),
    warnings: [...read.warnings, ...auditWarnings(read.env)],
  };
}

const isCommand = ({ definition }: PluginEntry) => definition.type === 'command';

async function load(path: string): Promise<AtlasConfig> {
  bindPackage(resolvePackage);
  return loadConfig(path);
}

export const importFrom: ImportFrom = (specifier, folder) => {
  bindPackage(resolvePackage);
  return importFor(specifier, folder);
};

/** The plugins of the type `command` in a configuration. */
export async function configuredCommands(path: string): Promise<PluginEntry[]> {
  return (await load(path)).plugins.filter(isCommand);
}

export const compose: Compose = async ({ cwd, env, builtIn = false }) => {
  const path = builtIn ? undefined : findConfig(cwd);
  if (path === undefined) return composePreset(env);
  const read = readEnv(env);
  const { plugins } = await load(path);
  return {
    config: { plugins: plugins.filter((entry) => !isCommand(entry)) },
    options: appOptions(read.env),
    warnings: read.warnings,
  };
};
