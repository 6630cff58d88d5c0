import { Type } from '@sinclair/typebox';
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import type { Compose } from '../cli-serve/index.ts';
import { initCommand } from './init.ts';

export const cliInit = definePlugin({
  name: 'cli-init',
  version: '1.0.0',
  type: 'command',
  description: 'The command `init`: writes a semantic layer for the connected database.',
  options: Type.Object(
    {
      compose: Type.Unsafe<Compose>(Type.Any({ description: 'a function that finds or builds the composition' })),
      demoDir: Type.String({ description: "folder of the demo's semantic layer, which is never written to" }),
    },
    { additionalProperties: false },
  ),
  setup(ctx, options) {
    ctx.tap(cliCommands, () => [initCommand(options)]);
  },
});
