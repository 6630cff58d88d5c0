/** The command line of Atlas: a composition of its own, of the plugins that bring commands. */
import { fileURLToPath } from 'node:url';
import { createApp, type PluginEntry } from '../kernel/index.ts';
import { cli, type Terminal } from '../plugins/cli/index.ts';
import { cliDemo } from '../plugins/cli-demo/index.ts';
import { cliInspect } from '../plugins/cli-inspect/index.ts';
import { cliQuery } from '../plugins/cli-query/index.ts';
import { cliServe } from '../plugins/cli-serve/index.ts';
import { compose, composePreset, packageUrl, packageVersion } from './compose.ts';
import { boundYoungGeneration } from './young-generation.ts';

export function commandLine(): PluginEntry[] {
  return [
    cli({ version: packageVersion() }),
    cliServe({ compose }),
    cliDemo({ compose: composePreset, semanticDir: fileURLToPath(packageUrl('semantic')) }),
    cliQuery(),
    cliInspect({ compose }),
  ];
}

/** Runs one command line; resolves to the exit code. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  boundYoungGeneration();
  await using app = await createApp({ plugins: commandLine() });
  return app.get(cli).run(argv, terminal);
}
