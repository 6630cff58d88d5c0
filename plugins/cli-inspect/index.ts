import { Type } from '@sinclair/typebox';
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import type { Compose } from '../cli-serve/index.ts';
import { bootCommand, hooksCommand } from './inspect.ts';

export const cliInspect = definePlugin({
  name: 'cli-inspect',
  version: '1.0.0',
  type: 'command',
  description: 'The commands `hooks` and `boot`: show what a composition is made of.',
  options: Type.Object(
    { compose: Type.Unsafe<Compose>(Type.Any({ description: 'a function that finds or builds the composition' })) },
    { additionalProperties: false },
  ),
  setup(ctx, options) {
    ctx.tap(cliCommands, () => [hooksCommand(options.compose), bootCommand(options.compose)]);
  },
});
