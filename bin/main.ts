/** Runs one command line: finds the plugin that has the command, and loads no more than it needs. */
import { fileURLToPath } from 'node:url';
import { createApp, type PluginEntry } from '../kernel/index.ts';
import {
  COMMANDS,
  type Compose,
  cli,
  errorText,
  type ImportFrom,
  LISTS_ALL,
  type Terminal,
} from '../plugins/cli/index.ts';
import { loadEnvFile } from './env-file.ts';
import { findConfig } from './load-config.ts';
import { packageUrl, packageVersion } from './package.ts';

const dataTransfer = async () => (await import('../plugins/data-transfer/index.ts')).dataTransfer();

/** First-party plugins of the type `command`, by the first word of each command that they bring. */
const FEATURES: Readonly<Record<string, () => Promise<PluginEntry>>> = {
  init: async () => (await import('../plugins/semantic-init/index.ts')).semanticInit(),
  diff: async () => (await import('../plugins/semantic-init/index.ts')).semanticInit(),
  export: dataTransfer,
  'migrate-import': dataTransfer,
  import: dataTransfer,
  mcp: async () => (await import('../plugins/mcp/index.ts')).mcpCli(),
  learn: async () => (await import('../plugins/learn/index.ts')).learn(),
  eval: async () => (await import('../plugins/eval/index.ts')).evaluation(),
  benchmark: async () => (await import('../plugins/eval/index.ts')).evaluation(),
  plugin: async () => (await import('../plugins/plugin-scaffold/index.ts')).pluginScaffold(),
};

/** Loaded when a command needs it: most of the server is not needed to ask one. */
const compose: Compose = async (request) => (await import('./compose.ts')).compose(request);
const importFrom: ImportFrom = async (...given) => (await import('./compose.ts')).importFrom(...given);

/** The plugins of the command line: `cli`, first-party features, and what a configuration adds. */
export async function commandLine(
  features: readonly string[] = Object.keys(FEATURES),
  configured: readonly PluginEntry[] = [],
): Promise<PluginEntry[]> {
  const demoLayerDir = fileURLToPath(packageUrl('semantic'));
  const loaded = await Promise.all(features.map((name) => FEATURES[name]?.()));
  // A plugin with several commands stands under each of them.
  const entries = new Map(loaded.flatMap((entry) => (entry === undefined ? [] : [[entry.definition.name, entry]])));
  return [
    cli({ version: packageVersion(), compose, findConfig, importFrom, demoLayerDir }),
    ...entries.values(),
    ...configured,
  ];
}

/** What the command of `argv` needs: a known one only itself, help and an unknown name also those of `atlas.config.ts`. */
async function pluginsFor([name = '--help']: readonly string[], terminal: Terminal): Promise<PluginEntry[]> {
  if ((Object.hasOwn(COMMANDS, name) && name !== LISTS_ALL) || /^(-v|--version)$/.test(name)) return commandLine([]);
  if (Object.hasOwn(FEATURES, name)) return commandLine([name]);
  const config = findConfig(terminal.cwd);
  if (config === undefined) return commandLine();
  try {
    const { configuredCommands } = await import('./compose.ts');
    return await commandLine(undefined, await configuredCommands(config));
  } catch (error) {
    terminal.stderr.write(`The commands of the configuration are not available: ${errorText(error)}`);
    return commandLine();
  }
}

/** Runs one command line, after adding `.env` to the terminal's environment; resolves to the exit code. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const report = (error: unknown) => {
    terminal.stderr.write(errorText(error));
    return 1;
  };
  // What a configuration leaves running may fail during any command; Node would show the error with its stack.
  const endAfter = (error: unknown) => process.listenerCount('uncaughtException') === 1 && process.exit(report(error));
  process.on('uncaughtException', endAfter);
  try {
    loadEnvFile(terminal.cwd, terminal.env as Record<string, string | undefined>);
    await using app = await createApp({ plugins: await pluginsFor(argv, terminal) });
    return await app.get(cli).run(argv, terminal);
  } catch (error) {
    return report(error);
  } finally {
    process.off('uncaughtException', endAfter);
  }
}
