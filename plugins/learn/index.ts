/** Defines the plugin of the command `learn`, and what makes its proposals. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { learnCommand } from './learn.ts';

export { type Change, changesOf, unifiedDiff } from './changes.ts';
export { idOf, type Proposal, shownProposal } from './proposal.ts';
export { proposalsFor } from './propose.ts';

export const learn = definePlugin({
  name: 'learn',
  version: '1.0.0',
  type: 'command',
  description: 'The command `learn`: proposes changes of the semantic layer from what people asked.',
  needs: { cli },
  setup(ctx, _options, { cli: api }) {
    ctx.tap(cliCommands, () => [learnCommand(api)]);
  },
});
