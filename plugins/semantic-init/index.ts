/** Defines the plugin of the command `init`. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { initCommand } from './init.ts';

export { generateLayer } from './generate.ts';
export { layerFiles } from './layer.ts';
export { type Profile, withDatabase } from './profile.ts';

export const semanticInit = definePlugin({
  name: 'semantic-init',
  version: '1.0.0',
  type: 'command',
  description: 'The command `init`: writes a semantic layer for the connected database.',
  needs: { cli },
  setup(ctx, _options, needs) {
    ctx.tap(cliCommands, () => [initCommand(needs.cli)]);
  },
});
