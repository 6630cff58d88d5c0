import { Type } from '@sinclair/typebox';
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { runCommandLine } from './program.ts';
import type { Terminal } from './terminal.ts';

export { errorText } from './program.ts';
export {
  indent,
  printableText,
  type RenderedTable,
  renderAnswer,
  renderCsv,
  renderTable,
  terminalStyle,
} from './render.ts';
export type { Terminal } from './terminal.ts';

export const cli = definePlugin({
  name: 'cli',
  version: '1.0.0',
  type: 'command',
  description: 'Runs the commands that plugins bring.',
  options: Type.Object(
    { version: Type.String({ description: 'printed by --version' }) },
    { additionalProperties: false },
  ),
  setup(ctx, options) {
    return {
      /** Runs one command line; resolves to the exit code. `argv` is without the program's own name. */
      async run(argv: readonly string[], terminal: Terminal): Promise<number> {
        const commands = await ctx.call(cliCommands, undefined, ctx.scope());
        return runCommandLine(
          commands.map(({ value }) => value),
          argv,
          terminal,
          options.version,
        );
      },
    };
  },
});
