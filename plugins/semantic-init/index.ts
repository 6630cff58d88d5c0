/** Defines the plugin of the commands `init` and `diff`. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { diffCommand } from './drift/diff.ts';
import { initCommand } from './init/init.ts';

export { generateLayer } from './layer/generate.ts';
export { layerFiles } from './layer/layer.ts';
export { type Profile, withDatabase } from './profile/profile.ts';

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
