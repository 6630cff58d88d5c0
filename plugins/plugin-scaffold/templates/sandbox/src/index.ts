/** A backend of the explore tool with three commands: list, read and find. */
import { definePlugin } from 'atlas-query';
import { exploreSandbox } from 'atlas-query/plugins/semantic-layer';
import { runCommand, USAGE } from './commands.ts';
import { Options } from './options.ts';

export const templateSandbox = definePlugin({
  name: 'template-sandbox',
  version: '0.1.0',
  type: 'sandbox',
  description: 'Explores the semantic layer with the commands list, read and find.',
  options: Options,
  setup(ctx, options) {
    ctx.tap(exploreSandbox, () => [
      {
        backend: 'template-sandbox',
        // It runs in the server's own process. A backend in a process or a container of its own says true.
        isolated: false,
        usage: USAGE,
        run: (request, scope) => runCommand(request, options, scope.signal),
      },
    ]);
  },
});
