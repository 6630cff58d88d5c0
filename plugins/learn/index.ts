/** Defines the plugin of the command `learn`. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { learnCommand } from './learn.ts';

export const learn = definePlugin({
  name: 'learn',
  version: '1.0.0',
  type: 'command',
  description: 'The command `learn`: proposes changes of the semantic layer from the audit log.',
  needs: { cli },
  setup(ctx, _options, { cli: api }) {
    ctx.tap(cliCommands, () => [learnCommand(api)]);
  },
});
