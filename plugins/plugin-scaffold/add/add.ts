/** `atlas plugin add`: installs a plugin and adds it to the configuration, or leaves everything as it was. */
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AtlasError, type CliRun, messageOf } from '../../../kernel/index.ts';
import { type Cli, printableText } from '../../cli/index.ts';
import { ownPackage } from '../create/own-package.ts';
import { hasEntry, withEntry } from './config-edit.ts';
import { readConfigSource } from './config-source.ts';
import { install, ProjectFiles, packageManager, uninstall } from './package-manager.ts';
import { packageSource } from './package-source.ts';
import { type AnyPlugin, exportedPlugin } from './plugin-export.ts';

/** What runs where there is no configuration, written out. */
const BUILT_IN = `/** What runs here: the built-in composition, with what is added below. */
import { defineConfig } from 'atlas-query';
import { selfHosted } from 'atlas-query/presets/self-hosted';

export default defineConfig({
  plugins: [
    ...selfHosted(),
  ],
});
`;

interface Config {
  readonly path: string;
  readonly text: string;
  readonly isTypeScript: boolean;
}

function configIn(cwd: string, { findConfig }: Cli): Config {
  // In a package of the type commonjs, Node takes only `.mts` for a module.
  const name = manifestOf(cwd).type === 'commonjs' ? 'atlas.config.mts' : 'atlas.config.ts';
  const path = findConfig(cwd) ?? join(cwd, name);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : BUILT_IN;
  return { path, text, isTypeScript: path.endsWith('ts') };
}

const byHand = ({ path }: Config, name: string) =>
  new AtlasError(`${basename(path)} cannot be changed: its list of plugins could not be found.`, {
    hint: `Write plugins: [ … ] into what it exports, or add "${name}" by hand.`,
  });

/** In one step, so that no half-written configuration is ever loaded. A link stays one. */
function replace(path: string, text: string): void {
  const file = existsSync(path) ? realpathSync(path) : path;
  const draft = `${file}.${process.pid}.draft`;
  try {
    writeFileSync(draft, text, { mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0o666 });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

interface Manifest {
  readonly type?: string;
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

function manifestOf(cwd: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  } catch (error) {
    throw new AtlasError(`package.json cannot be read: ${messageOf(error)}.`, { hint: 'Correct it first.' });
  }
}

/** The version that the project depends on and has installed. */
function installedVersion(cwd: string, name: string): string | undefined {
  const { dependencies = {}, devDependencies = {} } = manifestOf(cwd);
  const path = join(cwd, 'node_modules', name, 'package.json');
  const isNamed = name in dependencies || name in devDependencies;
  return isNamed && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : undefined;
}

/** Options that have to be given. */
function missingOptions({ definition }: AnyPlugin): string[] {
  const { required = [], properties = {} } = (definition.options ?? {}) as {
    required?: string[];
    properties?: Readonly<Record<string, object>>;
  };
  return required.filter((name) => !('default' in (properties[name] ?? {})));
}

export async function addPlugin(run: CliRun, cli: Cli, given: string): Promise<number> {
  const { cwd, signal, stdout } = run;
  const manager = packageManager(cwd);
  const config = configIn(cwd, cli);
  const file = basename(config.path);
  if (readConfigSource(config.text, config.isTypeScript) === undefined) throw byHand(config, given);
  const source = await packageSource(given, { cwd, signal, version: ownPackage().version });
  const { name, version } = source;
  const say = (text: string) => stdout.write(`${printableText(text)}\n`);
  const installed = installedVersion(cwd, name);
  if (installed === version && hasEntry(config.text, config.isTypeScript, name)) {
    say(`"${name}" is in ${file} already.`);
    return 0;
  }
  const before = new ProjectFiles(cwd, [config.path]);
  try {
    await install(manager, source.spec, { folder: cwd, name, signal });
    const { exported, local, plugin } = await exportedPlugin(name, () => cli.importFrom(name, cwd));
    const text = withEntry(config.text, config.isTypeScript, { specifier: name, exported, local });
    if (text === undefined) throw byHand(config, name);
    signal.throwIfAborted();
    if (text === config.text) {
      say(`Installed ${name} ${version}; it is in ${file} already.`);
      return 0;
    }
    replace(config.path, text);
    say(`Added ${name} ${version} to ${file}: ${plugin.definition.description}`);
    const missing = missingOptions(plugin);
    if (missing.length > 0) say(`Give it its options there before the next start: ${missing.join(', ')}.`);
    return 0;
  } catch (error) {
    if (installed === undefined && !signal.aborted) await uninstall(manager, { folder: cwd, name, signal });
    before.restore();
    if (signal.aborted) throw new AtlasError('Cancelled; nothing was changed.', { cause: error });
    throw error instanceof AtlasError ? error : new AtlasError(messageOf(error), { cause: error });
  }
}
