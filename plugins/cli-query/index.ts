import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { queryCommand } from './query.ts';

export const cliQuery = definePlugin({
  name: 'cli-query',
  version: '1.0.0',
  type: 'command',
  description: 'The command `query`: asks a running server.',
  setup(ctx) {
    ctx.tap(cliCommands, () => [queryCommand]);
  },
});
