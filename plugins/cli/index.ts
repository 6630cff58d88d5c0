import { cliCommands, definePlugin } from '../../kernel/index.ts';
import type { Cli } from './api.ts';
import { allCommands, ownCommand } from './commands.ts';
import { CliOptions } from './options.ts';
import { runCommandLine } from './program.ts';

export type { Cli, Compose, Composition, FindConfig, ImportFrom, Terminal } from './api.ts';
export { COMMANDS, LISTS_ALL } from './commands.ts';
export { fileFault } from './file-fault.ts';
export { withHttpOptions } from './http-options.ts';
export { probedLayer } from './layer-probe.ts';
export { wrongUse } from './option-checks.ts';
export { errorText } from './program.ts';
export { progress, type ReportProgress } from './progress.ts';
export {
  indent,
  printableText,
  type RenderedTable,
  renderAnswer,
  renderCsv,
  renderTable,
  terminalStyle,
} from './render.ts';
export { post, type Server, serverOf } from './server-client.ts';
export { keepServing } from './serving.ts';
export { warn } from './start-warnings.ts';

export const cli = definePlugin({
  name: 'cli',
  version: '1.0.0',
  type: 'command',
  description: 'The command line: runs its own commands and those that other plugins bring.',
  options: CliOptions,
  setup(ctx, options): Cli {
    const { version } = options;
    const api: Cli = {
      ...options,
      commands: async () => allCommands(api, await ctx.call(cliCommands, undefined, ctx.scope())),
      async run(argv, terminal) {
        const own = await ownCommand(argv[0], api);
        return runCommandLine(own === undefined ? await api.commands() : [own], argv, terminal, version);
      },
    };
    return api;
  },
});
