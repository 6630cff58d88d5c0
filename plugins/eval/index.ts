/** Defines the plugin of the commands `eval` and `benchmark`. */
import { cliCommands, definePlugin } from '../../kernel/index.ts';
import { cli } from '../cli/index.ts';
import { benchmarkCommand } from './bird/benchmark-command.ts';
import { evalCommand } from './eval-command.ts';

export { type EvalCase, readCases } from './cases.ts';
export { evaluateLayer } from './evaluate-layer.ts';
export { judgeOf, type Verdict } from './run-case.ts';

export const evaluation = definePlugin({
  name: 'eval',
  version: '1.0.0',
  type: 'command',
  description: 'The commands `eval` and `benchmark`: ask questions and compare the results with those of their SQL.',
  needs: { cli },
  setup(ctx, _options, needs) {
    ctx.tap(cliCommands, () => [evalCommand(needs.cli), benchmarkCommand(needs.cli)]);
  },
});
