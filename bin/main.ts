/** The command line of Atlas: a composition of its own, of the plugins that bring commands. */
import { fileURLToPath } from 'node:url';
import { createApp, type PluginEntry } from '../kernel/index.ts';
import { cli, errorText, type Terminal } from '../plugins/cli/index.ts';
import { cliDemo } from '../plugins/cli-demo/index.ts';
import { cliInit } from '../plugins/cli-init/index.ts';
import { cliInspect } from '../plugins/cli-inspect/index.ts';
import { cliMigrate } from '../plugins/cli-migrate/index.ts';
import { cliQuery } from '../plugins/cli-query/index.ts';
import { type Compose, cliServe } from '../plugins/cli-serve/index.ts';
import { loadEnvFile } from './env-file.ts';
import { limitYoungGeneration } from './heap-limits.ts';
import { packageUrl, packageVersion } from './package.ts';

/** Loaded when a command needs it: most of the server is not needed to ask one. */
const composing = () => import('./compose.ts');
const compose: Compose = async (run) => (await composing()).compose(run);

export function commandLine(): PluginEntry[] {
  return [
    cli({ version: packageVersion() }),
    cliServe({ compose }),
    cliDemo({
      compose: async (env) => (await composing()).composePreset(env),
      semanticDir: fileURLToPath(packageUrl('semantic')),
    }),
    cliQuery(),
    cliInit({ compose, demoDir: fileURLToPath(packageUrl('semantic')) }),
    cliInspect({ compose }),
    cliMigrate({ compose }),
  ];
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
    limitYoungGeneration();
    await using app = await createApp({ plugins: commandLine() });
    return await app.get(cli).run(argv, terminal);
  } catch (error) {
    return report(error);
  } finally {
    process.off('uncaughtException', endAfter);
  }
}
