/** Defines the plugin of the command `plugin`. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { pluginCommand } from './command.ts';

export { PLUGIN_TYPES } from './create/plugin-types.ts';

export const pluginScaffold = definePlugin({
  name: 'plugin-scaffold',
  version: '1.0.0',
  type: 'command',
  description: 'The command `plugin`: lists plugins, creates one from a template, and adds one to a composition.',
  needs: { cli },
  setup(ctx, _options, needs) {
    ctx.tap(cliCommands, () => [pluginCommand(needs.cli)]);
  },
});
