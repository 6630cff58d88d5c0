/** Defines the plugin of the command `eval`. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { evalCommand } from './eval-command.ts';

export const evaluation = definePlugin({
  name: 'eval',
  version: '1.0.0',
  type: 'command',
  description: 'The command `eval`: asks questions and compares the results with those of their SQL.',
  needs: { cli },
  setup(ctx, _options, needs) {
    ctx.tap(cliCommands, () => [evalCommand(needs.cli)]);
  },
});
