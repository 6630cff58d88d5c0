import { Type } from '@sinclair/typebox';
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { type Compose, serveCommand } from './serve.ts';

export { type Compose, type Composition, http, keepServing } from './serve.ts';
export { warn } from './start-warnings.ts';

export const cliServe = definePlugin({
  name: 'cli-serve',
  version: '1.0.0',
  type: 'command',
  description: 'The command `serve`: runs the composition of the working directory.',
  options: Type.Object(
    { compose: Type.Unsafe<Compose>(Type.Any({ description: 'a function that finds or builds the composition' })) },
    { additionalProperties: false },
  ),
  setup(ctx, options) {
    ctx.tap(cliCommands, () => [serveCommand(options.compose)]);
  },
});
