/** Checks that the figures of an answer come from its results. */
import { definePlugin } from '../../kernel/index.ts';
import { answerCheck } from '../agent/index.ts';
import { findingOf } from './finding.ts';
import { GroundingOptions } from './options.ts';

export { figuresIn } from './figures.ts';
export { type Grounding, grounding as groundingOf, type Material } from './grounding.ts';

export const grounding = definePlugin({
  name: 'grounding',
  version: '1.0.0',
  type: 'policy',
  description: 'Checks that the figures of an answer come from its results.',
  options: GroundingOptions,
  setup(ctx, options) {
    ctx.tap(answerCheck, (draft) => {
      const finding = findingOf(draft, options);
      return finding === undefined ? [] : [finding];
    });
  },
});
