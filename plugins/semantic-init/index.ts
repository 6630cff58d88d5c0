/** Defines the plugin of the commands `init` and `diff`. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { diffCommand } from './diff.ts';
import { initCommand } from './init.ts';

export { generateLayer } from './generate.ts';
export { layerFiles } from './layer.ts';
export { type Profile, withDatabase } from './profile.ts';

export const semanticInit = definePlugin({
  name: 'semantic-init',
  version: '1.0.0',
  type: 'command',
  description:
    'The commands `init` and `diff`: write a semantic layer for the connected database, and compare the two.',
  needs: { cli },
  setup(ctx, _options, needs) {
    ctx.tap(cliCommands, () => [initCommand(needs.cli), diffCommand(needs.cli)]);
  },
});
